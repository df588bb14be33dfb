# SPDX-License-Identifier: Apache-2.0
"""The table of functions, one per operator of ONNX, and what they are written with.

A function gets the node's attributes and its inputs: tensors, `Known` values, or None where one is absent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import numpy as np

from mindspore.common.tensor import Tensor
from mindspore.train._onnx.stored_tensors import Known

_LARGEST_KNOWN = 4096


@dataclass
class Attributes:
    """The attributes of a node, and which node it is."""

    kind: str
    node: str
    opset: int
    values: dict
    outputs: int

    def get(self, name: str, default=None):
        """An attribute, or what it is when the file does not say."""
        return self.values.get(name, default)

    def need(self, name: str):
        """An attribute that must be there."""
        if name not in self.values:
            raise ValueError(f"it has no attribute '{name}'.")
        return self.values[name]

    def refuse(self, what: str):
        """Says that this form of the operator is not supported."""
        raise NotImplementedError(
            f"Node '{self.node}' ({self.kind}) of the ONNX network: {what} is not supported."
        )


FUNCTIONS: dict[str, Callable] = {}
KNOWN_FUNCTIONS: dict[str, Callable] = {}  # the same for values that are all known, in NumPy


def function(*kinds: str):
    """Registers a function for operators; its inputs come as tensors."""

    def register(run: Callable) -> Callable:
        @wraps(run)
        def on_tensors(attributes: Attributes, *inputs):
            return run(attributes, *(None if value is None else tensor_of(value) for value in inputs))

        for kind in kinds:
            FUNCTIONS[kind] = on_tensors
        return run

    return register


def function_of_values(*kinds: str):
    """Registers a function whose inputs come as they are, known or not."""

    def register(run: Callable) -> Callable:
        for kind in kinds:
            FUNCTIONS[kind] = run
        return run

    return register


def elementwise(**table: Callable) -> None:
    """Functions of tensors without attributes, by operator."""
    for kind, run in table.items():
        function(kind)(lambda attributes, *inputs, run=run: run(*inputs))


def elementwise_with(**table: Callable) -> None:
    """Functions of attributes and tensors, by operator."""
    for kind, run in table.items():
        function(kind)(run)


def tensor_of(value) -> Tensor:
    """A value for operators."""
    return value.tensor if isinstance(value, Known) else value


def array_of(value) -> np.ndarray:
    """A value as numbers; one that is not known is computed first."""
    return value.array if isinstance(value, Known) else value.asnumpy()


def numbers_of(value) -> list:
    """A value as a list of Python numbers."""
    return [] if value is None else array_of(value).reshape(-1).tolist()


def axes_from(attributes: Attributes, value) -> list[int] | None:
    """Axes, which older versions have as an attribute and newer ones as an input; None: not given."""
    if value is not None:
        return [int(axis) for axis in numbers_of(value)]
    axes = attributes.get("axes")
    return None if axes is None else list(axes)


def _is_small_and_known(value) -> bool:
    return isinstance(value, Known) and value.has_own_type and value.array.size <= _LARGEST_KNOWN


def prefers_known(kind: str) -> None:
    """Lets an operator stay with NumPy where all its inputs are known."""
    on_tensors, on_arrays = FUNCTIONS[kind], KNOWN_FUNCTIONS[kind]

    @wraps(on_tensors)
    def either(attributes: Attributes, *inputs):
        present = [value for value in inputs if value is not None]
        if present and all(map(_is_small_and_known, present)):
            with np.errstate(all="ignore"):
                found = on_arrays(attributes, *(None if value is None else value.array for value in inputs))
            return [Known(part) for part in found] if isinstance(found, list) else Known(found)
        return on_tensors(attributes, *inputs)

    FUNCTIONS[kind] = either
