# SPDX-License-Identifier: Apache-2.0
"""Resilient steps."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class Rprop(Optimizer):
    """Only the signs of gradients count: steps grow while they agree and shrink when one changes.

    Args:
        etas (Tuple[float, float]): Factors after a change of the sign and without one.
        step_sizes (Tuple[float, float]): Least and greatest step.
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        options = {**checked("Rprop", lr=lr), "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}.")
        super().__init__(params, {**options, "weight_decay": 0.0})
        self.prev = self._slots("prev")
        self.step_size = self._slots("step_size")
        for number, _, start, end in self._spans():
            for slot in self.step_size[start:end]:
                op.assign(slot, op.full_like(slot, float(self._rate_of(number))))
        self.step_t = self._counter("step_t")

    def implementation(
        self, etaminus, etaplus, group_id, lr, gradients, maximize, step_size_min, step_size_max
    ):
        """The step of one group."""
        span = (self.group_start_id[group_id], self.group_start_id[group_id + 1])
        numbers = (etaminus, etaplus, step_size_min, step_size_max)
        slots, options = (self.prev, self.step_size), {"maximize": maximize}
        self._update(op.update_rprop, numbers, span, gradients, lr, slots, options)

    def construct(self, gradients):
        self._step(gradients, self.step_t)
        return True
