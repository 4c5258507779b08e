// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// All kernels with their arguments, for the host: ANY those that exist for every element type, F64 and I32 those that
// exist in one compilation only.
//
// Arguments: p an address, i 32-bit and l 64-bit integers, e a number of the element type.
#pragma once

// clang-format off
#define K_CATALOG(ANY, F64, I32)                             \
    ANY(field_set_val, "plii" "pi" "e")                      \
    ANY(field_add_scalar, "plii" "pi" "e")                   \
    ANY(field_multiply_scalar, "plii" "pi" "e")              \
    ANY(field_divide_scalar, "plii" "pi" "e")                \
    ANY(field_invert, "plii" "pi" "e")                       \
    ANY(field_negate, "plii" "pi")                           \
    ANY(field_abs, "plii" "pi")                              \
    ANY(field_copy, "plii" "pipi")                           \
    ANY(field_add, "plii" "pipi")                            \
    ANY(field_subtract, "plii" "pipi")                       \
    ANY(field_multiply, "plii" "pipi")                       \
    ANY(field_divide, "plii" "pipi")                         \
    ANY(field_saxpy, "plii" "pipi" "e")                      \
    ANY(field_xpay, "plii" "pipi" "e")                       \
    ANY(field_lin_comb, "plii" "pipipi" "ee")                \
    ANY(field_add_product, "plii" "pipipi")                  \
    ANY(field_swap, "plii" "pipi")                           \
    ANY(field_keep_masked, "plii" "pi" "p")                  \
    ANY(field_sum, "plii" "pi" "p")                          \
    ANY(field_sum_abs, "plii" "pi" "p")                      \
    ANY(field_sum_squares, "plii" "pi" "p")                  \
    ANY(field_dot, "plii" "pipi" "p")                        \
    ANY(field_min, "plii" "pi" "p")                          \
    ANY(field_max, "plii" "pi" "p")                          \
    ANY(field_max_abs, "plii" "pi" "p")                      \
    ANY(field_has_nan, "plii" "pi" "p")                      \
    ANY(field_has_inf, "plii" "pi" "p")                      \
    ANY(field_has_zero, "plii" "pi" "p")                     \
    ANY(field_masked_sum, "plii" "pi" "p" "p")               \
    ANY(field_masked_sum_abs, "plii" "pi" "p" "p")           \
    ANY(field_masked_dot, "plii" "pipi" "p" "p")             \
    ANY(field_masked_max_abs, "plii" "pi" "p" "p")           \
    ANY(halo_pack, "pli" "pi" "p")                           \
    ANY(halo_copy, "pli" "pipi" "p")                         \
    ANY(halo_add, "pli" "pipi" "p")                          \
    ANY(vector_fill, "ple")                                  \
    ANY(vector_iota, "plee")                                 \
    ANY(vector_gather, "plplp")                              \
    ANY(vector_scatter, "plplp")                             \
    I32(vector_invert, "plpl")                               \
    I32(copy_1, "pp" "llllllll" "llllllll" "llllllll")       \
    I32(copy_2, "pp" "llllllll" "llllllll" "llllllll")       \
    I32(copy_4, "pp" "llllllll" "llllllll" "llllllll")       \
    I32(copy_8, "pp" "llllllll" "llllllll" "llllllll")       \
    I32(copy_16, "pp" "llllllll" "llllllll" "llllllll")      \
    I32(prefix_sums, "pllp")                                 \
    I32(prefix, "pllp")                                      \
    I32(sort_count, "pplil" "p")                             \
    I32(sort_place, "pplil" "pp")                            \
    I32(sort_starts, "pplpl")                                \
    I32(rows_gather, "plpl" "pl" "i")                        \
    F64(rows_fold, "pl" "ppl" "ee")                          \
    F64(particle_cells, "pl" "pp")                           \
    F64(particle_deposit, "pl" "p" "pi" "p")                 \
    F64(particle_bins, "pl" "pp" "iii" "p")                  \
    F64(particle_destinations, "pl" "pi" "p" "iii" "ii" "p" "p")
// clang-format on
