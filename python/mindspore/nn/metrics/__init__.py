# SPDX-License-Identifier: Apache-2.0
"""Metrics, under the name they had before `mindspore.train.metrics`."""

from mindspore.nn.metrics import metric
from mindspore.train.metrics import *  # noqa: F403
from mindspore.train.metrics import __all__, get_metric_fn, get_metrics, names, rearrange_inputs
