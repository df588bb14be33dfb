# SPDX-License-Identifier: Apache-2.0
"""Training: models, callbacks, metrics and files."""

from mindspore.train.callback import Callback, CallbackManager, InternalCallbackParam, RunContext
