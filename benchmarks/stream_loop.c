/* SPDX-FileCopyrightText: 2026 The zerofab developers
 * SPDX-License-Identifier: BSD-3-Clause
 * Plain loops over long arrays on some threads, as STREAM has them: what the memory of this machine can do.
 * What is only written goes past the caches, where the compiler's target has such stores. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { line = 8, most_threads = 64 };

typedef struct Part {
    void (*loop)(const struct Part *);
    double *z;
    const double *x, *y;
    double a, b, result;
    size_t count; /* a multiple of a line */
} Part;

/* z[0] to z[7] = v, at a multiple of 64 bytes. */
static inline void stream(double *z, const double *v) {
#if defined(__AVX512F__)
    _mm512_stream_pd(z, _mm512_loadu_pd(v));
#elif defined(__AVX__)
    _mm256_stream_pd(z, _mm256_loadu_pd(v));
    _mm256_stream_pd(z + 4, _mm256_loadu_pd(v + 4));
#elif defined(__SSE2__)
    for (int n = 0; n < line; n += 2) _mm_stream_pd(z + n, _mm_loadu_pd(v + n));
#else
    memcpy(z, v, line * sizeof *v);
#endif
}

static inline void finish(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#define STREAMED(name, value)                                                            \
    static void name##_part(const Part *p) {                                             \
        const double *x = p->x, *y = p->y, a = p->a, b = p->b;                           \
        (void)x, (void)y, (void)a, (void)b;                                              \
        for (size_t first = 0; first < p->count; first += line) {                        \
            double v[line];                                                              \
            for (size_t n = 0, i = first; n < line; ++n, ++i) v[n] = value;              \
            stream(p->z + first, v);                                                     \
        }                                                                                \
        finish();                                                                        \
    }
#define PLAIN(name, value)                                                               \
    static void name##_part(const Part *p) {                                             \
        double *restrict z = p->z;                                                       \
        const double *restrict x = p->x, a = p->a;                                       \
        (void)x, (void)a;                                                                \
        for (size_t i = 0; i < p->count; ++i) z[i] = value;                              \
    }

STREAMED(fill, a)
STREAMED(copy, x[i])
STREAMED(lin_comb, a * x[i] + b * y[i])
PLAIN(plus, z[i] + a)
PLAIN(saxpy, z[i] + a * x[i])

static void sum_part(const Part *p) {
    double sums[4 * line] = {0};
    for (size_t first = 0; first + 4 * line <= p->count; first += 4 * line)
        for (size_t n = 0; n < 4 * line; ++n) sums[n] += p->x[first + n];
    double all = 0;
    for (size_t n = 0; n < 4 * line; ++n) all += sums[n];
    ((Part *)p)->result = all;
}

static void *run_part(void *part) {
    const Part *p = part;
    p->loop(p);
    return NULL;
}

static double run(Part all, int threads) {
    Part parts[most_threads];
    pthread_t ids[most_threads];
    if (threads > most_threads) threads = most_threads;
    for (int t = 0; t < threads; ++t) {
        const size_t lines = all.count / line, first = lines * t / threads * line;
        parts[t] = all;
        parts[t].count = lines * (t + 1) / threads * line - first;
        if (all.z) parts[t].z += first;
        if (all.x) parts[t].x += first;
        if (all.y) parts[t].y += first;
        if (t > 0) pthread_create(&ids[t], NULL, run_part, &parts[t]);
    }
    run_part(&parts[0]);
    double result = parts[0].result;
    for (int t = 1; t < threads; ++t) {
        pthread_join(ids[t], NULL);
        result += parts[t].result;
    }
    return result;
}

/* z begins at a multiple of 64 bytes; count is a multiple of 8 */
void fill(double *z, size_t count, double a, int threads) {
    run((Part){.loop = fill_part, .z = z, .a = a, .count = count}, threads);
}
void copy(double *z, const double *x, size_t count, int threads) {
    run((Part){.loop = copy_part, .z = z, .x = x, .count = count}, threads);
}
void lin_comb(double *z, double a, const double *x, double b, const double *y, size_t count, int threads) {
    run((Part){.loop = lin_comb_part, .z = z, .x = x, .y = y, .a = a, .b = b, .count = count}, threads);
}
void plus(double *z, size_t count, double a, int threads) {
    run((Part){.loop = plus_part, .z = z, .a = a, .count = count}, threads);
}
void saxpy(double *z, double a, const double *x, size_t count, int threads) {
    run((Part){.loop = saxpy_part, .z = z, .x = x, .a = a, .count = count}, threads);
}
double sum(const double *x, size_t count, int threads) {
    return run((Part){.loop = sum_part, .x = x, .count = count}, threads);
}
