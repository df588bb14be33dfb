# SPDX-License-Identifier: Apache-2.0
"""Ways to train with less work: accumulated gradients, frozen layers, centred gradients."""

from mindspore._later import imported_names as _imported_names
from mindspore.boost.auto_boost import AutoBoost
from mindspore.boost.boost_cell_wrapper import (
    BoostTrainOneStepCell,
    BoostTrainOneStepWithLossScaleCell,
)
from mindspore.boost.grad_accumulation import GradientAccumulation
from mindspore.boost.grad_freeze import FreezeOpt, GradientFreeze, freeze_cell
from mindspore.boost.less_batch_normalization import LessBN
from mindspore.boost.parameter_groups import (
    GroupLossScaleManager,
    OptimizerProcess,
    ParameterProcess,
)
from mindspore.boost.processes import AdaSum, DimReduce

__all__ = _imported_names(globals())
