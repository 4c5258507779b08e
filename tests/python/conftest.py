# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures: the three spaces, each running."""

import gc
import importlib
from types import ModuleType

import pytest

START = ["amrex.verbose=0", "amrex.signal_handling=0"]


@pytest.fixture(params=(1, 2, 3), ids=("1d", "2d", "3d"))
def amr(request):
    """A space, initialized; finalize after the test also proves that no export was left."""
    space = importlib.import_module(f"amrex.space{request.param}d")
    yield from running(space, getattr(request.module, "ARGUMENTS", []))


@pytest.fixture
def amr3(request):
    """Three dimensions, initialized."""
    yield from running(importlib.import_module("amrex.space3d"), getattr(request.module, "ARGUMENTS", []))


def running(space: ModuleType, arguments: list[str]):
    """ARGUMENTS of a test module come last."""
    space.initialize(START + arguments)
    yield space
    gc.collect()
    if space.initialized():
        space.finalize()
