# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of `mint`; not in this version."""

from mindspore._spelling import not_in_this_version as _not_in_this_version

__getattr__ = _not_in_this_version(globals(), near="mindspore.ops")
