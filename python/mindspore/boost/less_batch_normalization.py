# SPDX-License-Identifier: Apache-2.0
"""Networks that could do with less normalisation."""

from __future__ import annotations

from mindspore.boost._words import BOOST
from mindspore.nn.cell import Cell


@BOOST
class LessBN(Cell):
    """A network that may leave normalisation layers out; results are those of the network.

    Args:
        fn_flag (bool): Whether the last dense layer may be normalised instead.

    Inputs:
        - **\\*inputs** (Tensor) - What the network takes.

    Outputs:
        What the network returns.
    """

    def __init__(self, network, fn_flag=False):
        super().__init__(auto_prefix=False)
        self.network, self.fn_flag = network, fn_flag

    def construct(self, *inputs):
        return self.network(*inputs)


__all__ = ["LessBN"]
