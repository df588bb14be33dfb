# SPDX-License-Identifier: Apache-2.0
"""Changes the learning rate after every step."""

from __future__ import annotations

import math

import numpy as np

from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.train.callback._callback import CALLBACK, Callback


def fixed_rate_of(params, message: str) -> Parameter:
    """The parameter that holds the learning rate of the run's optimizer.

    Raises:
        ValueError: There is none, or the rate is not one number; with `message`.
    """
    optimizer = params.get("optimizer")
    if optimizer is None:
        optimizer = getattr(params.get("train_network"), "optimizer", None)
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter) or rate.size != 1:
        raise ValueError(message)
    return rate


def short_number(rate: Parameter) -> float:
    """The value as the shortest decimal that the parameter's own type tells apart: 0.1, not 0.10000000149."""
    return float(str(np.asarray(rate.asnumpy()).reshape(())[()]))


@CALLBACK
class LearningRateScheduler(Callback):
    """Sets the learning rate of the next step after each step.

    Args:
        learning_rate_function (Function): Called with the learning rate now and the number of the step,
            from 1; returns the new learning rate.
    """

    def __init__(self, learning_rate_function):
        super().__init__()
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context):
        """Sets the new learning rate.

        Raises:
            ValueError: The learning rate of the optimizer is not one fixed number.
        """
        params = run_context.original_args()
        rate = fixed_rate_of(
            params,
            "LearningRateScheduler does not support dynamic learning rate and group learning rate now.",
        )
        old = short_number(rate)
        new = self.learning_rate_function(old, params.cur_step_num)
        if not math.isclose(old, new, rel_tol=1e-10):
            rate.set_data(Tensor(new, mstype.float32))
            logger.info("At step %s, learning_rate change to %s", params.cur_step_num, new)
