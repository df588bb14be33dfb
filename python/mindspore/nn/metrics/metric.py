# SPDX-License-Identifier: Apache-2.0
"""Base of metrics, under its former name."""

from mindspore.train.metrics.metric import EvaluationBase, Metric, rearrange_inputs

__all__ = ["EvaluationBase", "Metric", "rearrange_inputs"]
