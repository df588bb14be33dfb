# SPDX-License-Identifier: Apache-2.0
"""A callback made of functions."""

from __future__ import annotations

from mindspore.train.callback._callback import Callback


class LambdaCallback(Callback):
    """Calls functions, each with the `RunContext` of the run.

    Args:
        on_train_epoch_begin (Function): Called before each epoch of training. Default: ``None``.
        on_train_epoch_end (Function): Called after each epoch of training. Default: ``None``.
        on_train_step_begin (Function): Called before each step of training. Default: ``None``.
        on_train_step_end (Function): Called after each step of training. Default: ``None``.
        on_train_begin (Function): Called before training. Default: ``None``.
        on_train_end (Function): Called after training. Default: ``None``.
        on_eval_epoch_begin (Function): Called before the epoch of evaluation. Default: ``None``.
        on_eval_epoch_end (Function): Called after the epoch of evaluation. Default: ``None``.
        on_eval_step_begin (Function): Called before each step of evaluation. Default: ``None``.
        on_eval_step_end (Function): Called after each step of evaluation. Default: ``None``.
        on_eval_begin (Function): Called before evaluation. Default: ``None``.
        on_eval_end (Function): Called after evaluation. Default: ``None``.
    """

    def __init__(
        self,
        on_train_epoch_begin=None,
        on_train_epoch_end=None,
        on_train_step_begin=None,
        on_train_step_end=None,
        on_train_begin=None,
        on_train_end=None,
        on_eval_epoch_begin=None,
        on_eval_epoch_end=None,
        on_eval_step_begin=None,
        on_eval_step_end=None,
        on_eval_begin=None,
        on_eval_end=None,
    ):
        super().__init__()
        functions = {name: value for name, value in locals().items() if name.startswith("on_")}
        for name, function in functions.items():
            if function is not None:
                setattr(self, name, function)
