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

# ---- system packages: what is missing is noted first, then installed at once, or named in one message

REQUIRED=() USEFUL=()

have() { # have COMMAND-OR-FILE; a file may be a pattern
  if [[ $1 == /* ]]; then compgen -G "$1" >/dev/null; else command -v "$1" >/dev/null; fi
}
need() { have "$1" || REQUIRED+=("${@:2}"); } # need COMMAND-OR-FILE PACKAGE...: nothing works without it
want() { have "$1" || USEFUL+=("${@:2}"); }   # the same for what only a part needs

# install_noted: as root by apt-get; a user is told all of it, once. Useful packages that cannot be had stop nothing.
install_noted() {
  ((${#REQUIRED[@]} + ${#USEFUL[@]})) || return 0
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    say "installing ${REQUIRED[*]} ${USEFUL[*]}"
    local package useful=()
    apt-get -qq update >/dev/null || true
    for package in "${USEFUL[@]}"; do
      if [[ -n $(apt-cache -q show "$package" 2>/dev/null) ]]; then useful+=("$package"); else echo "(no package $package here)"; fi
    done
    apt_install "${REQUIRED[@]}" "${useful[@]}" || apt_install "${REQUIRED[@]}" ||
      die "apt-get could not install ${REQUIRED[*]} (its messages are in build/apt.log)"
  elif ((${#REQUIRED[@]})); then
    die "missing here: ${REQUIRED[*]} (Debian's names).
As root: apt-get install ${REQUIRED[*]} ${USEFUL[*]}
then run this again.${USEFUL:+ Not needed, but each a stage or feature: ${USEFUL[*]}}"
  else
    say "not installed here, which leaves out a stage or feature each: ${USEFUL[*]} (Debian's names)"
  fi
  REQUIRED=() USEFUL=()
}

apt_install() {
  mkdir -p build
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "$@" >build/apt.log 2>&1
}

# ---- Python

# lacks PYTHON: what this interpreter lacks, as Debian's names of packages; "unfit" where no package helps.
lacks() {
  "$1" - 2>/dev/null <<'END' || echo unfit
import importlib.util, os, sys, sysconfig
if sys.version_info < (3, 10):
    print("unfit")
if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
    print("python3-venv")
if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
    print("python3-dev")
END
}

# The interpreter for everything: $PYTHON, else the first that is 3.10 or newer and has venv and the C headers. The
# system's comes first: what it lacks is a package away, and its pip is the oldest that newcomers have.
find_python() {
  local candidate
  for candidate in ${PYTHON:-/usr/bin/python3 python3 python3.11 python3.12 python3.13 python3.14 python3.10}; do
    [[ $(command -v "$candidate") && -z $(lacks "$candidate") ]] && PYTHON=$(command -v "$candidate") && return 0
  done
  return 1
}

need_python() {
  find_python && return 0
  local python=${PYTHON:-/usr/bin/python3} missing
  missing=$(lacks "$python")
  if ! have "$python"; then
    [[ -z ${PYTHON:-} ]] || die "PYTHON=$PYTHON is not there"
    missing="python3 python3-venv python3-dev"
  elif [[ $missing == *unfit* ]]; then
    die "$python is no Python 3.10 or newer: set PYTHON=/path/to/python"
  fi
  REQUIRED+=($missing)
}

need_compiler() {
  local major
  need "${CXX:-g++}" g++
  have "${CXX:-g++}" && major=$("${CXX:-g++}" -dumpversion | cut -d. -f1) || return 0
  [[ $("${CXX:-g++}" --version) == *clang* ]] || ((major >= 11)) || die "${CXX:-g++} is version $major: C++20 needs g++ 11 or newer (set CXX)"
}

# basics: what every script here needs; a script notes what else it needs before.
basics() {
  need_compiler
  need_python
  want ccache ccache
  want clang-15 clang-15 libclang-common-15-dev # kernels as SPIR-V, for SYCL
  want llvm-spirv-15 llvm-spirv-15
  install_noted
  find_python || die "no Python 3.10 or newer with venv and headers was found: set PYTHON=/path/to/python"
  have ccache && export CMAKE_CXX_COMPILER_LAUNCHER=ccache ZEROFAB_LAUNCHER=ccache CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
  mkdir -p build
}

# make_venv NAME [PYTHON]: build/NAME, made once for an interpreter, with a pip that knows --config-settings.
make_venv() {
  local venv=build/$1 python=${2:-$PYTHON} origin='import sys, pip; print(sys.version, sys.base_prefix)'
  [[ $("$venv/bin/python" -c "$origin" 2>/dev/null) == "$("$python" -c "${origin/, pip/}")" ]] && return 0
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/python" -c 'import pip, sys; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (22, 1))' ||
    "$venv/bin/python" -m pip install -qq --upgrade "pip>=23.1"
}

# build_wheel [PYTHON]: the one build, from the sdist, which so proves complete; sets WHEEL. It is incremental, and nothing
# where neither sources nor tools changed: the tools live in build/venv-build and the sdist's files in build/source, so
# that no path changes. Another interpreter than $PYTHON has its own tools and objects; the library's come from ccache.
build_wheel() {
  local python=${1:-$PYTHON} tools=venv-build
  [[ $python == "$PYTHON" ]] || tools+=-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  make_venv "$tools" "$python"
  local py=$ROOT/build/$tools/bin/python
  "$py" -m pip install -qq "scikit-build-core>=0.10" "nanobind==$(pinned nanobind)" "numpy>=2" "apache-tvm-ffi>=0.1.10" \
    "cmake>=3.24" ninja build
  local wheels=$ROOT/build/wheel/$tools origin
  rm -rf build/sdist
  local PATH=$ROOT/build/$tools/bin:$PATH
  "$py" -m build -q --sdist --no-isolation --outdir build/sdist . >/dev/null
  "$py" scripts/unpack_sdist.py build/sdist/zerofab-*.tar.gz build/source
  origin=$(find build/source -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  origin+=$'\n'$("${CXX:-g++}" --version | head -n 1; command -v clang-15 llvm-spirv-15; "$py" -m pip freeze)
  if [[ $(cat "$wheels/origin" 2>/dev/null) != "$origin" ]]; then
    rm -rf "$wheels"
    # The long form: -C is not known to the pip of Debian 12 (23.0).
    "$py" -m pip wheel -qq --no-deps --no-build-isolation -w "$wheels" --config-settings=build-dir="$ROOT/build/{wheel_tag}" \
      --config-settings=cmake.define.ZEROFAB_WERROR=ON --config-settings=cmake.define.ZEROFAB_TESTS=OFF build/source
    echo "$origin" >"$wheels/origin"
  fi
  WHEEL=$(echo "$wheels"/zerofab-*.whl)
  [[ -f $WHEEL ]] || die "the build made no wheel"
}

# install_wheel VENV [EXTRAS]: the wheel, fresh, and the libraries that the extras name.
install_wheel() {
  local py=build/$1/bin/python
  "$py" -m pip install -qq "zerofab${2:+[$2]} @ file://$WHEEL"
  "$py" -m pip install -qq --no-deps --force-reinstall "$WHEEL"
}

# install_extras VENV EXTRA...: what pyproject.toml lists under these, before there is a wheel to ask for them.
install_extras() {
  local py=build/$1/bin/python wanted
  wanted=$("$py" -c 'import sys
from pip._vendor import tomli
with open("pyproject.toml", "rb") as f: extras = tomli.load(f)["project"]["optional-dependencies"]
for name in sys.argv[1:]: print(*extras[name], sep="\n")' "${@:2}")
  "$py" -m pip install -qq -r <(echo "$wanted")
}

# pinned TOOL: the version that pyproject.toml pins.
pinned() { sed -n "s/.*\"$1==\([0-9.]*\)\".*/\1/p" pyproject.toml | head -n 1; }
