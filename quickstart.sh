#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a bare machine to a trained LeNet-5: installs what is needed, builds the package into .venv,
# trains on Fashion-MNIST in PyNative mode, evaluates, and draws the loss curve.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

. tools/environment.sh
install_packages "${build_packages[@]}" "${data_packages[@]}"
install_requirements build quickstart
say "building and installing mindspore into .venv (some minutes the first time)"
install_mindspore
"$venv_python" docs/guide/quickstart_lenet.py "$@"
