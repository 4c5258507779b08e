// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kernels_host.hpp"

namespace zerofab::kernels_host {

template <KernelType>
std::span<const Kernel> table_of();
template <>
std::span<const Kernel> table_of<KernelType::f64>();
template <>
std::span<const Kernel> table_of<KernelType::f32>();
template <>
std::span<const Kernel> table_of<KernelType::i32>();
template <>
std::span<const Kernel> table_of<KernelType::i64>();

namespace {

std::mutex one_at_a_time;  // what a group shares is one piece of memory for each kernel

/// Where the items of a group meet. std::barrier tries again and again before it sleeps, which is long where there are
/// more items than cores.
class Barrier {
public:
    explicit Barrier(int items) { pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(items)); }
    ~Barrier() { pthread_barrier_destroy(&barrier_); }
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;
    void arrive_and_wait() { pthread_barrier_wait(&barrier_); }

private:
    pthread_barrier_t barrier_{};
};
Barrier* items_meet = nullptr;

void all_groups(const Kernel& kernel, Position position, void* const* addresses) {
    // The last ones first: groups have no order that a kernel may rely on.
    for (position.group_y = position.groups_y - 1; position.group_y >= 0; --position.group_y) {
        for (position.group_x = position.groups_x - 1; position.group_x >= 0; --position.group_x) {
            kernel.run(position, addresses);
            position.barrier();
        }
    }
}

}  // namespace

std::span<const Kernel> kernels(KernelType type) {
    switch (type) {
        case KernelType::f64:
            return table_of<KernelType::f64>();
        case KernelType::f32:
            return table_of<KernelType::f32>();
        case KernelType::i32:
            return table_of<KernelType::i32>();
        default:
            return table_of<KernelType::i64>();
    }
}

const Kernel* find(KernelType type, std::string_view name) {
    for (const Kernel& kernel : kernels(type)) {
        if (kernel.name == name) return &kernel;
    }
    return nullptr;
}

void launch(const Kernel& kernel, std::int64_t groups_x, std::int64_t groups_y, void* const* addresses, Shape group) {
    const std::lock_guard lock(one_at_a_time);
    if (group.lanes * group.lines == 1) {
        all_groups(kernel, {0, 1, 0, 1, 0, groups_x, 0, groups_y, [] {}}, addresses);
        return;
    }
    Barrier meet(group.lanes * group.lines);
    items_meet = &meet;
    const auto wait = [] { items_meet->arrive_and_wait(); };
    std::vector<std::jthread> items;
    for (int line = 0; line < group.lines; ++line) {
        for (int lane = 0; lane < group.lanes; ++lane) {
            const Position first{lane, group.lanes, line, group.lines, 0, groups_x, 0, groups_y, wait};
            items.emplace_back([&kernel, first, addresses] { all_groups(kernel, first, addresses); });
        }
    }
}

void launch(const KernelCall& call, Shape group) {
    const std::string name(call.kernel);
    const Kernel* const kernel = find(call.type, call.kernel);
    if (kernel == nullptr) throw std::invalid_argument("no kernel '" + name + "' for this type");
    if (!takes(*kernel, call))
        throw std::invalid_argument(name + ": its arguments are " + std::string(kernel->arguments));
    std::vector<void*> addresses;
    for (std::size_t n = 0; n < call.count; ++n) addresses.push_back(const_cast<void*>(call.args[n].address()));
    launch(*kernel, call.groups_x, call.groups_y, addresses.data(), group);
}

}  // namespace zerofab::kernels_host
