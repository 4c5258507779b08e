# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Timing of two functions in alternation: their ratio survives the drift of a shared machine, their times do not."""

import gc
import statistics
from collections.abc import Callable
from time import perf_counter

Work = Callable[[], object]


def time_of(work: Work, calls: int) -> float:
    """Seconds per call."""
    start = perf_counter()
    for _ in range(calls):
        work()
    return (perf_counter() - start) / calls


def calls_for(work: Work, seconds: float) -> int:
    """How many calls take about this long."""
    return max(1, round(seconds / max(min(time_of(work, 1) for _ in range(3)), 1e-8)))


def compare(ours: Work, reference: Work, *, rounds: int, seconds: float, per: int = 1) -> dict[str, float]:
    """Median nanoseconds of both, each for one of the `per` items that a call handles, and quartiles of their ratio.

    The least of ours is what a target in nanoseconds is compared with: nothing else can be told on a busy machine.
    """
    calls, reference_calls = calls_for(ours, seconds), calls_for(reference, seconds)
    gc.collect()
    gc.disable()
    try:
        pairs = [(time_of(ours, calls), time_of(reference, reference_calls)) for _ in range(rounds)]
    finally:
        gc.enable()
    first, middle, third = statistics.quantiles((a / b for a, b in pairs), n=4)
    return {
        "ns": statistics.median(a for a, _ in pairs) * 1e9 / per,
        "least_ns": min(a for a, _ in pairs) * 1e9 / per,
        "reference_ns": statistics.median(b for _, b in pairs) * 1e9 / per,
        "ratio": middle,
        "first_quartile": first,
        "third_quartile": third,
    }
