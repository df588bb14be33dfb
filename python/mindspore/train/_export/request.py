# SPDX-License-Identifier: Apache-2.0
"""What a call of `export` asks for, checked."""

from __future__ import annotations

import inspect
import re

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

FORMATS = {"AIR": ".air", "ONNX": ".onnx", "MINDIR": ".mindir"}
_NAME = re.compile(r"[0-9a-zA-Z@_\-.:/\\]+")


def checked_path(file_name, file_format: str) -> str:
    """The path of the file, with its ending.

    Raises:
        ValueError: The format is unknown, or the name has characters that names may not have.
    """
    if file_format not in FORMATS:
        raise ValueError(
            f"For 'export', 'file_format' must be one of {list(FORMATS)}, but got {file_format}."
        )
    if not isinstance(file_name, str):
        raise TypeError(f"For 'export', 'file_name' must be a str, but got {type(file_name).__name__}.")
    if not _NAME.fullmatch(file_name) or file_name[-1] in "/\\":
        raise ValueError(
            "For 'export', 'file_name' must consist of letters, digits and @_-.:/\\ and not end with a "
            f"slash, but got '{file_name}'."
        )
    ending = FORMATS[file_format]
    return file_name if file_name.endswith(ending) else file_name + ending


def check_network(net) -> None:
    """TypeError when there is nothing to run."""
    if not isinstance(net, Cell) and not callable(net):
        raise TypeError(f"For 'export', 'net' must be a Cell or a function, but got {type(net).__name__}.")


def network_inputs(inputs: tuple) -> tuple:
    """The inputs, each in memory of its own: how they lie here says nothing of those of later calls. A
    dataset stands for the first of its images."""
    from mindspore.dataset import Dataset

    if len(inputs) != 1 or not isinstance(inputs[0], Dataset):
        given = tuple(Tensor(item) if isinstance(item, np.ndarray) else item for item in inputs)
        return map_tensors(_in_own_memory, given)
    row = next(inputs[0].create_dict_iterator(num_epochs=1), None)
    if row is None or "image" not in row:
        raise ValueError("For 'export', a dataset given as input must have rows with a column 'image'.")
    return (Tensor(row["image"]),)


def _in_own_memory(tensor: Tensor) -> Tensor:
    return op.copy(tensor) if type(tensor) is Tensor and tensor._has_data() else tensor


def input_names(net, inputs: tuple) -> list[str]:
    """A name for every tensor of the inputs, after the network's parameters."""
    run = net.construct if isinstance(net, Cell) else net
    try:
        parameters = inspect.signature(run).bind(*inputs).arguments
    except (TypeError, ValueError):
        parameters = {f"input_{i}": value for i, value in enumerate(inputs)}
    names: list[str] = []
    for name, value in parameters.items():
        count = len(tensors_in((value,)))
        names += [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
    return names


CIPHERS = ("AES-GCM", "AES-CBC", "SM4-CBC")


def cipher(kwargs: dict, file_format: str):
    """The function that encrypts the bytes of a file, or None.

    Raises:
        ValueError: The key is not bytes, or the format cannot be encrypted that way.
    """
    key, mode = kwargs.get("enc_key"), kwargs.get("enc_mode", "AES-GCM")
    if not callable(mode) and mode not in CIPHERS:
        raise ValueError(
            f"For 'export', 'enc_mode' must be one of {list(CIPHERS)} or a function, but got {mode}."
        )
    if key is None:
        return None
    if not isinstance(key, bytes) or not key:
        raise ValueError(
            f"For 'export', 'enc_key' must be bytes that are not empty, but got {type(key).__name__}."
        )
    if callable(mode):
        return lambda content: mode(content, key)
    if file_format != "MINDIR":
        raise ValueError(
            f"For 'export', 'enc_mode' must be a function when 'file_format' is '{file_format}', "
            f"but got {mode}."
        )
    return lambda content: _enveloped(content, key, mode)


def _enveloped(content: bytes, key: bytes, mode: str) -> bytes:
    try:
        return _c.encrypt_envelope(content, key, mode)
    except RuntimeError as failure:
        raise ValueError(f"For 'export', 'enc_key' does not suit 'enc_mode' {mode}: {failure}") from failure
