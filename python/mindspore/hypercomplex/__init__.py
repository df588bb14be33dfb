# SPDX-License-Identifier: Apache-2.0
"""Layers over numbers with two parts, which lie behind one another in the first axis of a tensor."""

from mindspore._later import imported_later as _imported_later

__getattr__, __dir__ = _imported_later(globals(), {}, ("dual", "utils"))
