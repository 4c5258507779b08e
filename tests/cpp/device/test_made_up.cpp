// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A backend of the tests' own (tests/made_up_backend), added through the seam: all that stands above it works on it.
#include <cstring>

#include "device/backends.hpp"
#include "tests/made_up_backend/made_up.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/halo/halo.hpp"
#include "zerofab/mesh/arithmetic.hpp"
#include "zerofab/mesh/reductions.hpp"

namespace zerofab {
namespace {

Backend& made_up_backend() {
    static auto& made = *[] {
        auto* const fresh = new made_up::MadeUpBackend;
        add_backend(*fresh);
        return fresh;
    }();
    return made;
}

/// A run on it while this lives.
struct Run {
    explicit Run(const char* name = "made_up") {
        made_up_backend();
        Runtime::initialize(name);
    }
    ~Run() { Runtime::finalize(); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
};

TensorView view_at(const AllocationPtr& memory, const DType* dtype) {
    TensorView view;
    view.own(memory);
    view.data = memory->data();
    view.dtype = dtype;
    view.axes = 1;
    view.shape[0] = 8;
    view.strides[0] = 1;
    view.what = "memory";
    return view;
}

}  // namespace

TEST_CASE("made-up backend: it is known by its kind and its names, once") {
    Backend& made = made_up_backend();
    CHECK(&backend(added_kind(0)) == &made);
    for (const char* name : {"made_up", "abacus"}) CHECK(find_backend(name) == &made);
    CHECK(backends().back() == &made);
    CHECK_THROWS_WITH_AS(add_backend(made), doctest::Contains("already"), ValueError);
    CHECK_THROWS_WITH_AS(add_backend(backend(BackendKind::cuda)), doctest::Contains("added_kind"), ValueError);
    for (const BackendKind unknown : {added_kind(1), added_kind(7), added_kind(200)}) {
        CHECK_THROWS_AS(static_cast<void>(backend(unknown)), ValueError);
    }
    CHECK(find_backend("") == nullptr);
    CHECK_THROWS_WITH_AS(Runtime::initialize("no_such"), doctest::Contains("abacus"), ValueError);
}

TEST_CASE("made-up backend: a run takes it by name") {
    for (const char* name : {"made_up", "abacus:0"}) {
        const Run run(name);
        CHECK(Runtime::device() == "made_up");
        CHECK(The_Arena().space() == MemorySpace{{added_kind(0), 0}, MemoryKind::device});
    }
    CHECK_THROWS_AS(Runtime::initialize("abacus:1"), ValueError);
    CHECK_THROWS_AS(static_cast<void>(made_up_backend().info(1)), DeviceError);
}

TEST_CASE("made-up backend: fields are calculated with and exchanged on it as on the host") {
    const Run run;
    std::mt19937 random(3);
    BoxArray<2> boxes(Box<2>(IntVect<2>(0), IntVect<2>(15)));
    boxes.max_size(5);
    for (int number = 0; number < 4; ++number) {
        const test::Twin<2, double> a(boxes, 2, IntVect<2>(1), test::arena_number(number), random);
        for (const auto& field : {a.host, a.other}) {
            plus(field, 0.5, {.comp = 0, .ncomp = 2, .nghost = IntVect<2>(1)});
            fill_boundary(field.lease(), 0, 2, IntVect<2>(1), Periodicity<2>(IntVect<2>(16)), false);
        }
        CHECK(a.same());
        const Selection<2> second{.comp = 1, .ncomp = 1, .nghost = IntVect<2>(0)};
        CHECK(sum(a.other, second) == sum(a.host, second));
    }
}

TEST_CASE("made-up backend: DLPack names its memory as the backend says, there and back") {
    const Run run;
    const DType* const dtype = find_dtype(2, 64);
    TensorView view = view_at(The_Arena().allocate(64), dtype);
    CHECK(dlpack_device(view) == DLPackDevice{12, 5});
    CHECK(dlpack_device(view_at(The_Pinned_Arena().allocate(64), dtype)) == DLPackDevice{1, 0});
    CHECK(dlpack_device(view_at(The_Cpu_Arena().allocate(64), dtype)) == DLPackDevice{1, 0});
    CHECK(memory_space_of({12, 5}) == The_Arena().space());
    CHECK(memory_space_of({1, 0}) == MemorySpace{});
    CHECK_THROWS_AS(static_cast<void>(memory_space_of({12, 4})), BufferError);
    CHECK_THROWS_AS(static_cast<void>(memory_space_of({2, 0})), BufferError);
    void* const data = view.data;
    const TensorView back = import_versioned(export_versioned(view, false));
    CHECK(back.data == data);
    CHECK(back.space() == The_Arena().space());
    CHECK_THROWS_AS(static_cast<void>(made_up_backend().named_stream(0, 1, false)), ValueError);
}

}  // namespace zerofab
