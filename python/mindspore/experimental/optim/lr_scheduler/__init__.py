# SPDX-License-Identifier: Apache-2.0
"""Learning rates that follow the epochs: call `step` after each of them."""

from mindspore._later import imported_names as _imported_names
from mindspore.experimental.optim.lr_scheduler.cyclic import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
)
from mindspore.experimental.optim.lr_scheduler.decay import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from mindspore.experimental.optim.lr_scheduler.scheduler import LRScheduler
from mindspore.experimental.optim.lr_scheduler.sequence import ReduceLROnPlateau, SequentialLR

__all__ = _imported_names(globals())
