# SPDX-License-Identifier: Apache-2.0
"""Optimizers."""

from mindspore.nn.optim.adam import Adam, AdaMax, AdamOffload, AdamWeightDecay, LazyAdam
from mindspore.nn.optim.adaptive import FTRL, Adadelta, Adagrad, ProximalAdagrad, RMSProp
from mindspore.nn.optim.momentum import Momentum
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.nn.optim.sgd import SGD
