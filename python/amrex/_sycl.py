# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What only dpctl's Python side knows of SYCL: the queue that dpnp works on, out of order and by itself."""

import sys
from typing import Any

_queues: dict[int, Any] = {}  # by the device's number in DLPack; kept for good, as dpctl does


def consumer_queue(device: int) -> int | None:
    """The address of dpctl's cached queue for this device; None as long as nobody has loaded dpctl."""
    if device not in _queues:
        if "dpctl" not in sys.modules:
            return None
        import dpctl
        from dpctl._sycl_queue_manager import get_device_cached_queue

        _queues[device] = get_device_cached_queue(dpctl.SyclDevice(str(device)))
    return int(_queues[device].addressof_ref())
