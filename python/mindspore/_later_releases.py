# SPDX-License-Identifier: Apache-2.0
"""Names of releases after 2.3.0 that scripts use already."""

from __future__ import annotations

import numpy as np

from mindspore import _checkparam as check
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.context import get_context, set_context
from mindspore.runtime.limits import set_memory  # noqa: F401

bool, float, int, long = mstype.bool_, mstype.float32, mstype.int32, mstype.int64
cfloat, cdouble = mstype.complex64, mstype.complex128


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Chooses the device that programs run on.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``.
        device_id (int): Which of several; None: the first. Default: ``None``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There is no such kind of device.
        RuntimeError: The device is not part of this installation.

    Examples:
        >>> import mindspore as ms
        >>> ms.set_device("CPU")
    """
    check.check_value_type("device_target", device_target, [str], "set_device")
    set_context(device_target=device_target)
    if device_id is not None:
        check.check_non_negative_int(device_id, "device_id", "set_device")
        set_context(device_id=device_id)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares the memory of an array.

    Args:
        array (numpy.ndarray): The array; one that is not contiguous is copied.

    Examples:
        >>> import numpy as np
        >>> import mindspore as ms
        >>> ms.from_numpy(np.array([1, 2])).shape
        (2,)
    """
    return Tensor.from_numpy(array)


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Sets how deep calls may be nested while a graph is made.

    Args:
        recursion_limit (int): The depth. Default: ``1000``.

    Raises:
        ValueError: It is not positive.
    """
    set_context(max_call_depth=check.check_positive_int(recursion_limit))


def get_current_device() -> tuple[str, int]:
    """Kind and number of the device in use."""
    return get_context("device_target"), get_context("device_id")
