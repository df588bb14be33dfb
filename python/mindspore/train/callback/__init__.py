# SPDX-License-Identifier: Apache-2.0
"""Callbacks: what happens besides the steps of training and evaluation."""

from mindspore.train.callback._callback import (
    Callback,
    CallbackManager,
    InternalCallbackParam,
    RunContext,
    _get_cur_net,
    _set_cur_net,
)

# The names that scripts of earlier releases import.
_InternalCallbackParam = InternalCallbackParam
_CallbackManager = CallbackManager
