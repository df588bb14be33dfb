# SPDX-License-Identifier: Apache-2.0
"""Processes that train together."""

from mindspore._later import imported_later as _imported_later
from mindspore.communication import management
from mindspore.communication.management import *  # noqa: F403

__all__ = list(management.__all__)
__getattr__, __dir__ = _imported_later(globals(), {}, ["comm_func"])
