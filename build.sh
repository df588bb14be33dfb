#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel into output/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
Usage: bash build.sh [-e cpu|gpu|ascend] [-V <version>] [-j<n>] [-t on|off] [-a asan|tsan|ubsan] [-h]

Builds the wheel into output/, after installing what the build needs.

  -e <device>     device to build for (default: cpu)
  -V <version>    version of the device's toolkit, such as 12.4; of no effect for cpu
  -j<n>           number of parallel compile jobs (default: one per processor)
  -t on|off       also build the C++ tests (default: off)
  -a <sanitizer>  build with a sanitizer, in a build tree of its own, into output/<sanitizer>
  -h              show this text
TEXT
}

wrong_usage() {
  printf 'build.sh: %s\n\n' "$1" >&2
  usage >&2
  exit 2
}

# check_choice <option> <value> <choice>...
check_choice() {
  local option=$1 value=$2 choice
  shift 2
  for choice in "$@"; do
    [ "$value" = "$choice" ] && return
  done
  wrong_usage "-$option must be one of: $*, but got '$value'"
}

device=cpu toolkit='' jobs='' tests=off sanitizer=''
while getopts ':e:V:j:t:a:h' option; do
  case $option in
    e) device=$OPTARG && check_choice e "$device" cpu gpu ascend ;;
    V) toolkit=$OPTARG ;;
    j) jobs=$OPTARG ;;
    t) tests=$OPTARG && check_choice t "$tests" on off ;;
    a) sanitizer=$OPTARG && check_choice a "$sanitizer" asan tsan ubsan ;;
    h) usage && exit 0 ;;
    :) wrong_usage "-$OPTARG needs a value" ;;
    *) wrong_usage "unknown option -$OPTARG" ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || wrong_usage "unexpected argument '$1'"
[[ $jobs =~ ^([1-9][0-9]*)?$ ]] || wrong_usage "-j must be a positive number, but got '$jobs'"
[[ $toolkit =~ ^([0-9]+(\.[0-9]+)*)?$ ]] ||
  wrong_usage "-V must be a version such as 12.4, but got '$toolkit'"

if [ "$device" != cpu ]; then
  printf 'build.sh: the plug-in for %s is not there yet; only "-e cpu" can be built\n' "$device" >&2
  exit 1
fi
[ -z "$toolkit" ] || printf 'build.sh: -V %s has no effect for cpu\n' "$toolkit"

. tools/environment.sh
install_packages "${build_packages[@]}"
# The long option: pip 23.0, which Debian 12 puts into a new environment, knows no other.
settings=(--config-settings "cmake.define.MYCEL_BUILD_TESTS=$tests"
  --config-settings "cmake.define.MYCEL_SANITIZE=$sanitizer")
if [ "$tests" = on ]; then
  install_packages "${test_packages[@]}"
fi
install_requirements build
tree=$(build_folder)
wheels=output
if [ -n "$sanitizer" ]; then
  tree=build/$sanitizer
  wheels=output/$sanitizer
  settings+=(--config-settings "build-dir=$tree")
fi
if [ -n "$jobs" ]; then
  export CMAKE_BUILD_PARALLEL_LEVEL=$jobs
fi

say "building the wheel in $tree"
mkdir -p "$wheels"
"$venv_python" -m pip wheel --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir "$wheels" "${settings[@]}" .
say "built:" "$wheels"/mycel-*.whl
if [ "$tests" = on ]; then
  say "C++ tests: $tree/mycel_tests $tree/mycel_serving_tests"
fi
