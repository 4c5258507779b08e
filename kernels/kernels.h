// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// All kernels: what is compiled for every backend, once for each element type.

#include "arithmetic.h"
#include "reduce.h"
