# SPDX-License-Identifier: Apache-2.0
"""The programs that worker processes run."""

import importlib.util
import os
import sys


def native_program(name):
    """Path of a program of the package mindspore, which is found but not imported."""
    spec = importlib.util.find_spec("mindspore")
    folders = list(spec.submodule_search_locations) if spec and spec.submodule_search_locations else []
    tried = [os.path.join(folder, "bin", name) for folder in folders]
    for path in tried:
        if os.access(path, os.X_OK):
            return path
    told = f"the program {tried[0]} is not there" if tried else "Python finds no package of this name"
    raise RuntimeError(
        f"Serving runs models with the package mindspore (the wheel 'mycel'), but {told}: install it for "
        f"{sys.executable}"
    )


def stage_worker():
    """Command of the worker of Python stages."""
    return [sys.executable, "-m", "mindspore_serving.server._stage_worker"]
