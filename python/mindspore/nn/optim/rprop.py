# SPDX-License-Identifier: Apache-2.0
"""Resilient steps."""

from __future__ import annotations

from mindspore.nn.optim._parameters import OPTIMIZER, constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


def _pair(value, name: str) -> tuple:
    if not isinstance(value, tuple):
        raise TypeError(f"For 'Rprop', the '{name}' must be a tuple, but got {type(value).__name__}.")
    if len(value) != 2:
        raise ValueError(f"For 'Rprop', the '{name}' must have two numbers, but got {len(value)}.")
    for one in value:
        real(one, name, "Rprop")
    return value


@OPTIMIZER
class Rprop(Optimizer):
    """Only the signs of gradients count: steps grow while they agree and shrink when one changes.

    Args:
        etas (tuple[float, float]): Factors after a change of the sign and without one.
        step_sizes (tuple[float, float]): Least and greatest step.
    """

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, etas=(0.5, 1.2), step_sizes=(1e-6, 50.0), weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        less, more = _pair(etas, "etas")
        smallest, largest = _pair(step_sizes, "step_sizes")
        if not 0.0 < less < 1.0 < more:
            raise ValueError(
                "For 'Rprop', the 'etas' must be one in range (0.0, 1.0) and one greater than 1.0, but got "
                f"{etas}."
            )
        if smallest > largest:
            raise ValueError(
                f"For 'Rprop', the least of 'step_sizes' must not exceed the greatest, but got {step_sizes}."
            )
        self.etaminus, self.etaplus = constant(less), constant(more)
        self.step_size_min, self.step_size_max = constant(smallest), constant(largest)
        self.prev = self._slots("prev")
        self.step_size = self._slots("step_size")
        rates = self.get_lr()
        for i, slot in enumerate(self.step_size):
            op.assign(slot, op.full_like(slot, float(rates[i] if isinstance(rates, tuple) else rates)))

    def construct(self, gradients):
        numbers = (self.etaminus, self.etaplus, self.step_size_min, self.step_size_max)
        return self._step(op.update_rprop, numbers, gradients, self.prev, self.step_size)
