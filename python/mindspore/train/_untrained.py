# SPDX-License-Identifier: Apache-2.0
"""Notices a training without an optimizer whose network does not change its parameters itself either."""

from __future__ import annotations

import numpy as np

from mindspore._settings.telling import warn_once
from mindspore.experimental.optim import Optimizer as ExperimentalOptimizer
from mindspore.nn.cell import Cell
from mindspore.nn.optim import Optimizer

_LOOKED_AT = 16  # the smallest parameters: copies of all would cost memory


class UntrainedNetwork:
    """Looks at parameters before the first step and after it.

    Args:
        network (Cell): The network of a step.
        is_updated (bool): Whether the model has an optimizer, which answers the question.
    """

    def __init__(self, network: Cell, is_updated: bool):
        self._before: list[tuple] = []
        optimizers = (Optimizer, ExperimentalOptimizer)
        if is_updated or any(isinstance(cell, optimizers) for _, cell in network.cells_and_names()):
            return
        smallest = sorted(network.trainable_params(), key=lambda parameter: parameter.size)[:_LOOKED_AT]
        self._before = [(parameter, parameter.asnumpy().copy()) for parameter in smallest]

    def look(self) -> None:
        """Warns, once, if a step has changed nothing."""
        before, self._before = self._before, []
        if before and all(np.array_equal(parameter.asnumpy(), value) for parameter, value in before):
            warn_once(
                "Model: no optimizer",
                "The first step of the training has changed no parameter: the 'Model' has no optimizer, and "
                "the network "
                "has none either. Give the 'Model' an optimizer, or a network that trains itself "
                "(nn.TrainOneStepCell).",
            )
