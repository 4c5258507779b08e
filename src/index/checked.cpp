// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Errors of index arithmetic.
#include "zerofab/index/checked.hpp"

#include <limits>
#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/index/format.hpp"
#include "zerofab/index/periodicity.hpp"

namespace zerofab::detail {

void throw_overflow(const char* what, Long a, Long b) {
    throw ValueError(concat("index overflow: the ", what, " of ", a, " and ", b, " does not fit; use smaller indices"));
}

void throw_bad_divisor(const char* what, Long value) {
    throw ValueError(
        concat("the ", what, " ", value,
               " is not allowed here; a refinement or coarsening ratio must be 1 or more, a divisor not 0"));
}

void throw_bad_period(int period) {
    throw ValueError(concat("the period ", period, " is negative; use 0 for a direction that does not repeat"));
}

int real_to_int(Real x) {
    if (!(x >= std::numeric_limits<int>::lowest() && x <= std::numeric_limits<int>::max())) {
        throw ValueError(to_string(x) + " is not within the range of an index");
    }
    return static_cast<int>(x);
}

}  // namespace zerofab::detail
