# SPDX-License-Identifier: Apache-2.0
"""What `import mindspore as ms` offers: packages as attributes, and only names for users in `dir`."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

import mindspore as ms

PACKAGES = [
    "amp",
    "boost",
    "common",
    "communication",
    "context",
    "dataset",
    "dtype",
    "experimental",
    "hal",
    "log",
    "mindrecord",
    "nn",
    "numpy",
    "ops",
    "parallel",
    "profiler",
    "train",
    "utils",
    "version",
]
FACES = {
    "mindspore": ms,
    "mindspore.nn": ms.nn,
    "mindspore.ops": ms.ops,
    "mindspore.dataset": ms.dataset,
    "mindspore.train": ms.train,
    "mindspore.context": ms.context,
    "mindspore.amp": ms.amp,
}
HELPERS = {
    "annotations",
    "imported_later",
    "stays_awake_briefly",
    "shown_names",
    "import_module",
    "op",
    "logger",
}


def fresh(code: str) -> str:
    """What a program prints that has imported nothing else."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_packages_are_attributes_without_their_own_import():
    code = f"import mindspore as ms; print([getattr(ms, name).__name__ for name in {PACKAGES}])"
    homes = [f"mindspore.{name}" if name != "dtype" else "mindspore.common.dtype" for name in PACKAGES]
    assert fresh(code) == str(homes)


def test_numpy_works_at_once():
    assert fresh("import mindspore as ms; print(ms.numpy.arange(3))") == "[0 1 2]"
    assert fresh("import mindspore as ms; print(ms.nn.probability.__name__)") == "mindspore.nn.probability"
    assert fresh("import mindspore as ms; print(ms.ops.operations.ReLU is ms.ops.ReLU)") == "True"


def test_what_is_not_needed_is_not_loaded():
    later = [
        "mindspore.numpy",
        "mindspore.dataset",
        "mindspore.train.model",
        "mindspore.boost",
        "mindspore.parallel",
    ]
    code = f"import sys, mindspore; dir(mindspore); print([name for name in {later} if name in sys.modules])"
    assert fresh(code) == "[]"


def test_star_import_brings_what_is_imported_later():
    assert fresh(
        "from mindspore import *; print(Model.__name__, load_checkpoint.__name__, 'nn' in globals())"
    ) == ("Model load_checkpoint False")


@pytest.mark.parametrize("name", FACES)
def test_dir_shows_public_names_only(name):
    shown = [each for each in dir(FACES[name]) if not each.startswith("__")]
    assert not HELPERS & set(shown)
    assert not [each for each in shown if each.startswith("_")]
    assert shown == sorted(shown)
    foreign = [
        each
        for each in shown
        if isinstance(getattr(FACES[name], each), types.ModuleType)
        and not getattr(FACES[name], each).__name__.startswith("mindspore")
    ]
    assert not foreign


def test_dir_shows_packages_and_what_is_imported_later():
    assert {*PACKAGES, "Tensor", "Model", "load_checkpoint", "Profiler"} <= set(dir(ms))
    assert {"Accuracy", "metrics", "Dense", "probability"} <= set(dir(ms.nn))
    assert {"grad", "ReLU", "relu", "operations", "constexpr"} <= set(dir(ms.ops))
    assert {"MnistDataset", "config", "vision"} <= set(dir(ms.dataset))
    assert not {"datasets_audio", "iterators", "schema"} & set(dir(ms.dataset))


def test_a_name_that_is_not_there():
    for face in ("mindspore", "mindspore.nn", "mindspore.ops", "mindspore.dataset", "mindspore.train"):
        with pytest.raises(AttributeError, match=f"module '{face}' has no attribute 'no_such_name'"):
            FACES[face].no_such_name  # noqa: B018
