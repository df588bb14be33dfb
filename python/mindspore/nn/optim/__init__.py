# SPDX-License-Identifier: Apache-2.0
"""Optimizers."""

from mindspore._later import imported_names as _imported_names
from mindspore.nn.optim.ada_grad import Adagrad
from mindspore.nn.optim.adadelta import Adadelta
from mindspore.nn.optim.adafactor import AdaFactor
from mindspore.nn.optim.adam import Adam, AdamOffload, AdamWeightDecay
from mindspore.nn.optim.adamax import AdaMax
from mindspore.nn.optim.adasum import AdaSumByDeltaWeightWrapCell, AdaSumByGradWrapCell
from mindspore.nn.optim.asgd import ASGD
from mindspore.nn.optim.ftrl import FTRL
from mindspore.nn.optim.lamb import Lamb
from mindspore.nn.optim.lars import LARS
from mindspore.nn.optim.lazyadam import LazyAdam
from mindspore.nn.optim.momentum import Momentum
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.nn.optim.proximal_ada_grad import ProximalAdagrad
from mindspore.nn.optim.rmsprop import RMSProp
from mindspore.nn.optim.rprop import Rprop
from mindspore.nn.optim.sgd import SGD
from mindspore.nn.optim.thor import thor

__all__ = _imported_names(globals())
