# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What only dpctl's Python side knows of SYCL: the queue that dpnp works on, out of order and by itself."""

import importlib
import sys
from typing import Any

_queues: dict[int, Any] = {}  # by the device's number in DLPack; kept for good, as dpctl does


def consumer_queue(device: int) -> int | None:
    """The address of dpctl's cached queue for this device; None as long as nobody has loaded dpctl."""
    if device not in _queues:
        if "dpctl" not in sys.modules:
            return None
        device_of = importlib.import_module("dpctl").SyclDevice
        queue_of = importlib.import_module("dpctl._sycl_queue_manager").get_device_cached_queue
        _queues[device] = queue_of(device_of(str(device)))
    return int(_queues[device].addressof_ref())
