# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures: the three spaces, each running."""

import gc
import importlib
import sys
from types import ModuleType

import pytest
from settled import live_exports

START = ["amrex.verbose=0", "amrex.signal_handling=0"]


_modules = 0


@pytest.fixture(autouse=True)
def only_what_is_new_is_searched_for_garbage():
    """finalize() collects garbage: what torch, JAX and others have made at their import is not gone through again."""
    global _modules
    if len(sys.modules) != _modules:
        gc.collect()
        gc.freeze()
        _modules = len(sys.modules)


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
    live_exports()  # waits for consumers that free in threads of their own
    if space.initialized():
        space.finalize()
