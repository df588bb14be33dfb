# SPDX-License-Identifier: Apache-2.0
"""Weights by name, from and to files of every format we know."""

from __future__ import annotations

import os
import zipfile

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor

FORMATS = ("ckpt", "safetensors", "npz", "torch", "onnx")
_BY_EXTENSION = {
    ".ckpt": "ckpt",
    ".safetensors": "safetensors",
    ".npz": "npz",
    ".pth": "torch",
    ".pt": "torch",
    ".bin": "torch",
    ".onnx": "onnx",
}
# Where training scripts keep a network's weights, the likeliest first.
_STATE_KEYS = ("state_dict", "model_state_dict", "model", "net", "network", "weights", "params", "ema")


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
    return _READERS[kind](path)


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


def _read_ckpt(path: str) -> dict[str, Tensor]:
    from mindspore.train.serialization import load_checkpoint

    loaded = load_checkpoint(path)
    return {name: value for name, value in loaded.items() if isinstance(value, Tensor)}


def _read_safetensors(path: str) -> dict[str, Tensor]:
    file = _c.SafetensorsFile(path)
    return {name: file.tensor(number) for number, name in enumerate(file.names())}


def _read_npz(path: str) -> dict[str, Tensor]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: Tensor(file[name]) for name in file.files}
    except (zipfile.BadZipFile, EOFError, OSError, KeyError) as error:
        raise ValueError(f"'{path}' cannot be read as .npz: {error}") from error


def _read_torch(path: str) -> dict[str, Tensor]:
    return state_dict_in(_c.read_torch_file(path), path)


def _read_onnx(path: str) -> dict[str, Tensor]:
    from mindspore.train._onnx.importer import load_onnx

    return {parameter.name: parameter for parameter in load_onnx(path).get_parameters()}


def state_dict_in(root, path: str) -> dict[str, Tensor]:
    """The weights of a network inside whatever a training script saved.

    Raises:
        ValueError: There are none.
    """
    found = _find_state(root, 0)
    if found is None:
        raise ValueError(f"'{path}' holds no weights by name, but {_described(root)}.")
    if all(name.startswith("module.") for name in found):
        found = {name.removeprefix("module."): value for name, value in found.items()}
    return found


def _is_state(value) -> bool:
    return (
        isinstance(value, dict)
        and any(isinstance(item, Tensor) for item in value.values())
        and all(isinstance(key, str) for key in value)
    )


def _find_state(value, depth: int) -> dict | None:
    if not isinstance(value, dict) or depth > 3:
        return None
    if _is_state(value):
        return {name: item for name, item in value.items() if isinstance(item, Tensor)}
    rest = [key for key in value if key not in _STATE_KEYS and "optim" not in str(key)]
    for key in [*(key for key in _STATE_KEYS if key in value), *rest]:
        found = _find_state(value[key], depth + 1)
        if found is not None:
            return found
    return None


def _described(root) -> str:
    if isinstance(root, dict):
        return f"a dict of {', '.join(map(repr, list(root)[:8]))}"
    return f"a {type(root).__name__}"


# ---- writers ------------------------------------------------------------------------------------------


def _write_ckpt(path: str, weights: dict[str, Tensor]) -> None:
    from mindspore.train.serialization import save_checkpoint

    save_checkpoint([{"name": name, "data": value} for name, value in weights.items()], path)


def _write_safetensors(path: str, weights: dict[str, Tensor]) -> None:
    _c.write_safetensors(path, list(weights.items()), [("format", "ms")])


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


_READERS = {
    "ckpt": _read_ckpt,
    "safetensors": _read_safetensors,
    "npz": _read_npz,
    "torch": _read_torch,
    "onnx": _read_onnx,
}
_WRITERS = {"ckpt": _write_ckpt, "safetensors": _write_safetensors, "npz": _write_npz}
