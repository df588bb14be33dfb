# SPDX-License-Identifier: Apache-2.0
"""Files into which operators print: what is written, and how it is read."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._protobuf import block, fields_of, integer

_NUMBERS = {
    "Bool": np.bool_,
    **{f"Int{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"Uint{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"UInt{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"Float{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
}


def encoded(value) -> bytes:
    """One value as it stands in a file.

    Args:
        value (Union[Tensor, str, object]): What was printed; anything but a Tensor as its text.

    Returns:
        bytes that may follow those of other values.
    """
    return block(1, block(2, _tensor_message(value)) if isinstance(value, Tensor) else block(1, str(value)))


def _tensor_message(tensor: Tensor) -> bytes:
    array = tensor.asnumpy()
    if tensor.dtype is mstype.bfloat16:  # read as float32, of which it is the upper half
        array = (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    shape = b"".join(integer(1, length) for length in tensor.shape)
    return shape + block(2, str(tensor.dtype)) + block(3, array.tobytes())


def parse_print(print_file_name):
    """Reads a file into which operators have printed.

    Args:
        print_file_name (str): Path of the file.

    Returns:
        list of Tensors and strings, in the order in which they were printed.

    Raises:
        ValueError: The file is empty, or holds something else.
    """
    with open(print_file_name, "rb") as file:
        content = file.read()
    if not content:
        raise ValueError(
            f"For 'parse_print', the print file {print_file_name} may be empty, please make sure enter the "
            "correct 'print_file_name'."
        )
    try:
        return [
            _value_of(entry) for field, entry in fields_of(content) if field == 1 and isinstance(entry, bytes)
        ]
    except (ValueError, KeyError) as failure:
        raise ValueError(
            f"Failed to read the print file {print_file_name}, please check whether the file is damaged: "
            f"{failure}"
        ) from failure


def _value_of(entry: bytes):
    for field, value in fields_of(entry):
        if field == 1:
            return value.decode()
        if field == 2:
            return _tensor_of(value)
    raise ValueError("an entry holds neither text nor a tensor")


def _tensor_of(message: bytes):
    shape, kind, content = [], "", b""
    for field, value in fields_of(message):
        if field == 1:
            shape.append(value)
        elif field == 2:
            kind = value.decode()
        elif field == 3:
            content = value
    if kind.lower() == "string":
        return content.decode()
    if kind == "BFloat16":
        bits = np.frombuffer(content, np.uint16).astype(np.uint32) << 16
        return Tensor(bits.view(np.float32).reshape(shape), mstype.bfloat16)
    return Tensor(np.frombuffer(content, _NUMBERS[kind]).reshape(shape).copy())
