# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy before 2.1 cannot do: its from_dlpack takes legacy capsules, makes them read-only, has no keywords."""

import numpy as np
import pytest

OLD = np.lib.NumpyVersion(np.__version__) < "2.1.0"

needs_new_from_dlpack = pytest.mark.skipif(
    OLD, reason="NumPy before 2.1: from_dlpack is read-only, legacy and without keywords"
)

# A way to a writable view, for tables of views.
WRITABLE_FROM_DLPACK = {} if OLD else {"from_dlpack": np.from_dlpack}
