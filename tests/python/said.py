# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What a program wrote to stderr, as far as it is about us: libraries below write there as they like."""

import re

# Our names; Python's reports of what was not caught or not let go; ends of the process; sanitizers.
OURS = re.compile(
    r"amrex|zerofab|nanobind|pytest"
    r"|^Traceback|^\s+File \"|^[\w.]*(Error|Exception|Interrupt|Exit)\b(:|$)|Exception ignored|^\S*:\d+: \w*Warning: "
    r"|Fatal Python error|terminate called|what\(\):|pure virtual|Segmentation|Aborted|Assertion .* failed"
    r"|double free|free\(\)|malloc\w*\(\)|corrupt|stack smashing"
    r"|Sanitizer|runtime error:|leaked",
    re.MULTILINE,
)


def of_ours(stderr: str) -> str:
    """Empty, or the whole text if something in it is ours.

    >>> of_ours("libother: cannot open /sys/devices\\n")
    ''
    """
    return stderr if OURS.search(stderr) else ""
