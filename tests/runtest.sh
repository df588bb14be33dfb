#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds, and runs the tests.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: bash tests/runtest.sh [selection]

Installs what is needed (Debian packages, Python packages into .venv), builds, and tests.

  all                    lint, C++ tests, Python tests (default)
  lint                   layers, foreign headers, lengths, names, format; builds nothing
  cpp [gtest options]    C++ tests, e.g. cpp --gtest_filter='Shape*'
  python [pytest args]   Python tests of the installed package, e.g. python tests/ops -k relu
  tidy                   clang-tidy over all of src/; slow, not part of all
  sanitize <name>        C++ tests built with asan, tsan or ubsan; not part of all
  -h                     show this text
TEXT
}

wrong_usage() {
  printf 'runtest.sh: %s\n\n' "$1" >&2
  usage >&2
  exit 2
}

failed=()

# stage <name> <command>...: runs it, says how long it took, remembers a failure.
stage() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name"
  "$@" || status=$?
  say "$name: $([ $status -eq 0 ] && echo ok || echo FAILED) after $((SECONDS - start)) s"
  [ $status -eq 0 ] || failed+=("$name")
  return $status
}

install() {
  install_packages "${build_packages[@]}" "${test_packages[@]}" && install_requirements build test
}

# The long option: pip 23.0, which Debian 12 puts into a new environment, knows no other.
build() {
  install_mindspore --config-settings cmake.define.MYCEL_BUILD_TESTS=ON \
    --config-settings cmake.define.MYCEL_SANITIZE=
}

lint() { "$venv_python" tools/lint/run.py; }

# Both, also when the first of them fails.
cpp() {
  local status=0 program
  for program in mycel_tests mycel_serving_tests; do
    "$(build_folder)/$program" --gtest_brief=1 "$@" || status=$?
  done
  return $status
}

tidy() {
  install_packages clang-tidy &&
    find src -name '*.cc' -print0 |
    xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p "$(build_folder)"
}

sanitize() {
  local tree=build/$1
  cmake -G Ninja -S . -B "$tree" -DMYCEL_BUILD_TESTS=ON -DMYCEL_SANITIZE="$1" \
    -DPython_EXECUTABLE="$PWD/$venv_python" >/dev/null &&
    cmake --build "$tree" --target mycel_tests mycel_serving_tests &&
    "$tree/mycel_tests" --gtest_brief=1 && "$tree/mycel_serving_tests" --gtest_brief=1
}

# Last and without a closing line of its own: what stays on the screen is pytest's summary.
python_tests() {
  say "Python tests"
  "$venv_python" -m pytest "$@" || failed+=("Python tests")
}

selection=${1:-all}
[ $# -eq 0 ] || shift
case $selection in
  -h | --help) usage && exit 0 ;;
  cpp | python) ;;
  all | lint | tidy) [ $# -eq 0 ] || wrong_usage "'$selection' takes no arguments" ;;
  sanitize)
    [[ $# -eq 1 && $1 =~ ^(asan|tsan|ubsan)$ ]] || wrong_usage "sanitize needs asan, tsan or ubsan"
    ;;
  *) wrong_usage "unknown selection '$selection'" ;;
esac

. tools/environment.sh
stage install install || exit 1
case $selection in
  all | cpp | python | tidy) stage build build || exit 1 ;;
esac
case $selection in
  all)
    stage lint lint
    stage "C++ tests" cpp
    python_tests tests
    ;;
  lint) stage lint lint ;;
  cpp) stage "C++ tests" cpp "$@" ;;
  python) python_tests "$@" ;;
  tidy) stage clang-tidy tidy ;;
  sanitize) stage "C++ tests with $1" sanitize "$1" ;;
esac
if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED: %s\n' "${failed[*]}" >&2
  exit 1
fi
