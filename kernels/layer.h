// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The macros that kernels are written in, which host C++, CUDA, HIP and OpenCL C each define in their own way.
//
//     K_KERNEL(name)(arguments) {...}   a kernel
//     K_FN type name(arguments) {...}   a function that kernels call; arguments and results are values
//     K_APART type name(arguments) {..} the same for a loop: the host's compilers give it all registers of its own
//     K_GLOBAL                          every pointer to memory carries it, in casts too
//     K_SHARED(type, name)              K_GROUP elements that the items of a group share; at the top of a kernel only
//     K_BARRIER()                       all items of a group wait for each other; all of them must get there
//     K_LANE, K_LANES                   number of this item in x in its group, and how many there are in x
//     K_LINE, K_LINES                   the same in y
//     K_GROUP_X, K_GROUPS_X             number of this group, and how many there are; the same for Y
//     K_ABS(x), K_FLOOR(x), K_INFINITY  of the element type, if that is real
//     K_LOOP for (...)                  a loop that is not worth unrolling
//     K_INDEPENDENT for (...)           the same, of which no round reads what another one writes
//     k_atomic_add(pointer, number)     add to a double that other items add to at the same time
//
// `element` is the type that this compilation is for: -DK_F64, -DK_F32, -DK_I32 or -DK_I64.  There is no double in the
// compilations for other types: not every device has it.
//
// Rules: no templates, overloads, references or lambdas; numbers of items are 64 bits wide before anything is
// multiplied; every kernel is right for any shape of a group and any number of groups in x, and in y where its grid has
// more than one.
#pragma once

#include "tables.h"

#if defined(K_F64)
typedef double element;
#define K_REAL 1
#elif defined(K_F32)
typedef float element;
#define K_REAL 1
#elif defined(K_I32)
typedef k_i32 element;
typedef k_u32 k_unsigned;  // as wide as an element
#define K_REAL 0
#elif defined(K_I64)
typedef k_i64 element;
typedef k_u64 k_unsigned;
#define K_REAL 0
#else
#error "the element type is not given: compile with -DK_F64, -DK_F32, -DK_I32 or -DK_I64"
#endif

#define K_GROUP 256  // elements of shared memory; items of a group beyond it are idle where they need some

#if defined(__OPENCL_C_VERSION__)  // ---- OpenCL C 2.0, and SPIR-V made from it

#ifdef K_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#define K_KERNEL(name) __kernel void name
#define K_FN static inline
#define K_APART K_FN
#define K_GLOBAL __global
#define K_LOOP __attribute__((opencl_unroll_hint(1)))
#define K_INDEPENDENT K_LOOP
#ifdef K_ONE_ITEM  // for CPUs: an item to a group, whose loops the compiler makes to vectors
#define K_SHARED(type, name) type name[1]
#define K_BARRIER() ((void)0)
#define K_LANE ((k_i64)0)
#define K_LANES ((k_i64)1)
#define K_LINE ((k_i64)0)
#define K_LINES ((k_i64)1)
#else
#define K_SHARED(type, name) __local type name[K_GROUP]
#define K_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define K_LANE ((k_i64)get_local_id(0))
#define K_LANES ((k_i64)get_local_size(0))
#define K_LINE ((k_i64)get_local_id(1))
#define K_LINES ((k_i64)get_local_size(1))
#endif
#define K_GROUP_X ((k_i64)get_group_id(0))
#define K_GROUP_Y ((k_i64)get_group_id(1))
#define K_GROUPS_X ((k_i64)get_num_groups(0))
#define K_GROUPS_Y ((k_i64)get_num_groups(1))
#define K_ABS(x) fabs(x)
#define K_FLOOR(x) floor(x)
#define K_INFINITY ((element)INFINITY)
#ifdef K_F64
K_FN void k_atomic_add(K_GLOBAL double* sum, double number) {
    volatile K_GLOBAL k_u64* bits = (volatile K_GLOBAL k_u64*)sum;
    k_u64 seen = *bits, expected;
    do {
        expected = seen;
        seen = atom_cmpxchg(bits, expected, as_ulong(as_double(expected) + number));
    } while (seen != expected);
}
#endif

#elif defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIP__) || defined(__HIPCC_RTC__)  // ---- CUDA, HIP

#define K_KERNEL(name) extern "C" __global__ void name
#define K_FN static __device__ inline
#define K_APART K_FN
#define K_GLOBAL
#define K_SHARED(type, name) __shared__ type name[K_GROUP]
#define K_BARRIER() __syncthreads()
#define K_LOOP _Pragma("unroll 1")
#define K_INDEPENDENT K_LOOP
#define K_LANE ((k_i64)threadIdx.x)
#define K_LANES ((k_i64)blockDim.x)
#define K_LINE ((k_i64)threadIdx.y)
#define K_LINES ((k_i64)blockDim.y)
#define K_GROUP_X ((k_i64)blockIdx.x)
#define K_GROUP_Y ((k_i64)blockIdx.y)
#define K_GROUPS_X ((k_i64)gridDim.x)
#define K_GROUPS_Y ((k_i64)gridDim.y)
#ifdef K_F64
#define K_ABS(x) fabs(x)
#define K_FLOOR(x) floor(x)
K_FN void k_atomic_add(double* sum, double number) { atomicAdd(sum, number); }
#else
#define K_ABS(x) fabsf(x)
#define K_FLOOR(x) floorf(x)
#endif
#define K_INFINITY ((element)__int_as_float(0x7f800000))

#else  // ---- host C++: whoever runs a kernel says which item it is

#ifdef K_SERIAL  // a kernel is told; a thread's variable would cost more than many a region
typedef struct k_position {
    k_i64 group_x, groups_x, group_y, groups_y;
    k_i32 writes_through;  // whether what is written and not read is too much for the caches
} k_position;
#define K_KERNEL(name) static void name K_OF_GROUP
#define K_OF_GROUP(...) ([[maybe_unused]] const k_position& k_here, __VA_ARGS__)
#else
typedef struct k_position {
    k_i64 lane, lanes, line, lines, group_x, groups_x, group_y, groups_y;
    void (*barrier)();
} k_position;
static thread_local k_position k_here;
#define K_KERNEL(name) static void name
#endif

#define K_FN static inline
#define K_APART __attribute__((noinline)) static
#define K_GLOBAL
#define K_LOOP
#define K_GROUP_Y (k_here.group_y)
#define K_GROUPS_Y (k_here.groups_y)
#ifdef K_SERIAL  // ahead of time, for HostBackend::launch: an item to a group, and what loops need is known here
#define K_SHARED(type, name) type name[K_GROUP]
#define K_BARRIER() ((void)0)
#define K_LANE ((k_i64)0)
#define K_LANES ((k_i64)1)
#define K_LINE ((k_i64)0)
#define K_LINES ((k_i64)1)
#define K_GROUP_X ((k_i64)0)
#define K_GROUPS_X ((k_i64)1)
// Groups in x exist for grids of one row alone: each does a part of the things in one piece.
#define K_FOR_EACH(number, count)                                               \
    for (k_i64 number = (count) * k_here.group_x / k_here.groups_x,             \
               number##_end = (count) * (k_here.group_x + 1) / k_here.groups_x; \
         number < number##_end; ++number)
#define K_LINE_ELEMENTS ((k_i64)(64 / sizeof(element)))
/// How many of `count` elements come before the first line of 64 bytes that begins with one of them; all if none does.
K_FN k_i64 k_to_line(const element* z, k_i64 count) {
    const k_i64 before = (k_i64)(-((k_u64)z / sizeof(element)) & (K_LINE_ELEMENTS - 1));
    return before < count && (k_u64)z % sizeof(element) == 0 ? before : count;
}
#else
#define K_SHARED(type, name) static type name[K_GROUP]
#define K_BARRIER() k_here.barrier()
#define K_LANE (k_here.lane)
#define K_LANES (k_here.lanes)
#define K_LINE (k_here.line)
#define K_LINES (k_here.lines)
#define K_GROUP_X (k_here.group_x)
#define K_GROUPS_X (k_here.groups_x)
#endif
#if defined(__clang__)
#define K_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define K_INDEPENDENT _Pragma("GCC ivdep")
#else
#define K_INDEPENDENT
#endif
#ifdef K_F64
#define K_ABS(x) __builtin_fabs(x)
#define K_FLOOR(x) __builtin_floor(x)
K_FN void k_atomic_add(double* sum, double number) {
    double expected = *sum, wanted;
    do {
        wanted = expected + number;
    } while (!__atomic_compare_exchange(sum, &expected, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
#else
#define K_ABS(x) __builtin_fabsf(x)
#define K_FLOOR(x) __builtin_floorf(x)
#endif
#define K_INFINITY ((element)__builtin_inf())

#endif

/// Number of this item in its group, and how many there are.
#define K_ITEM (K_LINE * K_LANES + K_LANE)
#define K_ITEMS (K_LINES * K_LANES)
/// The first of the things that this item does, and how far it is to the next: items of all groups in x in turn.
#define K_FIRST (K_GROUP_X * K_ITEMS + K_ITEM)
#define K_STRIDE (K_GROUPS_X * K_ITEMS)
/// for (each number below `count` that is this item's)
#ifndef K_FOR_EACH
#define K_FOR_EACH(number, count) K_LOOP for (k_i64 number = K_FIRST; number < (count); number += K_STRIDE)
#endif
/// for (each number below `count` that is that of this group in y)
#define K_FOR_EACH_Y(number, count) \
    K_LOOP for (k_i64 number = K_GROUP_Y; number < (count); number += K_GROUPS_Y)

// ---- numbers: integers wrap around and never trap

K_FN element k_add(element a, element b) {
#if K_REAL
    return a + b;
#else
    return (element)((k_unsigned)a + (k_unsigned)b);
#endif
}

K_FN element k_subtract(element a, element b) {
#if K_REAL
    return a - b;
#else
    return (element)((k_unsigned)a - (k_unsigned)b);
#endif
}

K_FN element k_multiply(element a, element b) {
#if K_REAL
    return a * b;
#else
    return (element)((k_unsigned)a * (k_unsigned)b);
#endif
}

/// An integer by 0 is 0: who cares looks for zeros first.
K_FN element k_divide(element a, element b) {
#if K_REAL
    return a / b;
#else
    return b == 0 ? 0 : b == -1 ? k_subtract(0, a) : a / b;
#endif
}

K_FN element k_negative(element a) {
#if K_REAL
    return -a;
#else
    return k_subtract(0, a);
#endif
}

K_FN element k_abs(element a) {
#if K_REAL
    return K_ABS(a);
#else
    return a < 0 ? k_negative(a) : a;
#endif
}
