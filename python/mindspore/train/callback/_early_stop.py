# SPDX-License-Identifier: Apache-2.0
"""Ends training when it no longer helps."""

from __future__ import annotations

from mindspore import _checkparam as check
from mindspore.train.callback._callback import CALLBACK, Callback
from mindspore.train.callback._monitored_value import MonitoredValue


@CALLBACK
class EarlyStopping(Callback):
    """Ends training when a loss or metric has not become better for some epochs.

    Args:
        monitor (str): ``"loss"`` (of training), ``"eval_loss"`` or the name of a metric.
            Default: ``"eval_loss"``.
        min_delta (Union[float, int]): What a value must differ by to be better. Default: ``0``.
        patience (int): Epochs without a better value after which training ends. Default: ``0``.
        verbose (bool): Prints what is done. Default: ``False``.
        mode (str): ``"min"``: smaller is better; ``"max"``: greater is; ``"auto"``: the name decides.
            Default: ``"auto"``.
        baseline (float): Value that a better one must also be better than. Default: ``None``.
        restore_best_weights (bool): Gives the network the weights of the best epoch when training is ended.
            Default: ``False``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `mode` is unknown, or `patience` is negative.
    """

    def __init__(
        self,
        monitor="eval_loss",
        min_delta=0,
        patience=0,
        verbose=False,
        mode="auto",
        baseline=None,
        restore_best_weights=False,
    ):
        super().__init__()
        owner = type(self).__name__
        self._value = MonitoredValue(monitor, mode, min_delta, "Early stopping", owner)
        self.monitor, self.min_delta, self.mode = monitor, min_delta, mode
        self.patience = check.check_non_negative_int(patience, "patience", owner)
        self.verbose = check.check_bool(verbose, "verbose", owner)
        if baseline is not None:
            check.check_value_type("baseline", baseline, (float, int), owner)
        self.baseline = baseline
        self.restore_best_weights = check.check_bool(restore_best_weights, "restore_best_weights", owner)
        self._restart()

    def _restart(self) -> None:
        self.wait = self.stopped_epoch = 0
        self.best = self._value.worst
        self.best_weights_param_dict = None

    def on_train_begin(self, run_context):
        """Forgets the run before."""
        self._restart()

    def on_train_epoch_end(self, run_context):
        """Looks at the value and ends training if it has not become better for too long."""
        params = run_context.original_args()
        value = self._value.read(params)
        if value is None:
            return
        self.wait += 1
        better = self._value.is_better(value, self.best)
        if self.restore_best_weights and (better or self.best_weights_param_dict is None):
            self.best_weights_param_dict = self._weights_of(params)
        if better:
            self.best = value
            if self.baseline is None or self._value.is_better(value, self.baseline):
                self.wait = 0
        if self.wait < self.patience:
            return
        self.stopped_epoch = params.cur_epoch_num
        run_context.request_stop()
        if self.restore_best_weights:
            if self.verbose:
                print("Restoring model weights from the end of the best epoch.", flush=True)
            for parameter in params.train_network.get_parameters():
                parameter.set_data(self.best_weights_param_dict[parameter.name])

    def on_train_end(self, run_context):
        """Prints in which epoch training was ended."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)

    @staticmethod
    def _weights_of(params) -> dict:
        return {parameter.name: parameter.value() for parameter in params.train_network.get_parameters()}
