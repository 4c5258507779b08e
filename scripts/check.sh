#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
# The quick checks, for people and CI: modules, formats, lint, types, stubs. scripts/check.sh [--fix]
# Uses $PYTHON (an environment with the extra [dev]), else build/venv-test, else makes build/venv-check.
set -uo pipefail
cd "$(dirname "$0")/.."
if [[ -z ${PYTHON:-} ]]; then
  PYTHON=build/venv-test/bin/python
  if [[ ! -x $PYTHON ]]; then
    PYTHON=build/venv-check/bin/python
    [[ -x $PYTHON ]] || python3 -m venv build/venv-check
    tools=$(sed -n 's/^dev = \[\(.*\)\]$/\1/p' pyproject.toml | tr -d '",')
    "$PYTHON" -m pip install -qq $tools numpy || exit 1
  fi
fi
BIN=$(cd "$(dirname "$PYTHON")" && pwd)
PYTHON=$BIN/$(basename "$PYTHON")
fix=${1:-}
failed=()
step() { # step NAME command...
  local name=$1 started=$SECONDS
  shift
  "$@" && printf '%-14s ok (%d s)\n' "$name" $((SECONDS - started)) || {
    printf '%-14s FAILED\n' "$name"
    failed+=("$name")
  }
}
if [[ $fix == --fix ]]; then
  lint=(check -q --fix --output-format=concise) format=(format -q) clang=(-i)
else
  lint=(check -q --output-format=concise) format=(format -q --check) clang=(--dry-run -Werror)
fi
clang_format() {
  git ls-files -co --exclude-standard -- '*.hpp' '*.cpp' | xargs -n 60 "$BIN/clang-format" "${clang[@]}" 2>&1 |
    sed -n 's/^\([^: ]*\):.*clang-format-violations.*/\1 is not formatted (scripts\/check.sh --fix)/p' | sort -u |
    { ! grep .; }
}
python_files=()
for place in python/amrex tests/python tests/gpu examples scripts scripts/stubs benchmarks; do [[ -e $place ]] && python_files+=("$place"); done

step modules "$PYTHON" scripts/check_modules.py
step ruff-check "$BIN/ruff" "${lint[@]}" "${python_files[@]}"
step ruff-format "$BIN/ruff" "${format[@]}" "${python_files[@]}"
step clang-format clang_format
step mypy env MYPYPATH=python "$PYTHON" -m mypy --strict python/amrex
if (cd scripts && "$PYTHON" -c "import amrex._core") 2>/dev/null; then
  step stubs "$PYTHON" scripts/stubs --check
else
  echo "stubs          not run: amrex is not installed in $PYTHON"
fi
((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}" && exit 1; }
