# SPDX-License-Identifier: Apache-2.0
"""Functions and layers with the arguments of PyTorch; not in this version."""

from mindspore._spelling import not_in_this_version as _not_in_this_version
from mindspore.mint import linalg, nn, optim

__getattr__ = _not_in_this_version(globals(), near="mindspore.ops")
