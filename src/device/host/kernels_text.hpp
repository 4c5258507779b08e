// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one element type as a table; the source that includes it says which by K_F64, K_F32, K_I32 or K_I64.
//
// Everything here is in an anonymous namespace and calls no inline function of the standard library: one that the
// compiler does not inline would be emitted with AVX-512 code, and the linker might keep that copy for all.
#pragma once

#include <type_traits>
#include <utility>

#include "device/host/kernels.hpp"
#include "device/host/write_through.hpp"

namespace {
#include "kernels/catalog.h"
#include "kernels/kernels.h"

/// The letter of the catalogue for the type of an argument.
template <class A>
constexpr bool is_argument(char letter) {
    if constexpr (std::is_pointer_v<A>) return letter == 'p';
    if constexpr (std::is_same_v<A, element>) {
        if (letter == 'e') return true;
    }
    if constexpr (std::is_same_v<A, k_i32>) return letter == 'i';
    if constexpr (std::is_same_v<A, k_i64>) return letter == 'l';
    return false;
}

/// A kernel: the types of its arguments, and how it is told which item runs.
template <class Kernel>
struct Signature;
#ifdef K_SERIAL
template <class... A>
struct Signature<void (*)(const k_position&, A...)> {
#else
template <class... A>
struct Signature<void (*)(A...)> {
#endif
    static constexpr std::size_t count = sizeof...(A);

    template <std::size_t... N>
    static consteval bool fits(std::string_view letters, std::index_sequence<N...>) {
        return letters.size() == count && (is_argument<A>(letters[N]) && ...);
    }
    template <auto kernel, std::size_t... N>
    static void call(const zerofab::KernelPosition& p, void* const* values, std::index_sequence<N...>) {
#ifdef K_SERIAL
        const k_position here{p.group_x, p.groups_x, p.group_y, p.groups_y, p.writes_through};
        kernel(here, *static_cast<std::remove_cv_t<A>*>(values[N])...);
#else
        k_here = {p.lane, p.lanes, p.line, p.lines, p.group_x, p.groups_x, p.group_y, p.groups_y, p.barrier};
        kernel(*static_cast<std::remove_cv_t<A>*>(values[N])...);
#endif
    }
};

template <class Kernel>
consteval bool are_arguments(Kernel, std::string_view letters) {
    using S = Signature<Kernel>;
    return letters.size() == S::count && S::fits(letters, std::make_index_sequence<S::count>());
}

template <auto kernel>
struct Runner {
    static void run(const zerofab::KernelPosition& position, void* const* values) {
        using S = Signature<decltype(kernel)>;
        S::template call<kernel>(position, values, std::make_index_sequence<S::count>());
    }
};

#define K_CHECKED(name, letters) static_assert(are_arguments(name, letters), "the catalogue says something else");
#define K_ENTRY(name, letters) zerofab::HostKernel{#name, letters, &Runner<&name>::run},
#define K_NONE(name, letters)

#if defined(K_F64)
#define K_FOR_TYPE(X) K_CATALOG(X, X, K_NONE)
#elif defined(K_F32)
#define K_FOR_TYPE(X) K_CATALOG(X, K_NONE, K_NONE)
#elif defined(K_I32)
#define K_FOR_TYPE(X) K_CATALOG(X, K_NONE, X)
#else
#define K_FOR_TYPE(X) K_CATALOG(X, K_NONE, K_NONE)
#endif

K_FOR_TYPE(K_CHECKED)
constexpr zerofab::HostKernel table[] = {K_FOR_TYPE(K_ENTRY)};

}  // namespace
