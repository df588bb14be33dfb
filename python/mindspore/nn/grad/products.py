# SPDX-License-Identifier: Apache-2.0
"""Products of a network's Jacobian with vectors, as cells."""

from __future__ import annotations

from mindspore.common._derivatives import jvp, vjp
from mindspore.nn.cell import Cell


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

    def construct(self, *args):
        *inputs, vector = args
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

    def construct(self, *args):
        *inputs, vector = args
        output, pull_back = vjp(self.fn, *inputs)
        gradients = pull_back(*vector) if isinstance(vector, tuple) else pull_back(vector)
        return output, gradients if len(inputs) > 1 else gradients[0]
