// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the fuzzing targets assert: libFuzzer keeps the input that aborts.
#pragma once

#include <cstdlib>

namespace fuzz {

inline void check(bool holds) {
    if (!holds) {
        std::abort();
    }
}

}  // namespace fuzz
