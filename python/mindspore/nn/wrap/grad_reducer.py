# SPDX-License-Identifier: Apache-2.0
"""Gradients joined over processes."""

from __future__ import annotations

from mindspore._world import require_one_process
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


class DistributedGradReducer(Cell):
    """Sums gradients over the processes of data-parallel training; with one process it passes them on.

    Args:
        parameters (list): The parameters the gradients belong to.
        mean (bool): Divide by the number of processes. Default: ``None``.
        degree (int): Number of processes. Default: ``None``.
        fusion_type (int): Group in which gradients are communicated. Default: ``1``.
        group (str): Group of processes. Default: ``"hccl_world_group"``.

    Inputs:
        - **grads** (tuple[Tensor]) - The gradients.

    Outputs:
        tuple[Tensor], as many.

    Raises:
        ValueError: `degree` is not a positive int.
        NotImplementedError: Several processes are meant.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group="hccl_world_group"):
        super().__init__(auto_prefix=False)
        if degree is not None and (not isinstance(degree, int) or degree <= 0):
            raise ValueError(
                f"For 'DistributedGradReducer', the 'degree' must be an int > 0, but got {degree}."
            )
        require_one_process("DistributedGradReducer", degree=degree)
        self.mean, self.degree, self.group = mean, degree, group

    def construct(self, grads):
        return grads


class PipelineGradReducer(Cell):
    """Makes the gradients of pipeline parallel training ready for the step: divides them by the loss scale.

    Args:
        parameters (list): The parameters the gradients belong to.
        scale_sense (float): The loss scale. Default: ``1.0``.

    Inputs:
        - **grads** (tuple[Tensor]) - The gradients.

    Outputs:
        tuple[Tensor], as many.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, parameters, scale_sense=1.0):
        super().__init__(auto_prefix=False)
        require_one_process("PipelineGradReducer")
        self.scale_sense = scale_sense

    def construct(self, grads):
        if not isinstance(self.scale_sense, Tensor) and self.scale_sense == 1.0:
            return grads
        factor = 1.0 / self.scale_sense
        return tuple(op.scale_all(factor, tuple(grads)))
