# SPDX-License-Identifier: Apache-2.0
"""Computing with known values: how files find shapes, axes and limits.

These stay numbers of Python, so that a network whose shapes follow from those of its inputs runs without
looking at tensors.
"""

from __future__ import annotations

import numpy as np

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._onnx.element_types import DTYPES
from mindspore.train._onnx.functions.table import (
    KNOWN_FUNCTIONS,
    Attributes,
    axes_from,
    function_of_values,
    numbers_of,
    prefers_known,
)
from mindspore.train._onnx.stored_tensors import Known

# Inputs that nodes read as plain numbers, by position.
READ_AS_NUMBERS = {
    "Resize": (1, 2, 3),
    "Upsample": (1,),
    "Pad": (1, 3),
    "Reshape": (1,),
    "Expand": (1,),
    "Tile": (1,),
    "Slice": (1, 2, 3, 4),
    "TopK": (1,),
    "OneHot": (1,),
    "CumSum": (1,),
    "Range": (0, 1, 2),
    "ConstantOfShape": (0,),
}
_LARGEST = 1 << 40  # elements


@function_of_values("Constant")
def _constant(attributes: Attributes):
    for name, kind in (
        ("value_float", np.float32),
        ("value_int", np.int64),
        ("value_floats", np.float32),
        ("value_ints", np.int64),
    ):
        if name in attributes.values:
            return Known(np.array(attributes.values[name], kind))
    return attributes.need("value")


@function_of_values("Shape")
def _shape(attributes: Attributes, x):
    shape = x.array.shape if isinstance(x, Known) else x.shape
    return Known(np.array(shape[attributes.get("start", 0) : attributes.get("end")], np.int64))


@function_of_values("Size")
def _size(attributes: Attributes, x):
    return Known(np.array(x.array.size if isinstance(x, Known) else x.size, np.int64))


@function_of_values("ConstantOfShape")
def _constant_of_shape(attributes: Attributes, shape):
    shape = tuple(numbers_of(shape))
    count = 1
    for size in shape:
        count *= size
    if any(size < 0 for size in shape) or count > _LARGEST:
        raise ValueError(f"it asks for the impossible shape {shape}.")
    value = attributes.get("value")
    array = np.zeros(1, np.float32) if value is None else value.array.reshape(-1)
    if count <= 4096:
        return Known(np.full(shape, array[0], array.dtype))
    return ops.full(shape, array[0].item(), dtype=Tensor(array).dtype)


@function_of_values("Range")
def _range(attributes: Attributes, start, limit, delta):
    kind = start.array.dtype if isinstance(start, Known) else mstype.dtype_to_nptype(start.dtype)
    first, end, step = (numbers_of(value)[0] for value in (start, limit, delta))
    if step == 0 or abs((end - first) / step) > _LARGEST:
        raise ValueError("it asks for an impossible range.")
    return Known(np.arange(first, end, step, kind))


# ---- the same operators as for tensors, in NumPy -----------------------------------------------------------


def _cast(attributes: Attributes, x):
    dtype = DTYPES.get(attributes.need("to"))
    return x.astype(np.float32 if dtype == mstype.bfloat16 else mstype.dtype_to_nptype(dtype))


def _slice(attributes: Attributes, x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        # An end before the first element is None for NumPy when walking backwards.
        end = None if step < 0 and end < -x.shape[axis] else int(end)
        index[int(axis)] = slice(int(start), end, int(step))
    return x[tuple(index)]


def _quotient(_, x, y):
    if x.dtype.kind in "iu":
        return (np.sign(x) * np.sign(y) * (np.abs(x) // np.maximum(np.abs(y), 1))).astype(x.dtype)
    return x / y


def _squeeze(attributes: Attributes, x, axes=None):
    axes = attributes.get("axes") if axes is None else axes.tolist()
    return np.squeeze(x, None if axes is None else tuple(axes))


def _unsqueeze(attributes: Attributes, x, axes=None):
    return np.expand_dims(x, tuple(attributes.get("axes") if axes is None else axes.tolist()))


def _reduction(run):
    def on_arrays(attributes: Attributes, x, axes=None):
        axes = axes_from(attributes, None if axes is None else Known(axes))
        if axes is not None and not axes and attributes.get("noop_with_empty_axes", 0):
            return x
        found = run(x, axis=tuple(axes) if axes else None, keepdims=bool(attributes.get("keepdims", 1)))
        return np.asarray(found, x.dtype)

    return on_arrays


def _plain(run):
    return lambda _, *inputs: np.asarray(run(*inputs))


KNOWN_FUNCTIONS.update(
    {
        "Abs": _plain(np.abs),
        "Add": _plain(np.add),
        "And": _plain(np.logical_and),
        "Cast": _cast,
        "Ceil": _plain(np.ceil),
        "Concat": lambda attributes, *parts: np.concatenate(parts, attributes.need("axis")),
        "Div": _quotient,
        "Equal": _plain(np.equal),
        "Expand": lambda _, x, shape: np.array(x * np.ones(shape.tolist(), x.dtype)),
        "Floor": _plain(np.floor),
        "Gather": lambda attributes, x, places: np.take(x, places, attributes.get("axis", 0)),
        "Greater": _plain(np.greater),
        "GreaterOrEqual": _plain(np.greater_equal),
        "Identity": _plain(np.asarray),
        "Less": _plain(np.less),
        "LessOrEqual": _plain(np.less_equal),
        "Max": _plain(lambda *parts: np.max(np.broadcast_arrays(*parts), 0)),
        "Min": _plain(lambda *parts: np.min(np.broadcast_arrays(*parts), 0)),
        "Mul": _plain(np.multiply),
        "Neg": _plain(np.negative),
        "Not": _plain(np.logical_not),
        "Or": _plain(np.logical_or),
        "ReduceMax": _reduction(np.max),
        "ReduceMin": _reduction(np.min),
        "ReduceProd": _reduction(np.prod),
        "ReduceSum": _reduction(np.sum),
        "Reshape": lambda _, x, shape: x.reshape(
            [x.shape[i] if size == 0 else size for i, size in enumerate(shape.tolist())]
        ),
        "Slice": _slice,
        "Sqrt": _plain(np.sqrt),
        "Squeeze": _squeeze,
        "Sub": _plain(np.subtract),
        "Transpose": lambda attributes, x: np.transpose(x, attributes.get("perm")),
        "Unsqueeze": _unsqueeze,
        "Where": _plain(np.where),
    }
)


def stay_known() -> None:
    """Lets the operators above stay with NumPy; called when all functions are registered."""
    for kind in KNOWN_FUNCTIONS:
        prefers_known(kind)
