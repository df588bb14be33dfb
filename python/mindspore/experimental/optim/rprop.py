# SPDX-License-Identifier: Apache-2.0
"""Resilient steps."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import Optimizer, check_range
from mindspore.ops._registry import op


class Rprop(Optimizer):
    """Only the signs of gradients count: steps grow while they agree and shrink when one changes.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``1e-2``.
        etas (Tuple[float, float]): Factors after a change of the sign and without one.
            Default: ``(0.5, 1.2)``.
        step_sizes (Tuple[float, float]): Least and greatest step. Default: ``(1e-6, 50)``.

    Keyword Args:
        maximize (bool): Climb instead of descending. Default: ``False``.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Raises:
        ValueError: An option is out of range.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        check_range("Rprop", lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}.")
        defaults = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        super().__init__(params, {**defaults, "weight_decay": 0.0})
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
        gradients = self._checked(gradients)
        op.assign_add(self.step_t, 1)
        for number, group, _, _ in self._spans():
            rest = (group["maximize"], *group["step_sizes"])
            self.implementation(*group["etas"], number, self._rate_of(number), gradients, *rest)
        return True
