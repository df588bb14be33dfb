# SPDX-License-Identifier: Apache-2.0
"""Products of a network's Jacobian with vectors, as cells."""

from __future__ import annotations

from mindspore.common._derivatives import jvp, vjp
from mindspore.nn.cell import Cell


def _require_form(owner: str, vector, count: int, what: str) -> None:
    """TypeError unless the vector is a Tensor for one input or result, or a tuple with one for each."""
    fits = isinstance(vector, tuple) and len(vector) == count if count > 1 else not isinstance(vector, tuple)
    if not fits:
        wanted = f"a tuple of {count} tensors" if count > 1 else "a Tensor"
        raise TypeError(f"For '{owner}', the vector must be {wanted}, one per {what}, but got {vector!r}.")


class Jvp(Cell):
    """Result of a network and the product of its Jacobian with a vector.

    Args:
        fn (Cell): The network.

    Inputs:
        - **args** - Inputs of the network, then the vector: a Tensor, or a tuple with one per input.

    Outputs:
        The network's result and the product.
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args) -> tuple:
        *inputs, vector = args
        _require_form("Jvp", vector, len(inputs), "input")
        return jvp(self.fn, tuple(inputs), vector)


class Vjp(Cell):
    """Result of a network and the product of a vector with its Jacobian.

    Args:
        fn (Cell): The network.

    Inputs:
        - **args** - Inputs of the network, then the vector: a Tensor, or a tuple with one per result.

    Outputs:
        The network's result and the product; a tuple of products when there are several inputs.
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args) -> tuple:
        *inputs, vector = args
        output, pull_back = vjp(self.fn, *inputs)
        _require_form("Vjp", vector, len(output) if isinstance(output, tuple) else 1, "result")
        gradients = pull_back(*vector) if isinstance(vector, tuple) else pull_back(vector)
        return output, gradients if len(inputs) > 1 else gradients[0]
