# SPDX-License-Identifier: Apache-2.0
"""Cells around networks: loss, gradients, one training step."""

from mindspore._later import imported_names as _imported_names
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

__all__ = _imported_names(globals())
