# SPDX-License-Identifier: Apache-2.0
"""Folders of servables: which versions they have."""

import os
import sys


def absolute(path):
    """Against the folder of the script that was started, which is what relative paths in scripts mean."""
    return os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), path))


def versions_in(servable_folder):
    """Numbers of the version folders: decimal, without leading zeros, from 1."""
    names = (entry.name for entry in os.scandir(servable_folder) if entry.is_dir())
    return sorted(int(name) for name in names if name.isascii() and name.isdigit() and name[0] != "0")


def check_servable(directory, name):
    folder = os.path.join(directory, name)
    if not os.path.isdir(folder):
        raise RuntimeError(
            f"Check servable config failed, directory '{folder}' not exist, servable directory "
            f"'{directory}', servable name '{name}'"
        )
    file = os.path.join(folder, "servable_config.py")
    if not os.path.isfile(file):
        raise RuntimeError(
            f"Check servable config failed, file '{file}' not exist, servable directory "
            f"'{directory}', servable name '{name}'"
        )
    return folder
