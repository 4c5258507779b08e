#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
# For a machine with an NVIDIA GPU: install the project with CuPy, torch and numba, run the tests of devices on the GPU,
# and print a table. tests/gpu/run.sh [-- pytest arguments]
# Needs the driver, Python 3.10 or newer with headers, g++; the CUDA toolkit is not needed. Takes some minutes and about
# 8 GB below build/. CI has no GPU and does not run this; docs/dev/devices-without-a-gpu.md says what it runs instead.
set -euo pipefail
source "$(dirname "$0")/../../scripts/common.sh"
[[ ${1:-} == -- ]] && shift

need nvidia-smi "NVIDIA's driver"
nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader || die "the driver sees no GPU"
cuda=$(nvidia-smi | sed -n 's/.*CUDA[^:]*Version: *\([0-9]*\)\..*/\1/p' | head -n 1)
case $cuda in
  12) nvrtc=nvidia-cuda-nvrtc-cu12 cupy=cupy-cuda12x numba='numba-cuda[cu12]' ;;
  1[3-9]) nvrtc=nvidia-cuda-nvrtc cupy=cupy-cuda13x numba='numba-cuda[cu13]' ;;
  *) die "a driver for CUDA 12 or newer is needed, this one is for CUDA ${cuda:-?}" ;;
esac

basics
REPORTS=$ROOT/build/reports-gpu
mkdir -p "$REPORTS" && rm -f "$REPORTS"/*.xml
say "building the wheel"
build_wheel
say "installing it, $cupy, torch and ${numba%%\[*} into build/venv-gpu"
make_venv venv-gpu
install_wheel venv-gpu
PY=$ROOT/build/venv-gpu/bin/python
"$PY" -m pip install -qq "pytest>=8" "hypothesis>=6.100" "$nvrtc" "$cupy" torch "$numba"

say "what is found"
(cd build && "$PY" -m amrex)

FAILED=0
stage() { # stage NAME files and pytest arguments...
  local name=$1
  shift
  say "stage $name"
  (cd build && ZEROFAB_DEVICE=cuda timeout -k 20 1500 "$PY" -m pytest -c "$ROOT/pyproject.toml" --rootdir "$ROOT" \
    -p no:cacheprovider --junitxml "$REPORTS/$name.xml" "$@") || FAILED=1
}
stage consumers -W default "$ROOT/tests/gpu/test_consumers.py" "$@"
# The same tests as the host's, with the containers in the GPU's memory.
stage python -m "not partners and not package and not types" "$ROOT/tests/python" "$@"

say "summary on $(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1), CUDA $cuda"
"$PY" scripts/count_tests.py "$REPORTS" || FAILED=1
exit $FAILED
