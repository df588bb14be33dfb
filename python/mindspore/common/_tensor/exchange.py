# SPDX-License-Identifier: Apache-2.0
"""Tensors and other libraries: NumPy, DLPack, pickle, copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op

_HOST = (1, 0)  # kDLCPU, device 0


def to_array(self, dtype=None, copy: bool | None = None) -> np.ndarray:
    _c.warn_of_lost_gradient(self, "An array")
    array = self.asnumpy()
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def numpy(self) -> np.ndarray:
    """The same as `asnumpy()`."""
    return self.asnumpy()


def tolist(self) -> list | int | float | bool | complex:
    """The elements as nested lists of Python numbers, or one number for a 0-d tensor."""
    return self.asnumpy().tolist()


def get_bytes(self) -> bytes:
    """The memory of the tensor, in row-major order."""
    return bits_of(self).tobytes()


def bits_of(self) -> np.ndarray:
    """An array of the tensor's memory, without a copy where it can be; bfloat16 as whole numbers."""
    if self.dtype is mstype.bfloat16:
        return _c.reinterpret(self, mstype.uint16).asnumpy()
    return self.asnumpy()


def state_of(self) -> dict:
    return {"array": np.array(bits_of(self)), "dtype": self.dtype, "attributes": dict(self.__dict__)}


def make_empty(cls) -> Tensor:
    return cls.__new__(cls)


def reduce(self):
    if not self._has_data():
        return make_empty, (type(self),), {"array": None, "attributes": dict(self.__dict__)}
    attributes = {key: value for key, value in self.__dict__.items() if not key.startswith("_index_origin")}
    state = state_of(self)
    state["attributes"] = attributes
    return make_empty, (type(self),), state


def set_state(self, state) -> None:
    """Restores what pickle saved."""
    array = state["array"]
    if array is not None:
        tensor = _c.copy_numpy(array)
        is_bits = state["dtype"] is mstype.bfloat16
        self._share(_c.reinterpret(tensor, mstype.bfloat16) if is_bits else tensor)
    self.__dict__.update(state["attributes"])


def deep_copy(self, memo) -> Tensor:
    if not self._has_data() or type(self) is not Tensor:
        rebuild, arguments, state = self.__reduce__()
        result = rebuild(*arguments)
        memo[id(self)] = result
        result.__setstate__(state)
        return result
    result = op.copy(self)
    memo[id(self)] = result
    return result


def dlpack(
    self,
    *,
    stream: int | None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule on the tensor's memory."""
    return _c.to_dlpack(_c.detach(self))


def dlpack_device(self) -> tuple:
    return _HOST


def from_dlpack(source) -> Tensor:
    """A Tensor on the memory of a DLPack capsule or of an object that offers one."""
    return _c.from_dlpack(source)
