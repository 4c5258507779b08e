// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one text of the host loops; loops_<isa>.cpp compiles it with that instruction set's flags.
//
// Everything here is in an anonymous namespace and calls no inline function of the standard library: one that the
// compiler does not inline would be emitted with AVX-512 code, and the linker might keep that copy for all.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "zerofab/device/host_loops.hpp"

namespace zerofab {
namespace {

using Index = std::int64_t;

// ---- arithmetic: integers wrap around, and never trap

template <class T>
using Unsigned = typename std::make_unsigned<T>::type;

template <class T>
[[gnu::always_inline]] inline T sum_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
    else
        return a + b;
}

template <class T>
[[gnu::always_inline]] inline T product(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
    else
        return a * b;
}

template <class T>
[[gnu::always_inline]] inline T magnitude(T a) {
    if constexpr (std::is_same_v<T, double>)
        return __builtin_fabs(a);
    else if constexpr (std::is_same_v<T, float>)
        return __builtin_fabsf(a);
    else
        return a < 0 ? static_cast<T>(-static_cast<Unsigned<T>>(a)) : a;
}

// ---- walking over a region

/// Join rows and planes that follow each other without a gap in every operand, so that rows are as long as can be.
template <int N>
struct Walk {
    Index nx, ny, nz;
    Index sy[N], sz[N];

    template <class... Operand>
    [[gnu::always_inline]] Walk(const LoopRegion& r, const Operand&... operand)
        : nx{r.nx}, ny{r.ny}, nz{r.nz}, sy{operand.sy...}, sz{operand.sz...} {
        if (nx <= 0 || ny <= 0 || nz <= 0) {
            nx = ny = nz = 0;
            return;
        }
        bool dense = true;  // planes continue the rows' regular steps
        for (int m = 0; m < N; ++m) dense &= ny == 1 || nz == 1 || sz[m] == ny * sy[m];
        if (dense) {
            if (ny == 1)
                for (int m = 0; m < N; ++m) sy[m] = sz[m];
            ny *= nz;
            nz = 1;
        }
        bool packed = true;  // rows touch
        for (int m = 0; m < N; ++m) packed &= ny == 1 || sy[m] == nx;
        if (!packed) return;
        nx *= ny;
        for (int m = 0; m < N; ++m) sy[m] = sz[m];
        ny = nz;
        nz = 1;
        packed = true;
        for (int m = 0; m < N; ++m) packed &= ny == 1 || sy[m] == nx;
        if (!packed) return;
        nx *= ny;
        ny = 1;
    }
};

template <int... M>
struct Numbers {};

/// Rows of a length known to the compiler: no loop, no vector prologue per row.
template <Index n, class Make, int... M, class... Operand>
[[gnu::always_inline]] inline void short_rows(const Walk<sizeof...(M)>& w, Make make, Numbers<M...>,
                                              const Operand&... operand) {
    for (Index k = 0; k < w.nz; ++k)
#pragma GCC ivdep
        for (Index j = 0; j < w.ny; ++j) {
            const auto step = make(operand.data + j * w.sy[M] + k * w.sz[M]...);
            for (Index i = 0; i < n; ++i) step(i);
        }
}

/// make(pointers to the row of each operand) gives a function of i that does element i; no element depends on another.
template <bool often_short, class Make, int... M, class... Operand>
[[gnu::always_inline]] inline void each_of(const LoopRegion& region, Make make, Numbers<M...> numbers,
                                           const Operand&... operand) {
    const Walk<sizeof...(M)> w(region, operand...);
    if constexpr (often_short) {
        switch (w.nx) {
            case 1:
                return short_rows<1>(w, make, numbers, operand...);
            case 2:
                return short_rows<2>(w, make, numbers, operand...);
            case 3:
                return short_rows<3>(w, make, numbers, operand...);
            case 4:
                return short_rows<4>(w, make, numbers, operand...);
            default:
                break;
        }
    }
    for (Index k = 0; k < w.nz; ++k)
        for (Index j = 0; j < w.ny; ++j) {
            const auto step = make(operand.data + j * w.sy[M] + k * w.sz[M]...);
#pragma GCC ivdep
            for (Index i = 0; i < w.nx; ++i) step(i);
        }
}

template <bool often_short = false, class Make, class A>
[[gnu::always_inline]] inline void each(const LoopRegion& r, Make make, const A& a) {
    each_of<often_short>(r, make, Numbers<0>{}, a);
}
template <bool often_short = false, class Make, class A, class B>
[[gnu::always_inline]] inline void each(const LoopRegion& r, Make make, const A& a, const B& b) {
    each_of<often_short>(r, make, Numbers<0, 1>{}, a, b);
}

template <class Row, int... M, class... Operand>
[[gnu::always_inline]] inline void rows_of(Index n, const Walk<sizeof...(M)>& w, Row row, Numbers<M...>,
                                           const Operand&... operand) {
    for (Index k = 0; k < w.nz; ++k)
        for (Index j = 0; j < w.ny; ++j)
            if (!row(n, operand.data + j * w.sy[M] + k * w.sz[M]...)) return;
}

/// Rows for a reduction: row(n, pointers); it returns false to stop.
template <class Row, int... M, class... Operand>
[[gnu::always_inline]] inline void rows(const LoopRegion& region, Row row, Numbers<M...> numbers,
                                        const Operand&... operand) {
    constexpr Index smallest = 4;  // boxes of so few points a side are as small as they get: no loop within a row
    const Walk<sizeof...(M)> w(region, operand...);
    if (w.nx == smallest)
        rows_of(smallest, w, row, numbers, operand...);
    else
        rows_of(w.nx, w, row, numbers, operand...);
}

// ---- lanes: 64 bytes on every instruction set, so that sums have the same bits on all

template <class T>
struct Lanes {
    static constexpr int count = 64 / static_cast<int>(sizeof(T));
    typedef T Vector __attribute__((vector_size(64)));
    typedef T Loaded __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
    using Flags = decltype(Vector{} < Vector{});
    typedef int MaskLoaded __attribute__((vector_size(4 * 64 / sizeof(T)), aligned(4), may_alias));
};

/// Tags: whether a term is asked for one element or for a vector of them.
template <class T>
struct One {};
template <class T>
struct Many {};

// Integers may be the bits of real numbers.
typedef std::int32_t Bits32 __attribute__((may_alias));
typedef std::int64_t Bits64 __attribute__((may_alias));

template <class T>
[[gnu::always_inline]] inline T get(One<T>, const T* p) {
    if constexpr (std::is_same_v<T, std::int32_t>)
        return *reinterpret_cast<const Bits32*>(p);
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return *reinterpret_cast<const Bits64*>(p);
    else
        return *p;
}
template <class T>
[[gnu::always_inline]] inline typename Lanes<T>::Vector get(Many<T>, const T* p) {
    return *reinterpret_cast<const typename Lanes<T>::Loaded*>(p);
}
template <class T>
[[gnu::always_inline]] inline T where(One<T>, const int* mask, T v) {
    return *mask != 0 ? v : T{0};
}
template <class T>
[[gnu::always_inline]] inline typename Lanes<T>::Vector where(Many<T>, const int* mask, typename Lanes<T>::Vector v) {
    const auto m = *reinterpret_cast<const typename Lanes<T>::MaskLoaded*>(mask);
    return __builtin_convertvector(m, typename Lanes<T>::Flags) != 0 ? v : typename Lanes<T>::Vector{};
}
template <class T>
[[gnu::always_inline]] inline T positive(One<T>, T v) {
    return magnitude(v);
}
template <class T>
[[gnu::always_inline]] inline typename Lanes<T>::Vector positive(Many<T>, typename Lanes<T>::Vector v) {
    if constexpr (std::is_integral_v<T>) {  // the least number wraps around
        using Vector = typename Lanes<T>::Vector;
        typedef std::make_unsigned_t<T> Bits [[gnu::vector_size(sizeof(Vector))]];
        return v < 0 ? reinterpret_cast<Vector>(-reinterpret_cast<Bits>(v)) : v;
    } else {
        return v < 0 ? -v : v;
    }
}

/// A sum in 5 x 64 bytes of lanes, emptied every 16 rounds into a lane-wise sum with compensation (two-sum).
template <class T>
struct RealSum {
    using L = Lanes<T>;
    using Vector = typename L::Vector;
    static constexpr int rounds_to_flush = 16;

    Vector a{}, b{}, c{}, d{};
    Vector high{}, low{};
    T tail[L::count] = {};
    int rounds = 0;

    template <class Term>
    [[gnu::always_inline]] void row(Index n, Term term) {
        constexpr Index w = L::count;
        Index i = 0;
        while (n - i >= 4 * w) {
            Index todo = (n - i) / (4 * w);
            if (todo > rounds_to_flush - rounds) todo = rounds_to_flush - rounds;
            for (Index r = 0; r < todo; ++r, i += 4 * w) {
                a += term(Many<T>{}, i);
                b += term(Many<T>{}, i + w);
                c += term(Many<T>{}, i + 2 * w);
                d += term(Many<T>{}, i + 3 * w);
            }
            rounds += static_cast<int>(todo);
            if (rounds >= rounds_to_flush) flush();
        }
        if (n == i) return;
        if (n - i >= w) a += term(Many<T>{}, i), i += w;
        if (n - i >= w) b += term(Many<T>{}, i), i += w;
        if (n - i >= w) c += term(Many<T>{}, i), i += w;
        for (int lane = 0; i < n; ++i, ++lane) tail[lane] += term(One<T>{}, i);
        if (++rounds >= rounds_to_flush) flush();
    }

    [[gnu::always_inline]] void flush() {
        const Vector t = *reinterpret_cast<const typename L::Loaded*>(tail);
        add((a + b) + (c + d) + t);
        a = b = c = d = Vector{};
        for (T& x : tail) x = 0;
        rounds = 0;
    }

    [[gnu::always_inline]] void add(Vector x) {
        const Vector s = high + x;
        const Vector part = s - high;
        low += (high - (s - part)) + (x - part);
        high = s;
    }

    [[gnu::always_inline]] double result() {
        flush();
        double s = 0, rest = 0;
        for (int lane = 0; lane < L::count; ++lane) {
            const double x = high[lane];
            const double t = s + x;
            const double part = t - s;
            rest += (s - (t - part)) + (x - part) + low[lane];
            s = t;
        }
        return rest - rest == 0 ? s + rest : s;  // the compensation of inf is NaN
    }
};

template <class T>
struct IntegerSum {
    std::uint64_t s = 0;

    template <class Term>
    [[gnu::always_inline]] void row(Index n, Term term) {
        std::uint64_t t = 0;
        for (Index i = 0; i < n; ++i) t += static_cast<std::uint64_t>(term(One<T>{}, i));
        s += t;
    }
    [[gnu::always_inline]] std::int64_t result() const { return static_cast<std::int64_t>(s); }
};

template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, IntegerSum<T>, RealSum<T>>;

/// The least (sign = 1) or greatest (sign = -1) of the terms, from `start`.
template <class T, int sign>
struct Extreme {
    using L = Lanes<T>;
    using Vector = typename L::Vector;
    Vector a, b, c, d;
    T tail[L::count];

    [[gnu::always_inline]] explicit Extreme(T start) : a{Vector{} + start}, b{a}, c{a}, d{a} {
        for (T& x : tail) x = start;
    }

    template <class V>
    [[gnu::always_inline]] static void take(V& m, V x) {
        if constexpr (sign > 0)
            m = x < m ? x : m;
        else
            m = x > m ? x : m;
    }

    template <class Term>
    [[gnu::always_inline]] void row(Index n, Term term) {
        constexpr Index w = L::count;
        if (n < w) {
            for (Index lane = 0; lane < n; ++lane) take<T>(tail[lane], term(One<T>{}, lane));
            return;
        }
        Index i = 0;
        for (; n - i >= 4 * w; i += 4 * w) {
            take<Vector>(a, term(Many<T>{}, i));
            take<Vector>(b, term(Many<T>{}, i + w));
            take<Vector>(c, term(Many<T>{}, i + 2 * w));
            take<Vector>(d, term(Many<T>{}, i + 3 * w));
        }
        for (; n - i >= w; i += w) take<Vector>(a, term(Many<T>{}, i));
        if (i < n) take<Vector>(b, term(Many<T>{}, n - w));  // some of them once more
    }

    [[gnu::always_inline]] T result() {
        take<Vector>(a, b);
        take<Vector>(c, d);
        take<Vector>(a, c);
        take<Vector>(a, *reinterpret_cast<const typename L::Loaded*>(tail));
        *reinterpret_cast<typename L::Loaded*>(tail) = a;
        for (int half = L::count / 2; half > 0; half /= 2)
            for (int lane = 0; lane < half; ++lane) take<T>(tail[lane], tail[lane + half]);
        return tail[0];
    }
};

// The bits of |x| as integers are in the order of the numbers, with NaN above all: a maximum that NaN wins.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
constexpr Bits<T> positive_bits = std::numeric_limits<Bits<T>>::max();

template <class T>
[[gnu::always_inline]] inline LoopOperand<const Bits<T>> bits_of(const LoopOperand<const T>& x) {
    return {reinterpret_cast<const Bits<T>*>(x.data), x.sy, x.sz};
}
[[gnu::always_inline]] inline float from_bits(std::int32_t bits) { return __builtin_bit_cast(float, bits); }
[[gnu::always_inline]] inline double from_bits(std::int64_t bits) { return __builtin_bit_cast(double, bits); }

template <class T>
[[gnu::always_inline]] inline auto product(Many<T>, typename Lanes<T>::Vector x, typename Lanes<T>::Vector y) {
    return x * y;
}
template <class T>
[[gnu::always_inline]] inline auto product(One<T>, T x, T y) {
    if constexpr (std::is_integral_v<T>)
        return product<std::int64_t>(x, y);
    else
        return x * y;
}

// ---- the table

template <class T>
struct Loops {
    using R = const LoopRegion&;
    using Out = const LoopOperand<T>&;
    using In = const LoopOperand<const T>&;
    using Mask = const LoopOperand<const int>&;

    static void fill(R r, Out z, T a) {
        each<true>(r, [a](T* p) { return [=](Index i) { p[i] = a; }; }, z);
    }
    static void copy(R r, Out z, In x) {
        // On long rows the C library's copy is faster: it need not read what it overwrites.
        constexpr Index long_row = 8192 / static_cast<Index>(sizeof(T));
        const Walk<2> w(r, z, x);
        if (w.nx >= long_row) {
            for (Index k = 0; k < w.nz; ++k)
                for (Index j = 0; j < w.ny; ++j)
                    __builtin_memmove(z.data + j * w.sy[0] + k * w.sz[0], x.data + j * w.sy[1] + k * w.sz[1],
                                      static_cast<unsigned long>(w.nx) * sizeof(T));
            return;
        }
        each<true>(r, [](T* p, const T* q) { return [=](Index i) { p[i] = q[i]; }; }, z, x);
    }
    static void add(R r, Out z, In x) {
        each<true>(r, [](T* p, const T* q) { return [=](Index i) { p[i] = sum_of(p[i], q[i]); }; }, z, x);
    }
    static void multiply(R r, Out z, In x) {
        each(r, [](T* p, const T* q) { return [=](Index i) { p[i] = product(p[i], q[i]); }; }, z, x);
    }

    /// Feed every row to a reduction; term(row pointers) gives a function of (One or Many, i).
    template <class Reduction, class Term, int... M, class... Operand>
    [[gnu::always_inline]] static auto reduce(R r, Reduction state, Term term, Numbers<M...> numbers,
                                              const Operand&... operand) {
        rows(r, [&](Index n, auto*... p) { return state.row(n, term(p...)), true; }, numbers, operand...);
        return state.result();
    }

    static LoopSum<T> sum(R r, In x) {
        const auto term = [](const T* p) { return [=](auto as, Index i) { return get(as, p + i); }; };
        return reduce(r, Sum<T>{}, term, Numbers<0>{}, x);
    }
    static LoopSum<T> sum_abs(R r, In x) {
        const auto term = [](const T* p) { return [=](auto as, Index i) { return positive(as, get(as, p + i)); }; };
        return reduce(r, Sum<T>{}, term, Numbers<0>{}, x);
    }
    static LoopSum<T> sum_squares(R r, In x) {
        const auto term = [](const T* p) {
            return [=](auto as, Index i) { return product(as, get(as, p + i), get(as, p + i)); };
        };
        return reduce(r, Sum<T>{}, term, Numbers<0>{}, x);
    }
    static LoopSum<T> dot(R r, In x, In y) {
        const auto term = [](const T* p, const T* q) {
            return [=](auto as, Index i) { return product(as, get(as, p + i), get(as, q + i)); };
        };
        return reduce(r, Sum<T>{}, term, Numbers<0, 1>{}, x, y);
    }
    static T min(R r, In x) {
        const auto term = [](const T* p) { return [=](auto as, Index i) { return get(as, p + i); }; };
        return reduce(r, Extreme<T, 1>{largest}, term, Numbers<0>{}, x);
    }
    static T max(R r, In x) {
        const auto term = [](const T* p) { return [=](auto as, Index i) { return get(as, p + i); }; };
        return reduce(r, Extreme<T, -1>{smallest}, term, Numbers<0>{}, x);
    }
    static T max_abs(R r, In x) {
        if constexpr (std::is_integral_v<T>) {
            const auto term = [](const T* p) { return [=](auto as, Index i) { return positive(as, get(as, p + i)); }; };
            return reduce(r, Extreme<T, -1>{T{0}}, term, Numbers<0>{}, x);
        } else {
            const auto term = [](const Bits<T>* p) {
                return [=](auto as, Index i) { return get(as, p + i) & positive_bits<T>; };
            };
            return from_bits(reduce(r, Extreme<Bits<T>, -1>{Bits<T>{0}}, term, Numbers<0>{}, bits_of(x)));
        }
    }
    static LoopSum<T> masked_sum(R r, In x, Mask mask) {
        const auto term = [](const T* p, const int* m) {
            return [=](auto as, Index i) { return where(as, m + i, get(as, p + i)); };
        };
        return reduce(r, Sum<T>{}, term, Numbers<0, 1>{}, x, mask);
    }
    static LoopSum<T> masked_sum_abs(R r, In x, Mask mask) {
        const auto term = [](const T* p, const int* m) {
            return [=](auto as, Index i) { return where(as, m + i, positive(as, get(as, p + i))); };
        };
        return reduce(r, Sum<T>{}, term, Numbers<0, 1>{}, x, mask);
    }
    static LoopSum<T> masked_dot(R r, In x, In y, Mask mask) {
        const auto term = [](const T* p, const T* q, const int* m) {
            return [=](auto as, Index i) {
                return product(as, where(as, m + i, get(as, p + i)), where(as, m + i, get(as, q + i)));
            };
        };
        return reduce(r, Sum<T>{}, term, Numbers<0, 1, 2>{}, x, y, mask);
    }
    static T masked_max_abs(R r, In x, Mask mask) {
        if constexpr (std::is_integral_v<T>) {
            const auto term = [](const T* p, const int* m) {
                return [=](auto as, Index i) { return where(as, m + i, positive(as, get(as, p + i))); };
            };
            return reduce(r, Extreme<T, -1>{T{0}}, term, Numbers<0, 1>{}, x, mask);
        } else {
            const auto term = [](const Bits<T>* p, const int* m) {
                return [=](auto as, Index i) { return where(as, m + i, get(as, p + i) & positive_bits<T>); };
            };
            return from_bits(reduce(r, Extreme<Bits<T>, -1>{Bits<T>{0}}, term, Numbers<0, 1>{}, bits_of(x), mask));
        }
    }

    using Limits = std::numeric_limits<T>;
    static constexpr T largest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    static constexpr T smallest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

    static constexpr HostLoops<T> table() {
        return {.fill = fill,
                .copy = copy,
                .add = add,
                .multiply = multiply,
                .sum = sum,
                .sum_abs = sum_abs,
                .sum_squares = sum_squares,
                .dot = dot,
                .min = min,
                .max = max,
                .max_abs = max_abs,
                .masked_sum = masked_sum,
                .masked_sum_abs = masked_sum_abs,
                .masked_dot = masked_dot,
                .masked_max_abs = masked_max_abs};
    }
};

}  // namespace
}  // namespace zerofab
