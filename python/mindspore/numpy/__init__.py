# SPDX-License-Identifier: Apache-2.0
"""Functions with the names and arguments of NumPy, on tensors."""

from mindspore._spelling import not_in_this_version as _not_in_this_version
from mindspore.numpy import _arrays, _elementwise
from mindspore.numpy._arrays import *  # noqa: F403
from mindspore.numpy._elementwise import *  # noqa: F403
from mindspore.numpy.dtypes import *  # noqa: F403

__getattr__ = _not_in_this_version(globals(), near="mindspore.ops")
__all__ = [*_arrays.__all__, *_elementwise.__all__]  # noqa: PLE0604
