// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What AddressSanitizer is told of memory that nobody may touch for now; nothing in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define ZEROFAB_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ZEROFAB_HAS_ASAN 1
#endif
#endif

#ifdef ZEROFAB_HAS_ASAN
extern "C" void __asan_poison_memory_region(const volatile void* data, std::size_t bytes);
extern "C" void __asan_unpoison_memory_region(const volatile void* data, std::size_t bytes);
#endif

namespace zerofab::detail {

#ifdef ZEROFAB_HAS_ASAN
inline constexpr bool has_asan = true;
inline void poison(void* data, std::size_t bytes) noexcept { __asan_poison_memory_region(data, bytes); }
inline void unpoison(void* data, std::size_t bytes) noexcept { __asan_unpoison_memory_region(data, bytes); }
#else
inline constexpr bool has_asan = false;
inline void poison(void*, std::size_t) noexcept {}
inline void unpoison(void*, std::size_t) noexcept {}
#endif

}  // namespace zerofab::detail
