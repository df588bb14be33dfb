# SPDX-License-Identifier: Apache-2.0
"""Those of `mindspore.numpy` that make arrays, by the module they have in MindSpore."""

from mindspore._spelling import not_in_this_version as _not_in_this_version

__getattr__ = _not_in_this_version(globals(), "mindspore.numpy", near="mindspore.ops")
