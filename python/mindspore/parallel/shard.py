# SPDX-License-Identifier: Apache-2.0
"""How tensors would lie on several devices."""

from __future__ import annotations

import copy
from collections.abc import Callable

from mindspore import context
from mindspore._sharding import check_sharding

_INTERLEAVED = "interleaved_parallel"


def _check_arrangement(matrix: tuple, names: tuple) -> None:
    for what, value in (("device_matrix", matrix), ("alias_name", names)):
        if not isinstance(value, tuple):
            raise TypeError(f"{what} must be tuple type, but got:{type(value)}")
    if len(matrix) != len(names):
        raise ValueError(
            f"device_matrix length should be equal to alias_name length, but got {matrix} and {names}."
        )
    for length in matrix:
        if not isinstance(length, int):
            raise TypeError(f"The element of device_matrix must be int type, but got:{type(length)}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"The element of alias_name must be str type, but got:{type(name)}")
        if name in ("", "None"):
            raise ValueError(f"The element of alias_name can not be {name!r}: 'None' means no sharding.")
    if len(set(names)) != len(names):
        raise ValueError(f"Each element of alias_name {names} should be different")
    if _INTERLEAVED in names[:-1] or (names[-1:] == (_INTERLEAVED,) and matrix[-1] != 2):
        raise ValueError(
            f"When alias_name {names} contains keyword 'interleaved_parallel', it should be at the last dim "
            "of alias_name, and the corresponding dim of device_matrix should be 2."
        )


class Layout:
    """An arrangement of devices with named axes; called with a name for each axis of a tensor, its layout.

    Args:
        device_matrix (tuple[int]): How many devices lie along each axis.
        alias_name (tuple[str]): Names of the axes.

    Raises:
        TypeError: An argument, or an entry, has the wrong type.
        ValueError: The lengths differ, or a name is empty, ``"None"`` or there twice.

    Examples:
        >>> from mindspore.parallel import Layout
        >>> Layout((2, 2, 2), ("dp", "sp", "mp"))("dp", "mp").to_dict()["tensor_map"]
        (2, 0)
    """

    def __init__(self, device_matrix: tuple, alias_name: tuple) -> None:
        _check_arrangement(device_matrix, alias_name)
        self._device_shape, self._alias_name = device_matrix, alias_name
        self._tensor_map: tuple | None = None

    def __call__(self, *tensor_map: str | tuple) -> Layout:
        """The layout of a tensor.

        Args:
            tensor_map (tuple): For each axis of the tensor the name of an axis of devices, several, or
                ``"None"``.

        Raises:
            ValueError: A name is unknown, or there twice.
        """
        used: set[str] = set()
        places = tuple(
            tuple(self._place(name, used) for name in entry)
            if isinstance(entry, tuple)
            else self._place(entry, used)
            for entry in tensor_map
        )
        made = copy.copy(self)
        made._tensor_map = places
        return made

    def _place(self, name: str, used: set[str]) -> int:
        """Place of an axis, counted from the last; -1: none."""
        if name == "None":
            return -1
        if name not in self._alias_name:
            raise ValueError(f"The axis {name} is not found in {self._alias_name}")
        if name in used:
            raise ValueError(f"The axis {name} has been set more than one in {self._alias_name}")
        used.add(name)
        return len(self._alias_name) - 1 - self._alias_name.index(name)

    def parts(self) -> tuple[int, ...]:
        """Into how many parts each axis of the tensor is cut."""
        lengths = self._device_shape[::-1]
        result = []
        for entry in self._tensor_map or ():
            count = 1
            for place in entry if isinstance(entry, tuple) else (entry,):
                count *= 1 if place < 0 else lengths[place]
            result.append(count)
        return tuple(result)

    def to_dict(self) -> dict:
        """The layout as a dict.

        Raises:
            ValueError: It is no tensor's yet: it must be called first.
        """
        if self._tensor_map is None:
            raise ValueError("The tensor_map of layout is None")
        return {
            "device_matrix": self._device_shape,
            "tensor_map": self._tensor_map,
            _INTERLEAVED: _INTERLEAVED in self._alias_name,
        }


def shard(
    fn: Callable,
    in_strategy: tuple,
    out_strategy: tuple | None = None,
    parameter_plan: dict | None = None,
    device: str = "Ascend",
    level: int = 0,
) -> Callable:
    """The function with a strategy for several devices; one process computes the whole.

    Args:
        fn (Union[Cell, Function]): The function.
        in_strategy (tuple): For every input, a number of parts for every axis, or a `Layout`.
        out_strategy (Union[tuple, None]): The same for the outputs. Default: ``None``.
        parameter_plan (Union[dict, None]): The same for parameters, by name. Default: ``None``.
        device (str): Kind of the devices. Default: ``"Ascend"``.
        level (int): How hard strategies are searched for. Default: ``0``.

    Raises:
        AssertionError: The parallel mode is another than semi-automatic or automatic.
        TypeError: A strategy has another form.
        NotImplementedError: Several processes are meant.
    """
    mode = context.get_auto_parallel_context("parallel_mode")
    if mode not in ("semi_auto_parallel", "auto_parallel"):
        raise AssertionError("Cell shard only supports auto parallel and semi auto parallel.")
    check_sharding("shard", in_strategy, out_strategy)
    check_sharding("shard", tuple((parameter_plan or {}).values()))
    return fn


__all__ = ["Layout", "shard"]
