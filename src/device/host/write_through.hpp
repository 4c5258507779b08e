// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Writing to memory past the caches, where the CPU can: for what is too much to stay in them. Nobody reads a line of
// memory only to overwrite it then, and what is in the caches stays.
#pragma once

#include <cstddef>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace zerofab {

// Compiled for several instruction sets: every copy must go where it is called, and none to the linker.

/// `bytes` bytes, a multiple of 64, from `from` to `to`, which are at such multiples too.
template <std::size_t bytes>
[[gnu::always_inline]] inline void write_through(void* to, const void* from) noexcept {
    static_assert(bytes % 64 == 0);
#if defined(__AVX512F__)
    using Word = __m512i;
    constexpr auto stream = [](Word* out, const Word* in) { _mm512_stream_si512(out, *in); };
#elif defined(__AVX__)
    using Word = __m256i;
    constexpr auto stream = [](Word* out, const Word* in) { _mm256_stream_si256(out, *in); };
#elif defined(__SSE2__)
    using Word = __m128i;
    constexpr auto stream = [](Word* out, const Word* in) { _mm_stream_si128(out, *in); };
#endif
#if defined(__SSE2__)
    for (std::size_t i = 0; i < bytes / sizeof(Word); ++i)
        stream(static_cast<Word*>(to) + i, static_cast<const Word*>(from) + i);
#else
    __builtin_memcpy(to, from, bytes);
#endif
}

/// What write_through() wrote comes before what this thread writes from now on: call it before others are told.
[[gnu::always_inline]] inline void finish_writes() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace zerofab
