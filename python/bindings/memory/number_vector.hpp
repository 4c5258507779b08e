// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The Python classes Vector_Real, Vector_int, Vector_Long: lists of numbers.
#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include "memory/any_vector.hpp"

namespace zerofab::python {

/// Numbers that were converted and checked, not yet in a vector.
struct NewNumbers {
    std::vector<unsigned char> bytes;  ///< converted numbers, or else
    TensorView view;                   ///< memory of a producer, side by side
    bool in_view = false;
    std::size_t count = 0;

    [[nodiscard]] const void* data() const { return in_view ? view.data : bytes.data(); }
};

/// A vector of numbers in plain memory of the host, which has data.
class NumberVector : public AnyVector {
public:
    [[nodiscard]] nb::object get(std::size_t index) const;
    /// From any iterable or array; runs code of the caller, as nothing else here does.
    [[nodiscard]] std::unique_ptr<NewNumbers> parse(nb::handle iterable) const;
    /// Replace [first, last) by `count` of the items from number `from` on; null items: by nothing.
    void splice(std::size_t first, std::size_t last, const NewNumbers* items, std::size_t from, std::size_t count);
    [[nodiscard]] bool equals(const NumberVector& other) const;
    using AnyVector::splice;
};

/// `Vector_Real`, `Vector_int`, `Vector_Long`; C++ functions take `vector()`.
template <class T>
class NumberVectorOf final : public AnyVectorOf<T, NumberVector> {
public:
    NumberVectorOf() : AnyVectorOf<T, NumberVector>(The_Cpu_Arena()) {}

    const char* what() const noexcept final {
        return std::same_as<T, double> ? "Vector_Real" : std::same_as<T, int> ? "Vector_int" : "Vector_Long";
    }
};

}  // namespace zerofab::python
