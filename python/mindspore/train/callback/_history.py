# SPDX-License-Identifier: Apache-2.0
"""Keeps what the epochs gave."""

from __future__ import annotations

from mindspore.common.tensor import Tensor
from mindspore.train.callback._callback import CALLBACK, Callback


def _as_array(value):
    return value.asnumpy().copy()[()] if isinstance(value, Tensor) else value


@CALLBACK
class History(Callback):
    """Keeps the outputs of the network and the metrics of every epoch.

    Attributes:
        history (dict): Lists with an entry per epoch, by name: ``net_output`` and the metrics.
        epoch (dict): The numbers of the epochs, under ``epoch``.
    """

    def __init__(self):
        super().__init__()
        self.history = {}
        self.epoch = None

    def begin(self, run_context):
        """Starts a new list of epochs."""
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context):
        """Keeps what the epoch gave."""
        params = run_context.original_args()
        if self.epoch is None:
            self.begin(run_context)
        self.epoch["epoch"].append(params.get("cur_epoch_num", 1))
        outputs = params.net_outputs
        if isinstance(outputs, (tuple, list)):
            outputs = [_as_array(output) for output in outputs]
        else:
            outputs = _as_array(outputs)
        self.history.setdefault("net_output", []).append(outputs)
        for name, value in (params.get("metrics") or {}).items():
            self.history.setdefault(name, []).append(value)
