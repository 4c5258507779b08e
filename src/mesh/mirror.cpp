// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/mesh/mirror.hpp"

#include <numeric>

#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab {
namespace {

bool reaches(MemorySpace work, MemorySpace memory) {
    return work.is_plain() ? memory.host_reaches() : !memory.is_plain() && memory.device == work.device;
}

/// Copy bytes between any two memory spaces: from one device to another by way of the host.
void carry(void* to, MemorySpace to_space, const void* from, MemorySpace from_space, std::size_t bytes) {
    if (to_space.is_plain() || from_space.is_plain() || to_space.device == from_space.device) {
        copy_bytes(to, to_space, from, from_space, bytes);
        return;
    }
    const AllocationPtr between = The_Cpu_Arena().allocate(bytes);
    copy_bytes(between->data(), {}, from, from_space, bytes);
    copy_bytes(to, to_space, between->data(), {}, bytes);
}

/// Copy the local fabs that both bodies have memory of.
template <int D>
void carry(const FabBody<D>& to, const FabBody<D>& from) {
    for (std::size_t i = 0; i < to.fabs.size(); ++i) {
        const FabMemory<D>&a = to.fabs[i], &b = from.fabs[i];
        if (!a.memory || !b.memory) continue;
        const auto bytes = fab_elements(b.box, from.ncomp, from.dtype->size) * from.dtype->size;
        carry(a.data, a.memory->space(), b.data, b.memory->space(), bytes);
    }
}

template <int D>
Lease<D> copy_at(const FabBody<D>& body, const std::vector<int>& locals, MemorySpace work) {
    auto copy = std::make_shared<FabBody<D>>(body);
    copy->arena = &arena_at(work);
    for (FabMemory<D>& fab : copy->fabs) {
        fab.memory.reset();
        fab.data = nullptr;
    }
    for (const int local : locals) {
        FabMemory<D>& fab = copy->fabs[static_cast<std::size_t>(local)];
        fab.memory = copy->arena->allocate(fab_elements(fab.box, body.ncomp, body.dtype->size) * body.dtype->size);
        fab.data = fab.memory->data();
    }
    carry(*copy, body);
    return copy;
}

template <int D>
std::vector<int> all_fabs(const Lease<D>& body) {
    std::vector<int> all(body->fabs.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace

MemorySpace space_of_work(MemorySpace memory) noexcept {
    const bool devices = !memory.is_plain() && (!memory.host_reaches() || memory.device == Runtime::run_device());
    return devices ? MemorySpace{memory.device, MemoryKind::device} : MemorySpace{};
}

template <int D>
Mirror<D>::Mirror(const Lease<D>& body, MemorySpace work) : body_(body), seen_(body) {
    const MemorySpace memory = body->space();
    if (!reaches(work, memory)) {
        seen_ = copy_at(*body, all_fabs<D>(body), work);
    } else if (work.is_plain()) {
        ready_for_host(memory, "a field");
    }
}

template <int D>
Mirror<D>::Mirror(const Lease<D>& body, const std::vector<int>& locals, MemorySpace work) : body_(body), seen_(body) {
    const MemorySpace memory = body->space();
    if (!reaches(work, memory)) {
        seen_ = copy_at(*body, locals, work);
    } else if (work.is_plain()) {
        ready_for_host(memory, "a field");
    }
}

template <int D>
void Mirror<D>::write_back() const {
    if (seen_ != body_) carry(*body_, *seen_);
}

#define ZEROFAB_INSTANTIATE(D) template class Mirror<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
