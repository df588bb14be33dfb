# SPDX-License-Identifier: Apache-2.0
"""Values of Python stages on their way to the server."""

import numpy as np

from mindspore_serving._c_serving import check_value

_PLAIN = (bytes, str, bool, int, float)


def sendable(value):
    """The value as arrays in C order, numbers, str or bytes; TypeError for what cannot be sent."""
    if isinstance(value, _PLAIN) and not isinstance(value, np.generic):
        return value
    if callable(getattr(value, "asnumpy", None)):  # mindspore's Tensor
        value = value.asnumpy()
    if not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(
            f"a value of type {type(value)} cannot be sent: it is no array, number, bool, str or bytes"
        )
    array = np.asarray(value, order="C")
    if array.dtype.kind in "USO" and array.size == 1 and isinstance(array.item(), (str, bytes)):
        return array.item()
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    check_value(array)
    return array


def sendable_instances(instances):
    return [tuple(sendable(value) for value in instance) for instance in instances]
