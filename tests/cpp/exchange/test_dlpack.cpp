// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// DLPack out and in: round trips, hostile tensors, deleters on threads, the ledger.
#include <dlpack/dlpack.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/exchange/ledger.hpp"
#include "zerofab/memory/arena.hpp"

using namespace zerofab;

namespace {

/// A view of new memory, compact in C order; elements count up.
TensorView numbers(const std::vector<std::int64_t>& shape, const DType& dtype = dtype_of<double>) {
    TensorView view;
    view.dtype = &dtype;
    view.axes = static_cast<std::int32_t>(shape.size());
    view.what = "test tensor";
    std::int64_t step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        view.shape[axis] = shape[axis];
        view.strides[axis] = step;
        step *= std::max<std::int64_t>(shape[axis], 1);
    }
    if (view.size() > 0) {
        view.own(The_Cpu_Arena().allocate(static_cast<std::size_t>(view.size()) * dtype.size));
        view.data = view.owner->data();
        if (&dtype == &dtype_of<double>) {
            for (std::int64_t n = 0; n < view.size(); ++n) {
                static_cast<double*>(view.data)[n] = static_cast<double>(n);
            }
        }
    }
    return view;
}

/// A producer written by somebody else.
template <class Managed>
struct Foreign {
    std::vector<double> memory = std::vector<double>(64, 1.0);
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    Managed tensor{};
    int deleted = 0;

    explicit Foreign(std::vector<std::int64_t> shape_, std::vector<std::int64_t> strides_ = {})
        : shape(std::move(shape_)), strides(std::move(strides_)) {
        DLTensor& t = tensor.dl_tensor;
        t.data = memory.data();
        t.device = {kDLCPU, 0};
        t.ndim = static_cast<std::int32_t>(shape.size());
        t.dtype = {kDLFloat, 64, 1};
        t.shape = shape.data();
        t.strides = strides.empty() ? nullptr : strides.data();
        tensor.manager_ctx = this;
        tensor.deleter = [](Managed* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
        if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
            tensor.version = {1, 0};
        }
    }
};
using Legacy = Foreign<DLManagedTensor>;
using Versioned = Foreign<DLManagedTensorVersioned>;

/// The import is refused with BufferError, and the tensor is given back once.
void must_refuse(Legacy& foreign) {
    CHECK_THROWS_AS((void)import_legacy(&foreign.tensor), BufferError);
    CHECK(foreign.deleted == 1);
}

}  // namespace

TEST_CASE("what goes out comes back the same, at the same place") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::int64_t> shape(random() % (max_axes + 1));
        for (auto& extent : shape) {
            extent = static_cast<std::int64_t>(random() % 4);
        }
        TensorView view = numbers(shape);
        const bool versioned = random() % 2 == 0;
        view.read_only = versioned && random() % 2 == 0;
        const TensorView kept = view;
        TensorView back =
            versioned ? import_versioned(export_versioned(view, false)) : import_legacy(export_legacy(view, false));
        CHECK(live_export_count() == 1);
        REQUIRE(back.axes == kept.axes);
        CHECK(back.data == kept.data);
        CHECK(back.dtype->code == kept.dtype->code);
        CHECK(back.dtype->bits == kept.dtype->bits);
        CHECK(back.read_only == kept.read_only);
        CHECK(std::equal(shape.begin(), shape.end(), back.shape.begin()));
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            CHECK(back.strides[axis] == kept.strides[axis]);
        }
        back.owner.reset();
        CHECK(live_export_count() == 0);
    }
}

TEST_CASE("an exported tensor says everything") {
    TensorView view = numbers({2, 3});
    SUBCASE("legacy") {
        DLManagedTensor* tensor = export_legacy(view, false);
        CHECK(tensor->dl_tensor.strides != nullptr);
        CHECK(tensor->dl_tensor.byte_offset == 0);
        CHECK(reinterpret_cast<std::uintptr_t>(tensor->dl_tensor.data) % 64 == 0);
        tensor->deleter(tensor);
    }
    SUBCASE("versioned") {
        view.read_only = true;
        DLManagedTensorVersioned* tensor = export_versioned(view, true, 1);
        CHECK(tensor->version.major == 1);
        CHECK(tensor->version.minor == 1);
        CHECK(tensor->flags == (DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED));
        CHECK(live_exports().back().copied);
        tensor->deleter(tensor);
    }
    SUBCASE("without elements") {
        TensorView empty = numbers({3, 0, 2});
        DLManagedTensor* tensor = export_legacy(empty, false);
        CHECK(tensor->dl_tensor.data == nullptr);
        CHECK(tensor->dl_tensor.strides != nullptr);
        CHECK(tensor->dl_tensor.shape[1] == 0);
        tensor->deleter(tensor);
    }
    CHECK(live_export_count() == 0);
}

TEST_CASE("all element types keep their code; long double is refused by name") {
    const auto code_of = [](const DType& dtype) {
        TensorView view = numbers({4}, dtype);
        DLManagedTensor* tensor = export_legacy(view, false);
        const DLDataType found = tensor->dl_tensor.dtype;
        tensor->deleter(tensor);
        CHECK(find_dtype(found.code, found.bits) != nullptr);
        return std::pair<int, int>(found.code, found.bits);
    };
    CHECK(code_of(dtype_of<float>) == std::pair<int, int>(kDLFloat, 32));
    CHECK(code_of(dtype_of<std::complex<double>>) == std::pair<int, int>(kDLComplex, 128));
    CHECK(code_of(dtype_of<short>) == std::pair<int, int>(kDLInt, 16));
    CHECK(code_of(dtype_of<unsigned long>) == std::pair<int, int>(kDLUInt, 64));
    TensorView wide = numbers({4}, dtype_of<long double>);
    std::string text;
    try {
        (void)export_versioned(wide, false);
    } catch (const BufferError& error) {
        text = error.what();
    }
    CHECK(text.find("long double") != std::string::npos);
    CHECK(wide.owner);  // the share stays with the caller
    TensorView constant = numbers({4});
    constant.read_only = true;
    CHECK_THROWS_AS((void)export_legacy(constant, false), BufferError);
    CHECK(live_export_count() == 0);
}

TEST_CASE("memory outlives the container, until the deleter") {
    const std::size_t before = The_Cpu_Arena().statistics().blocks;
    TensorView view = numbers({5});
    DLManagedTensor* tensor = export_legacy(view, false);
    CHECK_FALSE(view.owner);  // moved into the tensor
    CHECK(The_Cpu_Arena().statistics().blocks == before + 1);
    CHECK(static_cast<double*>(tensor->dl_tensor.data)[4] == 4.0);
    std::thread([tensor] { tensor->deleter(tensor); }).join();
    CHECK(The_Cpu_Arena().statistics().blocks == before);
}

TEST_CASE("hostile tensors are refused and given back") {
    SUBCASE("negative extent") {
        Legacy foreign({4, -1});
        must_refuse(foreign);
    }
    SUBCASE("product of extents overflows") {
        Legacy foreign({INT64_MAX, 3});
        must_refuse(foreign);
    }
    SUBCASE("product of extents wraps to something small") {
        Legacy foreign({std::int64_t{1} << 32, std::int64_t{1} << 32});
        must_refuse(foreign);
    }
    SUBCASE("strides reach beyond any memory") {
        Legacy foreign({3, 3}, {INT64_MAX, 1});
        must_refuse(foreign);
    }
    SUBCASE("negative strides reach beyond any memory") {
        Legacy foreign({3, 3}, {INT64_MIN, 1});
        must_refuse(foreign);
    }
    SUBCASE("no data") {
        Legacy foreign({3});
        foreign.tensor.dl_tensor.data = nullptr;
        must_refuse(foreign);
    }
    SUBCASE("no shape") {
        Legacy foreign({3});
        foreign.tensor.dl_tensor.shape = nullptr;
        must_refuse(foreign);
    }
    SUBCASE("nine axes") {
        Legacy foreign({1, 1, 1, 1, 1, 1, 1, 1, 1});
        must_refuse(foreign);
    }
    SUBCASE("a negative number of axes") {
        Legacy foreign({1});
        foreign.tensor.dl_tensor.ndim = -1;
        must_refuse(foreign);
    }
    SUBCASE("lanes") {
        Legacy foreign({4});
        foreign.tensor.dl_tensor.dtype.lanes = 2;
        must_refuse(foreign);
    }
    SUBCASE("an element type that nobody knows") {
        Legacy foreign({4});
        foreign.tensor.dl_tensor.dtype = {99, 7, 1};
        must_refuse(foreign);
    }
    SUBCASE("another device") {
        Legacy foreign({4});
        foreign.tensor.dl_tensor.device = {kDLCUDA, 0};
        must_refuse(foreign);
    }
    SUBCASE("data between elements") {
        Legacy foreign({4});
        foreign.tensor.dl_tensor.byte_offset = 3;
        must_refuse(foreign);
    }
    SUBCASE("another major version: nothing but the deleter is touched") {
        Versioned foreign({4});
        foreign.tensor.version = {2, 0};
        foreign.tensor.dl_tensor.ndim = -99;
        CHECK_THROWS_AS((void)import_versioned(&foreign.tensor), BufferError);
        CHECK(foreign.deleted == 1);
    }
    CHECK(live_export_count() == 0);
}

TEST_CASE("odd but right tensors are taken in") {
    SUBCASE("no strides: C order") {
        Legacy foreign({2, 3, 4});
        const TensorView view = import_legacy(&foreign.tensor);
        CHECK(view.strides[0] == 12);
        CHECK(view.strides[1] == 4);
        CHECK(view.strides[2] == 1);
    }
    SUBCASE("an offset") {
        Legacy foreign({4});
        foreign.tensor.dl_tensor.byte_offset = 16;
        CHECK(import_legacy(&foreign.tensor).data == foreign.memory.data() + 2);
    }
    SUBCASE("negative strides") {
        Legacy foreign({4}, {-1});
        foreign.tensor.dl_tensor.data = foreign.memory.data() + 3;
        const TensorView view = import_legacy(&foreign.tensor);
        CHECK(view.owner->data() == foreign.memory.data());
        CHECK(view.owner->bytes() == 4 * sizeof(double));
    }
    SUBCASE("without elements and data") {
        Legacy foreign({0, 1 << 30});
        foreign.tensor.dl_tensor.data = nullptr;
        CHECK(import_legacy(&foreign.tensor).size() == 0);
        Legacy overflowing({0, INT64_MAX});  // as in NumPy: its strides in bytes would be no numbers
        CHECK_THROWS_AS((void)import_legacy(&overflowing.tensor), BufferError);
    }
    SUBCASE("no deleter") {
        Legacy foreign({4});
        foreign.tensor.deleter = nullptr;
        CHECK(import_legacy(&foreign.tensor).size() == 4);
        CHECK(foreign.deleted == 0);
    }
    SUBCASE("read-only") {
        Versioned foreign({4});
        foreign.tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
        const TensorView view = import_versioned(&foreign.tensor);
        CHECK(view.read_only);
        CHECK(foreign.deleted == 0);
    }
    SUBCASE("a newer minor version") {
        Versioned foreign({4});
        foreign.tensor.version = {1, 99};
        CHECK(import_versioned(&foreign.tensor).size() == 4);
        CHECK(foreign.deleted == 1);
    }
}

TEST_CASE("the ledger names what is alive, oldest first, also from threads") {
    TensorView first = numbers({2, 3});
    TensorView second = numbers({4}, dtype_of<int>);
    DLManagedTensor* a = export_legacy(first, false);
    DLManagedTensorVersioned* b = export_versioned(second, true);
    note_export_origin(b, "script.py:7");
    const std::vector<LiveExport> live = live_exports();
    REQUIRE(live.size() == 2);
    CHECK(live[0].what == "test tensor");
    CHECK(live[0].tensor == "double (2, 3)");
    CHECK(live[1].tensor == "int (4,)");
    CHECK(live[1].where == "script.py:7");
    CHECK(live[0].serial < live[1].serial);
    a->deleter(a);
    CHECK(live_exports().at(0).copied);
    b->deleter(b);

    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n) {
        threads.emplace_back([] {
            const TensorView shared_view = numbers({8});
            std::vector<DLManagedTensor*> held;
            for (int k = 0; k < 5000; ++k) {
                TensorView view = shared_view;
                held.push_back(export_legacy(view, false));
                if (held.size() > 10) {
                    held.front()->deleter(held.front());
                    held.erase(held.begin());
                }
            }
            for (DLManagedTensor* tensor : held) {
                tensor->deleter(tensor);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(live_export_count() == 0);
    CHECK(live_exports().empty());
}
