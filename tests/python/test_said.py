# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What counts as ours on stderr."""

import subprocess
import sys

import pytest
from said import of_ours

OURS = {
    "an exception": "raise ValueError('x')",
    "an exception of a class in a module": "import json; json.loads('{')",
    "an exception of no words": "raise KeyboardInterrupt",
    "an exception in a thread": "import threading; t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()",
    "an exception in a finalizer": "class A:\n    def __del__(self): 1 / 0\nA()",
    "a warning": "import warnings; warnings.warn('x', RuntimeWarning)",
    "an end by the system": "import faulthandler, os; faulthandler.enable(); os.abort()",
    "our name": "import sys; print('libzerofab: x', file=sys.stderr)",
    "our module": "import sys; print('amrex._core: x', file=sys.stderr)",
    "a leak": "import sys; print('nanobind: leaked 3 instances!', file=sys.stderr)",
}
OTHERS = [
    "",
    "\n",
    "hwloc/linux: failed to find sysfs cpu topology directory, aborting linux discovery.\n",
    "Failed to open /sys/devices/system/node: No such file or directory\n",
    "OpenBLAS warning: precompiled NUM_THREADS exceeded\n",
    "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n",
    "ERROR: ld.so: object 'libx.so' from LD_PRELOAD cannot be preloaded: ignored.\n",
]


@pytest.mark.parametrize("case", OURS)
def test_ours(case):
    done = subprocess.run([sys.executable, "-c", OURS[case]], capture_output=True, text=True, check=False)
    assert done.stderr and of_ours(done.stderr) == done.stderr
    assert of_ours(OTHERS[2] + done.stderr + OTHERS[3])


@pytest.mark.parametrize("text", OTHERS)
def test_others(text):
    assert of_ours(text) == ""
    assert of_ours("".join(OTHERS)) == ""
