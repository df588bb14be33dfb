# SPDX-License-Identifier: Apache-2.0
"""Cells around networks: loss, gradients, one training step."""

from mindspore.nn.wrap.cell_wrapper import (
    ForwardValueAndGrad,
    GetNextSingleOp,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from mindspore.nn.wrap.grad_reducer import DistributedGradReducer, PipelineGradReducer
from mindspore.nn.wrap.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from mindspore.nn.wrap.micro_batches import (
    GradAccumulationCell,
    MicroBatchInterleaved,
    PipelineCell,
    VirtualDatasetCellTriple,
)

__all__ = [
    "DistributedGradReducer",
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad",
    "GetNextSingleOp",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "ParameterUpdate",
    "PipelineCell",
    "PipelineGradReducer",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "VirtualDatasetCellTriple",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]
