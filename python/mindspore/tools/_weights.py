# SPDX-License-Identifier: Apache-2.0
"""Weights by name, from and to files of every format we know."""

from __future__ import annotations

import os

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._checkpoint_formats import BY_EXTENSION, entries_in

FORMATS = ("ckpt", "safetensors", "npz", "torch", "onnx")
_BY_EXTENSION = {**BY_EXTENSION, ".onnx": "onnx"}


def format_of(path: str) -> str:
    """The format a file's name stands for.

    Raises:
        ValueError: The extension is unknown.
    """
    extension = os.path.splitext(path)[1].lower()
    if extension not in _BY_EXTENSION:
        raise ValueError(
            f"The format of '{path}' is not known from its name, which should end with one of "
            f"{', '.join(_BY_EXTENSION)}."
        )
    return _BY_EXTENSION[extension]


def read_weights(path: str, kind: str | None = None) -> dict[str, Tensor]:
    """The arrays of a file by name, in its order.

    Args:
        path (str): The file.
        kind (str): Its format, one of `FORMATS`. Default: ``None``, by its name.

    Raises:
        ValueError: The file is damaged, or of another format.
    """
    kind = kind or format_of(path)
    if not os.path.exists(path):
        raise ValueError(f"The file '{path}' does not exist.")
    return _read_onnx(path) if kind == "onnx" else _read_entries(path, kind)


def write_weights(path: str, weights: dict[str, Tensor], kind: str | None = None) -> None:
    """Writes arrays by name; an older file is replaced as a whole.

    Raises:
        ValueError: The format cannot be written.
    """
    kind = kind or format_of(path)
    if kind not in _WRITERS:
        raise ValueError(
            f"Weights cannot be written in the format '{kind}': choose .ckpt, .safetensors or .npz."
        )
    _WRITERS[kind](path, weights)


# ---- readers ------------------------------------------------------------------------------------------


def _read_entries(path: str, kind: str) -> dict[str, Tensor]:
    loaded = [read() for _, read in entries_in(path, kind, None, "AES-GCM", False)]
    return {name: value for name, value in loaded if isinstance(value, Tensor)}


def _read_onnx(path: str) -> dict[str, Tensor]:
    from mindspore.train._onnx.importer import load_onnx

    return {parameter.name: parameter for parameter in load_onnx(path).get_parameters()}


# ---- writers ------------------------------------------------------------------------------------------


def _write_checkpoint(path: str, weights: dict[str, Tensor]) -> None:
    from mindspore.train.serialization import save_checkpoint

    save_checkpoint([{"name": name, "data": value} for name, value in weights.items()], path)


def _write_npz(path: str, weights: dict[str, Tensor]) -> None:
    arrays = {}
    for name, value in weights.items():
        # NumPy has no bfloat16.
        arrays[name] = (value.astype(mstype.float32) if value.dtype is mstype.bfloat16 else value).asnumpy()
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


_WRITERS = {"ckpt": _write_checkpoint, "safetensors": _write_checkpoint, "npz": _write_npz}
