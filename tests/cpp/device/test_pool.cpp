// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arenas, vectors and views of a device's memory, on the fake drivers of the tests: the host must not read it, and work
// is late.
#include <numeric>
#include <random>

#include "device/fakes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/exchange/tensor_view.hpp"
#include "zerofab/memory/pod_vector.hpp"

using namespace zerofab;

namespace {

/// A run on a fake GPU.
struct Run {
    explicit Run(const char* device) { Runtime::initialize(device); }
    ~Run() { Runtime::finalize(); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
};

constexpr const char* gpus[] = {"cuda", "hip", "cuda:1"};

std::vector<double> fetched(const PODVector<double>& vector) {
    std::vector<double> values(vector.size());
    copy_bytes(values.data(), {}, vector.data(), vector.space(), values.size() * sizeof(double));
    return values;
}

TensorView view_of(const PODVector<double>& vector) {
    TensorView view;
    view.own(vector.share());
    view.data = const_cast<double*>(vector.data());
    view.dtype = &dtype_of<double>;
    view.axes = 1;
    view.what = "vector";
    view.shape[0] = static_cast<std::int64_t>(vector.size());
    view.strides[0] = 1;
    return view;
}

}  // namespace

TEST_CASE("arenas follow the run, their memory keeps its device") {
    AllocationPtr old;
    for (const char* device : gpus) {
        const Run run(device);
        const Device here = Runtime::run_device();
        CHECK(The_Arena().space() == MemorySpace{here, MemoryKind::device});
        CHECK(The_Pinned_Arena().space() == MemorySpace{here, MemoryKind::pinned});
        CHECK(The_Managed_Arena().space() == MemorySpace{here, MemoryKind::managed});
        CHECK(The_Cpu_Arena().space() == MemorySpace{});
        CHECK(&arena_at(The_Arena().space()) == &The_Device_Arena());
        CHECK_FALSE(The_Arena().is_host_accessible());
        use_managed_memory(true);
        CHECK(&The_Arena() == &The_Managed_Arena());
        use_managed_memory(false);
        old = The_Arena().allocate(64);
        CHECK(old->device() == here);
    }
    CHECK(old->device() == Device{BackendKind::cuda, 1});
    CHECK(The_Arena().space() == MemorySpace{});
}

TEST_CASE("freed memory is given out again, in the order of the streams") {
    for (const char* device : gpus) {
        const Run run(device);
        Arena& arena = The_Arena();
        arena.trim();
        void* first = nullptr;
        {
            const AllocationPtr memory = arena.allocate(1000);
            first = memory->data();
            CHECK(arena.statistics().kept_bytes == 0);
        }
        CHECK(arena.statistics().kept_bytes >= 1000);
        const Device here = Runtime::run_device();
        const Stream other = fakes::make_stream(here.backend, here.id, false);
        {
            // Work on the one stream is under way while the memory goes to the other.
            const AllocationPtr again = arena.allocate(1001);
            CHECK(again->data() == first);
            fill_bytes(again->data(), again->space(), 1, 1001);
            again->used_on(other);
        }
        Runtime::use_stream(other);
        const AllocationPtr third = arena.allocate(990);
        CHECK(third->data() == first);
        fill_bytes(third->data(), third->space(), 2, 990);
        std::vector<unsigned char> seen(990);
        copy_bytes(seen.data(), {}, third->data(), third->space(), 990);
        CHECK(std::count(seen.begin(), seen.end(), 2) == 990);
        Runtime::use_stream({});
    }
}

TEST_CASE("memory that a stream of somebody else used is given out after its work, though the stream is gone") {
    for (const char* device : gpus) {
        const Run run(device);
        Arena& arena = The_Arena();
        arena.trim();
        const Device here = Runtime::run_device();
        Backend& vendor = backend(here.backend);
        const std::size_t size = 1000;
        const AllocationPtr result = The_Cpu_Arena().allocate(size);
        void* first = nullptr;
        {
            const AllocationPtr memory = arena.allocate(size);
            first = memory->data();
            const Stream theirs = fakes::make_stream(here.backend, here.id, false);
            memory->used_elsewhere();
            vendor.fill(here.id, first, 7, size, theirs);
            fakes::destroy_stream(here.backend, here.id, theirs);
        }
        {
            // While a graph is captured nobody may wait for the device: memory comes from elsewhere.
            const Stream captured = fakes::make_stream(here.backend, here.id, false);
            Runtime::use_stream(captured);
            fakes::capture(here.backend, here.id, captured, true);
            const AllocationPtr other = arena.allocate(size);
            CHECK(other->data() != first);
            fakes::capture(here.backend, here.id, captured, false);
            Runtime::use_stream({});
        }
        // Work that was late would come after this fill.
        const fakes::Setting full("ZEROFAB_FAKE_MEMORY", "1");  // so that it is given out at once
        const AllocationPtr clean = arena.allocate(size), again = arena.allocate(size);
        CHECK((clean->data() == first || again->data() == first));
        fill_bytes(first, again->space(), 2, size);
        copy_bytes(result->data(), {}, first, again->space(), size);
        vendor.synchronize_all(here.id);
        std::vector<unsigned char> seen(size);
        copy_bytes(seen.data(), {}, first, again->space(), size);
        CHECK(std::count(seen.begin(), seen.end(), 2) == static_cast<std::ptrdiff_t>(size));
    }
}

TEST_CASE("out of memory: what is kept goes back to the device first, then it is an error") {
    for (const char* device : gpus) {
        const Run run(device);
        Arena& arena = The_Arena();
        {
            const AllocationPtr kept = arena.allocate(1 << 20);
        }
        CHECK(arena.statistics().kept_bytes >= 1 << 20);
        CHECK_THROWS_AS(static_cast<void>(arena.allocate(std::size_t{1} << 60U)), MemoryError);
        CHECK(arena.statistics().kept_bytes == 0);
        CHECK_NOTHROW(static_cast<void>(arena.allocate(64)));
    }
}

TEST_CASE("vectors in memory of a device are as those of the host") {
    std::mt19937 random(7);
    for (const char* device : gpus) {
        const Run run(device);
        for (Arena* arena : {&The_Arena(), &The_Managed_Arena(), &The_Pinned_Arena(), &The_Cpu_Arena()}) {
            PODVector<double> ours(1, *arena);
            std::vector<double> theirs(1);
            std::vector<std::pair<TensorView, std::vector<double>>> views;
            for (int step = 0; step < 200; ++step) {
                const double value = static_cast<double>(random() % 100);
                switch (random() % 8) {
                    case 0:
                        ours.push_back(value);
                        theirs.push_back(value);
                        break;
                    case 1:
                        if (!theirs.empty()) {
                            ours.pop_back();
                            theirs.pop_back();
                        }
                        break;
                    case 2: {
                        const std::size_t size = random() % 700;
                        ours.resize(size, value);
                        theirs.resize(size, value);
                        break;
                    }
                    case 3:
                        ours.shrink_to_fit();
                        break;
                    case 4: {
                        const std::size_t first = random() % (theirs.size() + 1);
                        const std::size_t last = first + random() % (theirs.size() + 1 - first);
                        const std::vector<double> fresh(random() % 20, value);
                        if (fresh.size() == last - first) views.clear();  // written in place: views see it
                        ours.splice(first, last, fresh.data(), fresh.size(), MemorySpace{});
                        const auto at = theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(first),
                                                     theirs.begin() + static_cast<std::ptrdiff_t>(last));
                        theirs.insert(at, fresh.begin(), fresh.end());
                        break;
                    }
                    case 5: {
                        const PODVector<double> copy(ours);
                        ours = PODVector<double>(copy);
                        break;
                    }
                    case 6:
                        ours.set_arena(random() % 2 == 0 ? *arena : The_Managed_Arena());
                        break;
                    default:
                        if (!theirs.empty()) views.emplace_back(view_of(ours), theirs);
                        break;
                }
                REQUIRE(fetched(ours) == theirs);
            }
            for (const auto& [view, values] : views) {
                const TensorView host = copied(view);
                const auto* data = static_cast<const double*>(host.data);
                CHECK(std::vector<double>(data, data + host.size()) == values);
            }
        }
    }
}

TEST_CASE("copies of strided views between kinds of memory") {
    std::mt19937 random(9);
    for (const char* device : gpus) {
        const Run run(device);
        Arena* const arenas[] = {&The_Arena(), &The_Managed_Arena(), &The_Pinned_Arena(), &The_Cpu_Arena()};
        for (Arena* from : arenas) {
            for (Arena* to : arenas) {
                PODVector<double> source(240, *from), target(240, *to);
                std::vector<double> numbers(240);
                std::iota(numbers.begin(), numbers.end(), 1.0);
                source.assign(numbers.data(), numbers.size(), MemorySpace{});
                target.assign(std::vector<double>(240, -1.0).data(), 240, MemorySpace{});
                TensorView read = view_of(source), written = view_of(target);
                for (TensorView* view : {&read, &written}) {
                    view->axes = 3;
                    view->shape = {2, 3, 4};
                    view->strides = {random() % 2 == 0 ? 120 : 100, random() % 2 == 0 ? 20 : 30, 3};
                }
                copy_elements(written, read);
                const std::vector<double> got = fetched(target);
                std::vector<double> want(240, -1.0);
                for (std::int64_t a = 0; a < 2; ++a)
                    for (std::int64_t b = 0; b < 3; ++b)
                        for (std::int64_t c = 0; c < 4; ++c) {
                            const auto at = [&](const TensorView& v) {
                                return static_cast<std::size_t>(a * v.strides[0] + b * v.strides[1] + c * v.strides[2]);
                            };
                            want[at(written)] = numbers[at(read)];
                        }
                CHECK(got == want);
                const TensorView isolated = copied_in_place(read);
                CHECK(isolated.space() == (from == &The_Cpu_Arena() ? MemorySpace{} : source.space()));
            }
        }
    }
}

TEST_CASE("what the host cannot reach is an error with advice") {
    const Run run("cuda");
    CHECK_THROWS_WITH_AS(ready_for_host(The_Arena().space(), "a vector"), doctest::Contains("to_xp()"), BufferError);
    CHECK_NOTHROW(ready_for_host(The_Pinned_Arena().space(), "a vector"));
    CHECK_THROWS_AS(
        copy_bytes(nullptr, {Device{BackendKind::cuda, 1}, MemoryKind::device}, nullptr, The_Arena().space(), 8),
        BufferError);
}

TEST_CASE("where DLPack says that memory is") {
    const auto dlpack_of = [](Arena& arena) {
        PODVector<double> vector(3, arena);
        return dlpack_device(view_of(vector));
    };
    {
        const Run run("cuda:1");
        CHECK(dlpack_of(The_Arena()) == DLPackDevice{2, 1});
        CHECK(dlpack_of(The_Pinned_Arena()) == DLPackDevice{3, 0});
        CHECK(dlpack_of(The_Managed_Arena()) == DLPackDevice{13, 0});
        CHECK(dlpack_of(The_Cpu_Arena()) == DLPackDevice{1, 0});
    }
    const Run run("hip:1");
    CHECK(dlpack_of(The_Arena()) == DLPackDevice{10, 1});
    CHECK(dlpack_of(The_Pinned_Arena()) == DLPackDevice{11, 0});
    CHECK(dlpack_of(The_Cpu_Arena()) == DLPackDevice{1, 0});
}
