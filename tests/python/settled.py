# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What consumers have let go, once their own threads have done so: JAX's free buffers in the background."""

import gc
import time

from amrex import _core


def live_exports(seconds=10.0):
    """The exports that are still alive, after so much patience."""
    until = time.monotonic() + seconds
    while (left := _core.live_exports()) and time.monotonic() < until:
        gc.collect()
        time.sleep(0.005)
    return left
