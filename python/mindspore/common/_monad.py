# SPDX-License-Identifier: Apache-2.0
"""Values that scripts written for MindSpore's graphs pass on to say in which order effects happen.

Here operators with effects run, and are recorded, in the order of the program; nothing has to be passed on.
"""

from __future__ import annotations


class UMonad:
    """The order of writes to Parameters."""


class IOMonad:
    """The order of input and output."""


U = UMonad()
IO = IOMonad()

__all__ = ["IO", "U"]
