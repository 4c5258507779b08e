// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Memory comes to its next user after all work of the last, whichever stream that was on: on the fake drivers of the
// tests, where work that nobody asked to wait for comes last of all, as wrong data.
#include <thread>

#include "device/order.hpp"
#include "zerofab/device/recorded.hpp"
#include "zerofab/halo/halo.hpp"
#include "zerofab/mesh/arithmetic.hpp"
#include "zerofab/mesh/reductions.hpp"

using namespace order;

namespace {

/// Each thread's own default stream, as the vendors number it.
Stream per_thread() { return {reinterpret_cast<void*>(2)}; }

}  // namespace

TEST_CASE("order: copies and fills of another thread come before the next use of the memory") {
    for (const char* name : gpus) {
        const Run run(name);
        const Stream other = run.stream();
        Arena& arena = The_Arena();
        const AllocationPtr target = arena.allocate(size);
        for (const int work : {0, 1, 2}) {
            INFO(name << " " << work);
            AllocationPtr memory = arena.allocate(size);
            const void* const space = memory->data();
            fill_bytes(memory->data(), memory->space(), 1, size);
            Runtime::synchronize();
            on_a_thread([&] {
                Runtime::use_stream(other);
                const MemorySpace at = memory->space();
                if (work == 0) fill_bytes(memory->data(), at, 7, size);
                if (work == 1) copy_bytes(memory->data(), at, target->data(), at, size);
                if (work == 2) copy_bytes(target->data(), at, memory->data(), at, size);
            });
            memory = {};
            memory = arena.allocate(size);
            CHECK(memory->data() == space);
            CHECK(stays(run, *memory));
            if (work == 2) CHECK(is_all(*target, 1));
        }
    }
}

TEST_CASE("order: adopted memory goes back to its owner after the work of every stream on it") {
    static bool finished = false;
    static const unsigned char* data = nullptr;
    const auto release = [](void*) noexcept { finished = data[0] == 7 && data[size - 1] == 7; };
    for (const char* name : gpus) {
        const Run run(name);
        const Stream other = run.stream(), theirs = run.stream();
        const fakes::Memory memory(run.vendor(), MemoryKind::managed, size, run.device.id);  // the host can look
        data = memory.data();
        const auto adopt = [&] {
            finished = false;
            run.vendor().fill(run.device.id, memory.data(), 1, size, {});
            run.vendor().synchronize_all(run.device.id);
            return Allocation::adopt(memory.data(), size, run.device, MemoryKind::managed, nullptr, release);
        };
        const auto fill = [&] { fill_bytes(memory.data() + 1, {run.device, MemoryKind::managed}, 7, size - 1); };
        const auto first = [&](Stream stream) { run.vendor().fill(run.device.id, memory.data(), 7, 1, stream); };
        {  // by the address, on a stream of another thread
            const AllocationPtr adopted = adopt();
            on_a_thread([&] {
                Runtime::use_stream(other);
                first(other);
                fill();
            });
        }
        CHECK(finished);
        {  // imported twice: either is finished when its share goes
            AllocationPtr twice = adopt();
            const AllocationPtr adopted = adopt();
            on_a_thread([&] {
                Runtime::use_stream(other);
                first(other);
                fill();
            });
            twice = {};
            CHECK(finished);
            finished = false;
        }
        CHECK(finished);
        {  // on a thread's own default stream
            const AllocationPtr adopted = adopt();
            on_a_thread([&] {
                Runtime::use_stream(per_thread());
                first(per_thread());
                fill();
            });
        }
        CHECK(finished);
        {  // as kernels say it; and the thread that drops the share works elsewhere
            AllocationPtr adopted = adopt();
            run.vendor().fill(run.device.id, memory.data(), 7, size, other);
            adopted->used_on(other);
            Runtime::use_stream(theirs);
            adopted = {};
            Runtime::use_stream({});
        }
        CHECK(finished);
        {  // on a stream that is not known, and gone
            const AllocationPtr adopted = adopt();
            const Stream gone = run.stream();
            run.vendor().fill(run.device.id, memory.data(), 7, size, gone);
            fakes::destroy_stream(run.device.backend, run.device.id, gone);
            adopted->used_elsewhere();
        }
        CHECK(finished);
        {  // on several, of which one cannot be asked
            const AllocationPtr adopted = adopt();
            run.vendor().fill(run.device.id, memory.data(), 7, size, other);
            adopted->used_on(theirs);
            adopted->used_on(other);
            fakes::destroy_stream(run.device.backend, run.device.id, theirs);
        }
        CHECK(finished);
        {  // nobody waits where nothing was done
            AllocationPtr adopted = adopt();
            const Calls calls(run.device.backend == BackendKind::cuda ? "cuStreamSynchronize" : "hipStreamSynchronize");
            adopted = {};
            CHECK(calls.count() == 0);
        }
    }
}

TEST_CASE("order: the per-thread default stream is another one on each thread") {
    for (const char* name : gpus) {
        const Run run(name);
        CHECK(run.vendor().is_per_thread(per_thread()));
        CHECK_FALSE(run.vendor().is_per_thread({}));
        CHECK_FALSE(run.vendor().is_per_thread(run.stream()));
        const StreamId mine(run.device, per_thread()), again(run.device, per_thread());
        CHECK(mine == again);
        CHECK(mine.is_here());
        on_a_thread([&] {
            const StreamId theirs(run.device, per_thread());
            CHECK(theirs != mine);
            CHECK(theirs.key() != mine.key());
            CHECK_FALSE(mine.is_here());
            CHECK(StreamId(run.device, run.stream()).is_here());
        });
        // Every change to such a stream orders all of them by the legacy stream: so both threads begin with it.
        Arena& arena = The_Arena();
        const void* space = nullptr;
        Runtime::use_stream(per_thread());
        on_a_thread([&] {  // freed where it was used: our stream waits for its event
            Runtime::use_stream(per_thread());
            const AllocationPtr memory = arena.allocate(size);
            space = memory->data();
            fill_bytes(memory->data(), memory->space(), 7, size);
        });
        {
            const AllocationPtr memory = arena.allocate(size);
            CHECK(memory->data() == space);
            CHECK(stays(run, *memory));
        }
        // Freed by us, who cannot ask that stream: whoever gets the block comes after its work all the same.
        for (const bool has_home : {true, false}) {
            INFO(name << " " << has_home);
            arena.trim();
            AllocationPtr memory;
            if (!has_home) memory = arena.allocate(size);
            on_a_thread([&] {
                Runtime::use_stream(per_thread());
                if (has_home) memory = arena.allocate(size);
                space = memory->data();
                fill_bytes(memory->data(), memory->space(), 7, size);
            });
            memory = {};
            const Setting full("ZEROFAB_FAKE_MEMORY", "1");  // so that it is given out at once
            memory = arena.allocate(size);
            CHECK(memory->data() == space);
            CHECK(stays(run, *memory));
        }
    }
}

TEST_CASE("order: a new stream with the handle of an old one is not the old one") {
    for (const char* name : gpus) {
        const Run run(name);
        const Stream old = run.stream();
        AllocationPtr memory = The_Arena().allocate(size);
        const void* const space = memory->data();
        memory->used_on(old);
        run.vendor().fill(run.device.id, memory->data(), 7, size, old);
        memory = {};
        fakes::destroy_stream(run.device.backend, run.device.id, old);
        Stream fresh = run.stream();
        for (int n = 0; n < 64 && fresh.handle != old.handle; ++n) fresh = run.stream();
        if (fresh.handle != old.handle) MESSAGE("no handle came again");  // as under AddressSanitizer
        Runtime::use_stream(fresh);
        memory = The_Arena().allocate(size);
        CHECK(memory->data() == space);
        CHECK(stays(run, *memory));
        Runtime::use_stream({});
    }
}

TEST_CASE("order: the first operations of new fields wait for nothing, and their tables come before them") {
    for (const char* name : gpus) {
        const Run run(name);
        const Box<3> domain({0, 0, 0}, {15, 15, 15});
        BoxArray<3> boxes(domain);
        boxes.max_size(IntVect<3>(8));
        const DistributionMapping owners(boxes);
        for (int round = 0; round < 2; ++round) {  // the pinned memory of the first is used again
            const MultiFab<3> x(boxes, owners, 2, IntVect<3>(1)), y(boxes, owners, 2, IntVect<3>(1));
            {
                const Calls streams(wait_for_stream(run)), devices(wait_for_device(run));
                set_val(x, 2.0, Selection<3>{0, 2, IntVect<3>(0)});
                set_val(y, 3.0, Selection<3>{0, 2, IntVect<3>(1)});
                saxpy(x, Selection<3>{0, 2, IntVect<3>(0)}, 0.5, {y, 0});
                fill_boundary(x.lease(), 0, 2, IntVect<3>(1), Periodicity<3>(IntVect<3>(16)), false);
                CHECK(streams.count() + devices.count() == 0);
            }
            CHECK(sum(x, Selection<3>{1, 1, IntVect<3>(1)}, false) == 3.5 * 8 * 1000);
        }
    }
}
