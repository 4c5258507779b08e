# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
# What scripts/demo and scripts/test share: system packages, virtual environments, and one build. Sourced, not run.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
unset PYTHONPATH # a package of the same name elsewhere must not shadow the one under test

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# need COMMAND-OR-FILE PACKAGE...: install Debian packages when the command (or file) is missing and we may; else say so.
need() {
  local wanted=$1
  shift
  if [[ $wanted == /* ]]; then [[ -e $wanted ]] && return 0; else command -v "$wanted" >/dev/null && return 0; fi
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    say "installing $*"
    local quiet=(-qq -o Dpkg::Use-Pty=0)
    DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1 && return 0
    apt-get "${quiet[@]}" update >/dev/null &&
      DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" install -y --no-install-recommends "$@" >/dev/null && return 0
  fi
  die "'$wanted' is missing: install $* (Debian's names) and run this again"
}

# want COMMAND PACKAGE: the same for what is only good to have.
want() { (need "$@") >/dev/null 2>&1 || true; }

# The interpreter for everything: $PYTHON, else the first of these that is 3.10 or newer, has venv and the C headers.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3.11 python3 python3.12 python3.13 python3.14 python3.10; do
    if "$candidate" - 2>/dev/null <<'END'; then
import os, sys, sysconfig, venv, ensurepip
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 10) and os.path.exists(header)))
END
      PYTHON=$(command -v "$candidate")
      return 0
    fi
  done
  return 1
}

basics() {
  need g++ g++
  find_python || {
    need /usr/include/python3 python3 python3-dev python3-venv
    find_python || die "no Python 3.10 or newer with venv and headers was found: set PYTHON=/path/to/python"
  }
  want ccache ccache
  command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache ZEROFAB_LAUNCHER=ccache CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
  mkdir -p build
}

# make_venv NAME: build/NAME, made once.
make_venv() {
  local place=build/$1
  [[ -x $place/bin/python ]] && "$place/bin/python" -c "import pip" 2>/dev/null && return 0
  rm -rf "$place"
  "$PYTHON" -m venv "$place"
}

# build_wheel: the one build, from the sdist, which so proves complete; sets WHEEL. It is incremental: the tools live in
# build/venv-build and the sdist's files in build/source, so that no path changes.
build_wheel() {
  make_venv venv-build
  local py=build/venv-build/bin/python
  "$py" -m pip install -qq "scikit-build-core>=0.10" "nanobind==$(pinned nanobind)" "numpy>=2" "apache-tvm-ffi>=0.1.10" \
    "cmake>=3.24" ninja build
  rm -rf build/wheel build/sdist
  local PATH=$ROOT/build/venv-build/bin:$PATH
  "$py" -m build -q --sdist --no-isolation --outdir build/sdist . >/dev/null
  "$py" scripts/unpack_sdist.py build/sdist/zerofab-*.tar.gz build/source
  "$py" -m pip wheel -qq --no-deps --no-build-isolation -w build/wheel -C build-dir="$ROOT/build/{wheel_tag}" \
    -C cmake.define.ZEROFAB_WERROR=ON -C cmake.define.ZEROFAB_TESTS=OFF build/source
  WHEEL=$(echo "$ROOT"/build/wheel/zerofab-*.whl)
  [[ -f $WHEEL ]] || die "the build made no wheel"
}

# install_wheel VENV [EXTRAS]: the wheel, fresh, and the libraries that the extras name.
install_wheel() {
  local py=build/$1/bin/python
  "$py" -m pip install -qq "zerofab${2:+[$2]} @ file://$WHEEL"
  "$py" -m pip install -qq --no-deps --force-reinstall "$WHEEL"
}

# pinned TOOL: the version that pyproject.toml pins.
pinned() { sed -n "s/.*\"$1==\([0-9.]*\)\".*/\1/p" pyproject.toml | head -n 1; }
