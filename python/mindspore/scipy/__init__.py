# SPDX-License-Identifier: Apache-2.0
"""Functions with the names and arguments of SciPy; not in this version."""

from mindspore._spelling import not_in_this_version as _not_in_this_version
from mindspore.scipy import fft, linalg, optimize

__getattr__ = _not_in_this_version(globals())
