// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Explicit instantiations: a .cpp defines ZEROFAB_INSTANTIATE(D), or (D, T), as the list of its own, and names it to
// one of these.
#pragma once

/// For every dimension.
#define ZEROFAB_FOR_DIMENSIONS(instantiate) instantiate(1) instantiate(2) instantiate(3)

/// For every dimension and element type of fields with arithmetic.
#define ZEROFAB_FOR_FIELDS(instantiate)                                                                              \
    instantiate(1, double) instantiate(2, double) instantiate(3, double) instantiate(1, float) instantiate(2, float) \
        instantiate(3, float) instantiate(1, int) instantiate(2, int) instantiate(3, int)
