# SPDX-License-Identifier: Apache-2.0
"""The value that a callback watches from epoch to epoch, and what counts as better."""

from __future__ import annotations

import math

import numpy as np

from mindspore import _checkparam as check
from mindspore import log as logger
from mindspore.common.tensor import Tensor
from mindspore.train.callback._callback import _handle_loss

_SMALLER_IS_BETTER = (
    "hausdorff_distance",
    "mae",
    "mse",
    "loss",
    "perplexity",
    "mean_surface_distance",
    "root_mean_square_distance",
    "eval_loss",
)


class MonitoredValue:
    """A loss or a metric, and the direction in which it gets better.

    Args:
        monitor (str): ``"loss"`` is the last output of training; other names are those of the evaluation.
        mode (str): ``"min"``, ``"max"``, or ``"auto"`` to go by the name.
        min_delta (Union[float, int]): What a value must differ by to be better.
        purpose (str): What depends on the value, for the warning that there is none.
        owner (str): Who watches it.
    """

    def __init__(self, monitor, mode, min_delta, purpose: str, owner: str):
        check.check_value_type("monitor", monitor, str, owner)
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"For '{owner}', mode should be 'auto', 'min' or 'max', but got {mode}.")
        check.check_value_type("min_delta", min_delta, (float, int), owner)
        self.name, self._min_delta, self._purpose = monitor, abs(min_delta), purpose
        self._is_smaller_better = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)

    @property
    def worst(self) -> float:
        """What every value is better than."""
        return math.inf if self._is_smaller_better else -math.inf

    def is_better(self, value, than) -> bool:
        """Whether `value` is better than the other by at least the difference that counts."""
        if self._is_smaller_better:
            return bool(np.all(np.less(value, than - self._min_delta)))
        return bool(np.all(np.greater(value, than + self._min_delta)))

    def read(self, params):
        """The value of this epoch; None, with a warning, if there is none."""
        available = dict(params.get("eval_results") or {})
        if self.name == "loss" and params.get("net_outputs") is not None:
            available["loss"] = _handle_loss(params.net_outputs)
        value = available.get(self.name)
        if value is None:
            names = set(available) or {"None"}
            logger.warning(
                "%s is conditioned on %s, which is not available. Available choices are: %s",
                self._purpose,
                self.name,
                names,
            )
            return None
        if isinstance(value, Tensor):
            value = value.asnumpy()
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.reshape(())[()]
        return value
