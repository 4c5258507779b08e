// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The Python classes PODVector_*: one class per element type and kind of memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "memory/any_vector.hpp"

namespace zerofab::python {

/// Base of all of them.
class PyPODVector : public AnyVector {};

/// Where the elements are.
enum class VectorMemory : std::uint8_t { std, arena, pinned, managed, polymorphic };

inline Arena& arena_of(VectorMemory memory) {
    switch (memory) {
        case VectorMemory::std:
            return The_Cpu_Arena();
        case VectorMemory::pinned:
            return The_Pinned_Arena();
        case VectorMemory::managed:
            return The_Managed_Arena();
        default:
            return The_Arena();
    }
}

/// "PODVector_real_std", ...
template <class T, VectorMemory P>
constexpr const char* pod_vector_name() noexcept {
    constexpr int row = std::is_same_v<T, double> ? 0 : std::is_same_v<T, int> ? 1 : 2;
    constexpr const char* names[3][5] = {{"PODVector_real_std", "PODVector_real_arena", "PODVector_real_pinned",
                                          "PODVector_real_managed", "PODVector_real_polymorphic"},
                                         {"PODVector_int_std", "PODVector_int_arena", "PODVector_int_pinned",
                                          "PODVector_int_managed", "PODVector_int_polymorphic"},
                                         {"PODVector_uint64_std", "PODVector_uint64_arena", "PODVector_uint64_pinned",
                                          "PODVector_uint64_managed", "PODVector_uint64_polymorphic"}};
    return names[row][static_cast<int>(P)];
}

/// All with elements of one type.
template <class T>
using PyPODVectorOf = AnyVectorOf<T, PyPODVector>;

/// One class.  A container shows its own vector in place, and lives as long as the object, with
///
///     nb::cast(PODVectorClass<double, VectorMemory::polymorphic>(std::shared_ptr<PODVector<double>>(tile, &tile->x)));
template <class T, VectorMemory P>
class PODVectorClass final : public PyPODVectorOf<T> {
public:
    using PyPODVectorOf<T>::PyPODVectorOf;
    explicit PODVectorClass(Arena& arena = arena_of(P)) : PyPODVectorOf<T>(arena) {}

    const char* what() const noexcept final { return pod_vector_name<T, P>(); }
};

}  // namespace zerofab::python
