# SPDX-License-Identifier: Apache-2.0
"""A callback made of functions."""

from __future__ import annotations

from mindspore._wording import Wording
from mindspore.train.callback._callback import HOOKS, Callback, when_called

_FUNCTIONS = [f"    {hook} (Function): {when_called(*hook.split('_', 2)[1:])}" for hook in HOOKS]


@Wording("\n".join(["Args:", *_FUNCTIONS]))
class LambdaCallback(Callback):
    """Calls functions, each with the `RunContext` of the run."""

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
