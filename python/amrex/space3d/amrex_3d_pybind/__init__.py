# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The name of pyAMReX's compiled module: found in its place if that was installed over this package, and says so."""

from amrex._owners import refuse_pyamrex

refuse_pyamrex(__name__)
