// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one element type: compiled four times, with K_F64, K_F32, K_I32 or K_I64.
#include <array>
#include <type_traits>
#include <utility>

#include "kernels_host.hpp"

namespace {
#include "kernels/catalog.h"
#include "kernels/kernels.h"

using zerofab::kernels_host::Kernel;
using zerofab::kernels_host::Position;

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

template <class... A, std::size_t... N>
constexpr bool are_arguments(void (*)(A...), std::string_view letters, std::index_sequence<N...>) {
    return letters.size() == sizeof...(A) && (is_argument<A>(letters[N]) && ...);
}
template <class... A>
constexpr bool are_arguments(void (*kernel)(A...), std::string_view letters) {
    return letters.size() == sizeof...(A) && are_arguments(kernel, letters, std::index_sequence_for<A...>());
}

template <class... A, std::size_t... N>
void call(void (*kernel)(A...), void* const* places, std::index_sequence<N...>) {
    kernel(*static_cast<std::remove_cv_t<A>*>(places[N])...);
}

template <auto kernel>
void run(const Position& p, void* const* places) {
    k_here = {p.lane, p.lanes, p.line, p.lines, p.group_x, p.groups_x, p.group_y, p.groups_y, p.barrier};
    [&]<class... A>(void (*)(A...)) { call<A...>(kernel, places, std::index_sequence_for<A...>()); }(kernel);
}

#define CHECKED(name, letters) static_assert(are_arguments(name, letters), "the catalogue says something else");
#define ENTRY(name, letters) Kernel{#name, letters, &run<name>},
#define NONE(name, letters)

#if defined(K_F64)
constexpr auto type = zerofab::KernelType::f64;
#define FOR_TYPE(X) K_CATALOG(X, X, NONE)
#elif defined(K_F32)
constexpr auto type = zerofab::KernelType::f32;
#define FOR_TYPE(X) K_CATALOG(X, NONE, NONE)
#elif defined(K_I32)
constexpr auto type = zerofab::KernelType::i32;
#define FOR_TYPE(X) K_CATALOG(X, NONE, X)
#else
constexpr auto type = zerofab::KernelType::i64;
#define FOR_TYPE(X) K_CATALOG(X, NONE, NONE)
#endif

FOR_TYPE(CHECKED)
constexpr Kernel table[] = {FOR_TYPE(ENTRY)};

}  // namespace

namespace zerofab::kernels_host {

template <KernelType>
std::span<const Kernel> table_of();
template <>
std::span<const Kernel> table_of<type>() {
    return table;
}

}  // namespace zerofab::kernels_host
