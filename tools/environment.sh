# SPDX-License-Identifier: Apache-2.0
# Prepares the machine for building and testing. Sourced by build.sh, quickstart.sh and
# tests/runtest.sh, which run in the repository root. Everything here may run again and is quick
# when there is nothing left to do.

build_packages=(g++ cmake ninja-build ccache python3-venv python3-dev llvm-14-dev
  libjpeg62-turbo-dev libpng-dev libtiff-dev libwebp-dev zlib1g-dev libsqlite3-dev libssl-dev
  libopencv-core-dev libopencv-imgproc-dev libboost-dev
  libgrpc++-dev libnghttp2-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc)
test_packages=(git libgtest-dev libgmock-dev clang-format)
data_packages=(dataset-fashion-mnist)
venv_python=.venv/bin/python

say() { printf '== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      printf '%s\n' "$package"
  done
}

# Installs those of the named Debian packages that are not there.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "no Debian packages on this system; the equivalents of these are expected: $*"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing and sudo is too: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq
    -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0)
  # A package list that is missing or out of date is the one failure a refresh can cure.
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 || {
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
  } || fail "could not install: ${missing[*]}"
}

python_can_build() {
  "$1" - 2>/dev/null <<'PYTHON'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
known = sys.implementation.name == "cpython" and (3, 10) <= sys.version_info[:2] <= (3, 13)
sys.exit(0 if known and os.path.exists(header) else 1)
PYTHON
}

# Makes .venv with the first Python that can build extensions; keeps one that works.
make_venv() {
  "$venv_python" -c 'import pip' 2>/dev/null && return
  local candidate
  for candidate in python3 /usr/bin/python3 python3.13 python3.12 python3.11 python3.10; do
    if python_can_build "$candidate"; then
      say "making .venv with $("$candidate" --version)"
      "$candidate" -m venv --clear .venv
      return
    fi
  done
  fail "no CPython 3.10 to 3.13 with headers (python3-dev) and venv (python3-venv) was found"
}

# Installs the Python requirements of the named groups: build, test, quickstart.
install_requirements() {
  make_venv
  local list stamp requirements
  list=$("$venv_python" tools/list_requirements.py "$@") || fail "could not read pyproject.toml"
  stamp=.venv/requirements-$(IFS=- && printf '%s' "$*")
  [ -e "$stamp" ] && [ "$(<"$stamp")" = "$list" ] && return
  say "installing Python packages: ${list//$'\n'/ }"
  mapfile -t requirements <<<"$list"
  "$venv_python" -m pip install --quiet --disable-pip-version-check "${requirements[@]}" ||
    fail "could not install the Python packages"
  printf '%s\n' "$list" >"$stamp"
}

# Folder in which scikit-build-core builds for this Python, as pyproject.toml names it.
build_folder() { printf 'build/%s' "$("$venv_python" -m scikit_build_core.builder.wheel_tag)"; }

# Builds the package and installs it into .venv. Without build isolation, so that the build tree
# stays valid and the next call compiles what has changed. Arguments are passed on to pip.
install_mindspore() {
  "$venv_python" -m pip install --disable-pip-version-check --no-build-isolation \
    --no-deps "$@" .
}
