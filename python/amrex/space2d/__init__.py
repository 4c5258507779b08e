# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The interface in 2 dimensions."""

from amrex._space import open_space as _open_space

_open_space(__name__, 2)
