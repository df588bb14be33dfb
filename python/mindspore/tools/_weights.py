# SPDX-License-Identifier: Apache-2.0
"""Weights by name, from and to files of every format we know."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.tools._torch_writer import write_torch
from mindspore.train._checkpoint_formats import BY_EXTENSION, entries_in
from mindspore.train._export.atomic_file import atomic_file

FORMATS = ("ckpt", "safetensors", "npz", "torch", "onnx", "mindir")
WRITTEN = FORMATS[:4]
_BY_EXTENSION = {**BY_EXTENSION, ".onnx": "onnx", ".mindir": "mindir"}


def without_place(error: Exception) -> str:
    """What an error says, without the line of the program, which here is that of a command."""
    return str(error).partition("\n  at ")[0]


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


def entries_of(path: str, kind: str | None = None, key=None, mode: str = "AES-GCM") -> dict[str, Callable]:
    """What reads each entry of a file, by name: tensors, texts, and arrays of map parameters.

    Args:
        path (str): The file.
        kind (str): Its format, one of `FORMATS`. Default: ``None``, by its name.
        key (bytes): Key of an encrypted ``.ckpt``. Default: ``None``.
        mode (str): How it was encrypted. Default: ``"AES-GCM"``.

    Raises:
        ValueError: There is no such file, it is damaged, or of another format.
    """
    if not os.path.exists(path):
        raise ValueError(f"The file '{path}' does not exist.")
    if os.path.isdir(path):
        raise ValueError(f"'{path}' is a folder, not a file of weights.")
    kind = kind or format_of(path)
    if kind == "onnx":
        return _onnx_entries(path)
    if kind == "mindir":
        return _mindir_entries(path)
    return {name: lambda read=read: read()[1] for name, read in entries_in(path, kind, key, mode, False)}


def read_weights(path: str, kind: str | None = None) -> dict[str, Tensor]:
    """The arrays of a file by name, in its order.

    Args:
        path (str): The file.
        kind (str): Its format, one of `FORMATS`. Default: ``None``, by its name.

    Raises:
        ValueError: There is no such file, it is damaged, or of another format.
    """
    loaded = {name: read() for name, read in entries_of(path, kind).items()}
    return {name: value for name, value in loaded.items() if isinstance(value, Tensor)}


def target_of(path: str, kind: str | None = None) -> tuple[str, str]:
    """The file to write, with its ending, and its format.

    Raises:
        ValueError: The format cannot be written, or the name tells another one.
    """
    by_name = _BY_EXTENSION.get(os.path.splitext(path)[1].lower())
    kind = kind or by_name or format_of(path)
    if kind not in WRITTEN:
        raise ValueError(
            f"Weights cannot be written to '{path}' in the format '{kind}': choose .ckpt, .safetensors, .npz "
            "or .pth, or write a whole network with mindspore.export, or that of a MindIR file with "
            "mindspore.convert_model."
        )
    if by_name is None:
        return path + {"torch": ".pth"}.get(kind, f".{kind}"), kind
    if by_name != kind:
        raise ValueError(f"'{path}' is the name of a file of the format '{by_name}', not '{kind}'.")
    return path, kind


def write_weights(path: str, weights: dict[str, Tensor], kind: str | None = None) -> str:
    """Writes arrays by name; an older file is replaced as a whole.

    Returns:
        str, the file, whose ending was added where it was missing.

    Raises:
        ValueError: The format cannot be written.
        OSError: The file cannot be written.
    """
    path, kind = target_of(path, kind)
    _WRITERS[kind](path, weights)
    return path


def _onnx_entries(path: str) -> dict[str, Callable]:
    """The weights of a network, whether or not all its operators are known."""
    return {name: lambda tensor=tensor: tensor for name, tensor in _c.load_onnx_weights(path)}


def _mindir_entries(path: str) -> dict[str, Callable]:
    """The parameters of a network."""
    from mindspore.train._mindir.model_file import load_func_graph

    try:
        parameters = load_func_graph(path).parameters
    except RuntimeError as failure:
        raise ValueError(without_place(failure)) from failure
    return {parameter.name: lambda parameter=parameter: parameter for parameter in parameters}


# ---- writers ------------------------------------------------------------------------------------------


def _write_checkpoint(path: str, weights: dict[str, Tensor]) -> None:
    from mindspore.train.serialization import save_checkpoint

    save_checkpoint([{"name": name, "data": value} for name, value in weights.items()], path)


def _write_npz(path: str, weights: dict[str, Tensor]) -> None:
    with atomic_file(path, 0o644) as file, zipfile.ZipFile(file, "w") as archive:
        for name, value in weights.items():
            # NumPy has no bfloat16.
            plain = value.astype(mstype.float32) if value.dtype is mstype.bfloat16 else value
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, plain.asnumpy(), allow_pickle=False)


_WRITERS = {
    "ckpt": _write_checkpoint,
    "safetensors": _write_checkpoint,
    "npz": _write_npz,
    "torch": write_torch,
}
