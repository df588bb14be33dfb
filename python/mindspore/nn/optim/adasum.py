# SPDX-License-Identifier: Apache-2.0
"""Adaptive summation of what several processes learnt."""

from __future__ import annotations

from typing import Any

from mindspore._wording import Wording
from mindspore._world import require_one_process
from mindspore.common.parameter import ParameterTuple
from mindspore.nn.cell import Cell
from mindspore.nn.optim.optimizer import Optimizer

_ADA_SUM = Wording("""
    Args:
        optimizer (Optimizer): Makes the step.

    Inputs:
        - **grads** (tuple[Tensor]) - One gradient per parameter.

    Outputs:
        tuple[bool], all True.

    Raises:
        TypeError: `optimizer` is not an Optimizer.
        NotImplementedError: Several processes are meant.

    Supported Platforms:
        ``CPU``
    """)


class _AdaSumWrapCell(Cell):
    """An optimizer whose gradients, or steps, would be summed with those of other processes.

    One process has nothing to sum with: the optimizer runs as it is.
    """

    def __init__(self, optimizer):
        super().__init__(auto_prefix=False)
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"For '{self.cls_name}', the 'optimizer' must be an Optimizer, but got "
                f"{type(optimizer).__name__}."
            )
        require_one_process(self.cls_name)
        self.optimizer = optimizer
        self.parameters: ParameterTuple = optimizer.parameters
        self.learning_rate, self.global_step = optimizer.learning_rate, optimizer.global_step

    def construct(self, grads) -> Any:
        return self.optimizer(grads)


@_ADA_SUM
class AdaSumByGradWrapCell(_AdaSumWrapCell):
    """Gradients of several processes summed so that parallel ones count once and orthogonal ones fully."""


@_ADA_SUM
class AdaSumByDeltaWeightWrapCell(_AdaSumWrapCell):
    """Steps of several processes summed so that parallel ones count once and orthogonal ones fully."""


__all__ = ["AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell"]
