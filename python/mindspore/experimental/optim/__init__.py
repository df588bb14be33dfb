# SPDX-License-Identifier: Apache-2.0
"""Optimizers with groups that can be looked at and changed, and schedulers of their rates."""

from mindspore._later import imported_names as _imported_names
from mindspore.experimental.optim import lr_scheduler
from mindspore.experimental.optim.adadelta import Adadelta
from mindspore.experimental.optim.adagrad import Adagrad
from mindspore.experimental.optim.adam import Adam
from mindspore.experimental.optim.adamax import Adamax
from mindspore.experimental.optim.adamw import AdamW
from mindspore.experimental.optim.asgd import ASGD
from mindspore.experimental.optim.nadam import NAdam
from mindspore.experimental.optim.optimizer import Optimizer
from mindspore.experimental.optim.radam import RAdam
from mindspore.experimental.optim.rmsprop import RMSprop
from mindspore.experimental.optim.rprop import Rprop
from mindspore.experimental.optim.sgd import SGD

__all__ = [*_imported_names(globals()), "lr_scheduler"]
