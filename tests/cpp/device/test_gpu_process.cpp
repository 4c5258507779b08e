// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// GPUs, and what else is in the process: Python's lock, threads with streams of their own, forks.  On the fake drivers.
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/child.hpp"
#include "device/fakes.hpp"
#include "kernels/tables.h"
#include "zerofab/base/error.hpp"
#include "zerofab/device/blocking.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/memory/transfer.hpp"
#include "zerofab/mesh/arithmetic.hpp"

using namespace zerofab;
using fakes::Memory;

namespace {

/// A lock as Python's is for the library: the thread has it, or not.
thread_local bool has_lock = false;
std::set<std::string> called_with_lock, called_without;

/// Parts of the names of what a driver does, other than what it answers at once.
constexpr const char* waiting_parts[] = {"Init",   "Retain",  "Alloc",    "alloc",       "Free",
                                         "Memcpy", "Memset",  "memset",   "Synchronize", "Module",
                                         "Launch", "Compile", "EventRec", "WaitEvent"};

bool has_part(const std::string& function, const char* part) { return function.find(part) != std::string::npos; }

bool may_wait(const std::string& function) {
    return std::any_of(std::begin(waiting_parts), std::end(waiting_parts),
                       [&](const char* part) { return has_part(function, part); });
}

void note(const char* function) { (has_lock ? called_with_lock : called_without).insert(function); }

void use_everything(BackendKind kind) {
    set_blocking_hooks(
        {.enter = []() noexcept -> void* { return std::exchange(has_lock, false) ? &has_lock : nullptr; },
         .leave = [](void* held) noexcept { has_lock = has_lock || held != nullptr; }});
    const std::string library(backend(kind).name());
    fakes::watch(library, note);
    if (kind == BackendKind::cuda) fakes::watch("nvrtc", note);
    has_lock = true;
    Backend& vendor = backend(kind);
    CHECK(vendor.report().devices.size() == 2);
    std::vector<unsigned char> host(64, 1);
    for (const MemoryKind memory : {MemoryKind::device, MemoryKind::managed, MemoryKind::pinned}) {
        const Memory one(vendor, memory, 64), two(vendor, MemoryKind::device, 64);
        vendor.copy(0, one.data(), host.data(), 64, {});
        vendor.copy(0, two.data(), one.data(), 64, {});
        vendor.copy(0, host.data(), two.data(), 64, {});
        vendor.fill(0, one.data(), 2, 64, {});
        const Event event = vendor.record(0, {});
        vendor.wait(0, {}, event);
        CHECK(!vendor.reached(0, event));
        CHECK(!vendor.capturing(0, {}));
        vendor.synchronize(0, {});
        vendor.synchronize_all(0);
        vendor.forget(0, event);
        // No box: a kernel that does nothing, but is compiled and loaded.
        const KernelArg args[] = {two.data(), std::int64_t{0}, 0, 1, two.data(), 0, 0.0};
        vendor.launch(0, {"field_set_val", KernelType::f64, 1, 1, args, std::size(args)}, {});
    }
    CHECK(has_lock);
    fakes::watch(library, nullptr);
    for (const std::string& function : called_with_lock) CHECK_MESSAGE(!may_wait(function), function);
    for (const char* part :
         {"Init", "lloc", "Free", "Memcpy", "StreamSynchronize", "ModuleLoad", "Compile", "Launch"}) {
        CHECK_MESSAGE(std::any_of(called_without.begin(), called_without.end(),
                                  [&](const std::string& name) { return has_part(name, part); }),
                      std::string(part));
    }
    has_lock = false;
    set_blocking_hooks({});
}

/// What a forked child makes of a run on a GPU; 0 if that is right.
int in_a_child(const AllocationPtr& memory, const FabArray<3, double>& field) {
    TensorView view;
    view.own(memory);
    view.data = memory->data();
    view.dtype = find_dtype(2, 64);
    view.axes = 1;
    view.shape[0] = view.strides[0] = 1;
    view.what = "memory";
    const int type = backend(memory->device().backend).facts().dlpack_device;
    int wrong = dlpack_device(view) != DLPackDevice{type, memory->device().id};
    wrong += 2 * (memory_space_of({type, memory->device().id}) != memory->space());
    const auto refused = [](auto&& call) {
        try {
            call();
        } catch (const DeviceError& error) {
            return std::string(error.what()).find("forked") != std::string::npos;
        }
        return false;
    };
    wrong += 4 * !refused([&] { set_val(field, 1.0, all_with_ghosts(field)); });
    wrong += 8 * !refused([&] { static_cast<void>(backend(memory->device().backend).info(memory->device().id)); });
    wrong += 16 * !refused([&] { fill_bytes(memory->data(), memory->space(), 0, 8); });
    return wrong;
}

void fork_in_a_run(BackendKind kind) {
    Runtime::initialize(std::string(backend(kind).name()) + ":1");
    {
        Runtime::use_stream(fakes::make_stream(kind, 1, false));
        const AllocationPtr memory = The_Arena().allocate(64);
        const BoxArray<3> boxes(Box<3>(IntVect<3>(0), IntVect<3>(3)));
        const FabArray<3, double> field(boxes, DistributionMapping(boxes), 1, IntVect<3>(0));
        const pid_t process = fork();
        if (process == 0) _exit(in_a_child(memory, field));
        int status = -1;
        waitpid(process, &status, 0);
        CHECK(status == 0);
    }
    Runtime::finalize();
}

}  // namespace

TEST_CASE("child: all calls of cuda with a lock held" * doctest::skip()) { use_everything(BackendKind::cuda); }
TEST_CASE("child: all calls of hip with a lock held" * doctest::skip()) { use_everything(BackendKind::hip); }
TEST_CASE("child: a fork in a run on cuda" * doctest::skip()) { fork_in_a_run(BackendKind::cuda); }
TEST_CASE("child: a fork in a run on hip" * doctest::skip()) { fork_in_a_run(BackendKind::hip); }

TEST_CASE("gpus: no call that may wait is made with Python's lock held") {
    for (const char* name : {"cuda", "hip"}) {
        const auto result = child::run(std::string("child: all calls of ") + name + " with a lock held");
        CHECK_MESSAGE(result.status == 0, result.output);
    }
}

TEST_CASE("gpus: in a forked child memory says where it is, and work is refused") {
    for (const char* name : {"cuda", "hip"}) {
        const auto result = child::run(std::string("child: a fork in a run on ") + name);
        CHECK_MESSAGE(result.status == 0, result.output);
    }
}

TEST_CASE("gpus: the stream of each thread is known as such, and is another one on every thread") {
    const Stream own{reinterpret_cast<void*>(std::uintptr_t{2})};
    for (const BackendKind kind : {BackendKind::cuda, BackendKind::hip}) {
        Backend& vendor = backend(kind);
        REQUIRE(vendor.device_count() == 2);
        CHECK(vendor.is_per_thread(own));
        CHECK(!vendor.is_per_thread({}));
        CHECK(!vendor.is_per_thread(fakes::make_stream(kind, 0, false)));
        const Memory memory(vendor, MemoryKind::pinned, 64);
        Event event;
        std::thread([&] {
            vendor.fill(0, memory.data(), 5, 64, own);
            event = vendor.record(0, own);
        }).join();
        vendor.synchronize(0, own);  // this thread's
        CHECK(memory.data()[0] != 5);
        vendor.wait(0, own, event);
        vendor.synchronize(0, own);
        CHECK(memory.data()[0] == 5);
        vendor.forget(0, event);
    }
    CHECK(!backend(BackendKind::host).is_per_thread(own));
}

TEST_CASE("gpus: numbers and objects of other libraries name streams, there and back") {
    Backend& cuda = backend(BackendKind::cuda);
    Backend& hip = backend(BackendKind::hip);
    CHECK(cuda.named_stream(0, 1, false).handle == nullptr);
    CHECK(cuda.named_stream(0, 0, true).handle == nullptr);
    CHECK(cuda.is_per_thread(cuda.named_stream(0, 2, false)));
    CHECK(hip.named_stream(0, 0, false).handle == nullptr);
    for (const std::intptr_t bad : {0, -1, -2}) {
        CHECK_THROWS_WITH_AS(static_cast<void>(cuda.named_stream(0, bad, false)), doctest::Contains("CUDA"),
                             ValueError);
    }
    for (const std::intptr_t bad : {1, 2, -1}) {
        CHECK_THROWS_WITH_AS(static_cast<void>(hip.named_stream(0, bad, false)), doctest::Contains("ROCm"), ValueError);
    }
    for (Backend* vendor : {&cuda, &hip}) {
        REQUIRE(vendor->device_count() == 2);
        for (const Stream stream : {Stream{}, fakes::make_stream(vendor->kind(), 0, true)}) {
            const auto number = vendor->stream_number(stream);
            REQUIRE(number.has_value());
            CHECK(vendor->named_stream(0, *number, false).handle == stream.handle);
        }
    }
    CHECK(!backend(BackendKind::host).stream_number({}).has_value());
    CHECK_THROWS_AS(static_cast<void>(backend(BackendKind::host).named_stream(0, 1, false)), ValueError);
}
