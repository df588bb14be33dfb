# SPDX-License-Identifier: Apache-2.0
"""Layers of `mint`; not in this version."""

from mindspore._spelling import not_in_this_version as _not_in_this_version
from mindspore.mint.nn import functional

__getattr__ = _not_in_this_version(globals(), near="mindspore.nn")
