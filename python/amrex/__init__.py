# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Block-structured mesh and particle containers whose memory every array library uses in place.

Import one of the spaces: ``import amrex.space3d as amr`` (or ``space1d``, ``space2d``).
"""

import sys as _sys

if "amrex._core" in _sys.modules:  # only this package was removed from sys.modules: the first one comes back
    _sys.modules["amrex._core"]._restore_modules()
