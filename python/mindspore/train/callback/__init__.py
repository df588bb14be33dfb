# SPDX-License-Identifier: Apache-2.0
"""Callbacks: what happens besides the steps of training and evaluation."""

from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.train.callback._backup_and_restore import BackupAndRestore
from mindspore.train.callback._callback import (
    Callback,
    CallbackManager,
    InternalCallbackParam,
    RunContext,
    _get_cur_net,
    set_cur_net,
)
from mindspore.train.callback._checkpoint import (
    CheckpointConfig,
    ModelCheckpoint,
    _checkpoint_cb_for_save_op,
)
from mindspore.train.callback._checkpoint import CheckpointManager as _CheckpointManager
from mindspore.train.callback._early_stop import EarlyStopping
from mindspore.train.callback._flops_collector import FlopsUtilizationCollector
from mindspore.train.callback._history import History
from mindspore.train.callback._lambda_callback import LambdaCallback
from mindspore.train.callback._landscape import SummaryLandscape
from mindspore.train.callback._loss_monitor import LossMonitor
from mindspore.train.callback._lr_scheduler_callback import LearningRateScheduler
from mindspore.train.callback._mindio_ttp import MindIOTTPAdapter
from mindspore.train.callback._on_request_exit import OnRequestExit
from mindspore.train.callback._reduce_lr_on_plateau import ReduceLROnPlateau
from mindspore.train.callback._summary_collector import SummaryCollector
from mindspore.train.callback._time_monitor import TimeMonitor

# The names that scripts of earlier releases import.
_InternalCallbackParam = InternalCallbackParam
_CallbackManager = CallbackManager
_set_cur_net = set_cur_net

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "FlopsUtilizationCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "MindIOTTPAdapter",
    "ModelCheckpoint",
    "OnRequestExit",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryLandscape",
    "TimeMonitor",
]
__getattr__ = _explains_missing_names(globals())
