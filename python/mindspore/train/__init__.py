# SPDX-License-Identifier: Apache-2.0
"""Training: models, callbacks, metrics and files."""

from mindspore.train.callback import Callback, CallbackManager, InternalCallbackParam, RunContext
from mindspore.train.amp import build_train_network
from mindspore.train.loss_scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
