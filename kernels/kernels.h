// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// All kernels: what is compiled for every backend, once for each element type.  catalog.h lists them.

#include "arithmetic.h"
#include "halo.h"
#include "reduce.h"
#include "rows.h"
#include "vector.h"

#ifdef K_I32  // what knows no element type
#include "copy.h"
#include "sort.h"
#endif

#ifdef K_F64  // positions are double
#include "particles.h"
#endif
