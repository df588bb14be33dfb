# SPDX-License-Identifier: Apache-2.0
"""Imports a servable_config.py, which declares its servable in `register`."""

import importlib
import importlib.util
import sys
from pathlib import Path

from mindspore_serving.server.register._declared import declared


def import_config(servable_directory, servable_name):
    """RuntimeError "import ... failed" with the text of whatever was raised in it."""
    name = f"{servable_name}.servable_config"
    declared.servable_name = servable_name
    sys.path.append(servable_directory)
    try:
        _import(name, Path(servable_directory) / servable_name / "servable_config.py")
        if not declared.methods:
            raise RuntimeError(f"There is no method registered for servable '{servable_name}'")
    except Exception as error:
        raise RuntimeError(f"import {name} failed, {type(error).__name__}: {error}") from error
    return declared


def _import(name, file):
    try:
        module = importlib.import_module(name)
        if Path(module.__file__).resolve() == file.resolve():
            return
    except ModuleNotFoundError as error:
        if not name.startswith(error.name or ""):
            raise
    # Another package bears the servable's name, or the name is none that Python can import.
    spec = importlib.util.spec_from_file_location("servable_config", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
