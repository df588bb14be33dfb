# SPDX-License-Identifier: Apache-2.0
"""Functions of users that run at the begin and end of the rows and epochs of a map."""

from mindspore.dataset.callback._watch import CallbackWatch
from mindspore.dataset.callback.ds_callback import DSCallback, WaitedDSCallback

__all__ = ["DSCallback", "WaitedDSCallback"]
