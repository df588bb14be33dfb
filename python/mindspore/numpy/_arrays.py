# SPDX-License-Identifier: Apache-2.0
"""Making, arranging and summing up tensors as NumPy does."""

from __future__ import annotations

from mindspore import ops
from mindspore._later import defined_names
from mindspore.common import dtype as mstype
from mindspore.common.dtype import dtype_to_nptype
from mindspore.common.tensor import Tensor
from mindspore.numpy._elementwise import tensor_of, typed
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis


def _type(dtype):
    """A type from a name, a Python or NumPy type or one of ours."""
    if dtype is None or isinstance(dtype, type(mstype.float32)):
        return dtype
    if isinstance(dtype, str):
        return getattr(mstype, dtype + "_" if dtype == "bool" else dtype)
    return {int: mstype.int32, float: mstype.float32, bool: mstype.bool_}.get(
        dtype
    ) or mstype.pytype_to_dtype(dtype)


def _shape(shape) -> tuple:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _tensor(value) -> Tensor:
    value = tensor_of(value)
    return value if isinstance(value, Tensor) else array(value)


def array(obj, dtype=None, copy=True, ndmin=0) -> Tensor:
    """A tensor from anything like an array; whole numbers become int32, others float32."""
    if isinstance(obj, Tensor):
        result = obj.copy() if copy else obj
    else:
        result = Tensor(obj)
        if dtype is None and not hasattr(obj, "dtype"):
            narrow = {mstype.int64: mstype.int32, mstype.float64: mstype.float32}
            result = typed(result, narrow.get(result.dtype))
    result = typed(result, _type(dtype))
    return (
        op.reshape(result, (1,) * (ndmin - result.ndim) + tuple(result.shape))
        if ndmin > result.ndim
        else result
    )


def asarray(a, dtype=None) -> Tensor:
    """A tensor; a copy only if it must be."""
    return array(a, dtype, copy=False)


def full(shape, fill_value, dtype=None) -> Tensor:
    """One value everywhere."""
    if isinstance(fill_value, (Tensor, list, tuple)):
        return typed(op.broadcast_to(_tensor(fill_value), _shape(shape)), _type(dtype))
    if dtype is None:
        dtype = mstype.bool_ if isinstance(fill_value, bool) else None
        dtype = dtype or (mstype.int32 if isinstance(fill_value, int) else mstype.float32)
    return op.fill(_type(dtype), _shape(shape), fill_value)


def zeros(shape, dtype=mstype.float32) -> Tensor:
    """Zeros."""
    return full(shape, 0, dtype)


def ones(shape, dtype=mstype.float32) -> Tensor:
    """Ones."""
    return full(shape, 1, dtype)


def empty(shape, dtype=mstype.float32) -> Tensor:
    """Any values; zeros here."""
    return full(shape, 0, dtype)


def arange(start, stop=None, step=None, dtype=None) -> Tensor:
    """Numbers from `start` up to `stop`."""
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    is_whole = all(isinstance(number, int) for number in (start, stop, step))
    dtype = _type(dtype) or (mstype.int32 if is_whole else mstype.float32)
    return typed(op.arange(start, stop, step), dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """`num` numbers from `start` to `stop`."""
    import numpy as np

    values, step = np.linspace(start, stop, num, endpoint, True, axis=axis)
    result = typed(Tensor(values.astype(np.float32)), _type(dtype))
    return (result, Tensor(np.float32(step))) if retstep else result


def eye(N, M=None, k=0, dtype=mstype.float32) -> Tensor:  # noqa: N803
    """Ones on a diagonal."""
    import numpy as np

    return Tensor(np.eye(N, M, k, dtype=dtype_to_nptype(_type(dtype))))


def tri(N, M=None, k=0, dtype=mstype.float32) -> Tensor:  # noqa: N803
    """Ones at and below a diagonal."""
    return op.tril(ones((N, N if M is None else M), dtype), k)


def tril(m, k=0) -> Tensor:
    """The part at and below a diagonal."""
    return op.tril(_tensor(m), k)


def triu(m, k=0) -> Tensor:
    """The part at and above a diagonal."""
    return op.triu(_tensor(m), k)


def diag(v, k=0) -> Tensor:
    """A matrix with a diagonal, or the diagonal of a matrix."""
    v = _tensor(v)
    return ops.diag_embed(v, k) if v.ndim == 1 else op.diagonal(v, k)


def rand(*shape, dtype=mstype.float32) -> Tensor:
    """Uniform numbers in [0, 1)."""
    return typed(op.random_uniform(shape or (1,), 0.0, 1.0), _type(dtype))


def randn(*shape, dtype=mstype.float32) -> Tensor:
    """Standard normal numbers."""
    return typed(op.random_normal(shape or (1,), 0.0, 1.0), _type(dtype))


def randint(minval, maxval=None, shape=None, dtype=mstype.int32) -> Tensor:
    """Whole numbers from `minval` up to `maxval`."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return typed(ops.randint(low, high, (1,) if shape is None else _shape(shape)), _type(dtype))


def reshape(x, new_shape) -> Tensor:
    """Another shape."""
    return op.reshape(_tensor(x), _shape(new_shape))


def transpose(a, axes=None) -> Tensor:
    """Axes in another order; reversed by default."""
    a = _tensor(a)
    return op.transpose(a, tuple(axes) if axes is not None else tuple(reversed(range(a.ndim))))


def swapaxes(x, axis1, axis2) -> Tensor:
    """Two axes exchanged."""
    return ops.swapaxes(_tensor(x), axis1, axis2)


def expand_dims(a, axis) -> Tensor:
    """New axes of length one."""
    a = _tensor(a)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for one in sorted(checked_axis("expand_dims", one, a.ndim + len(axes)) for one in axes):
        a = op.expand_dims(a, one)
    return a


def squeeze(a, axis=None) -> Tensor:
    """Without axes of length one."""
    a = _tensor(a)
    return a.squeeze() if axis is None else a.squeeze(axis)


def broadcast_to(array, shape) -> Tensor:
    """Stretched to a shape."""
    return op.broadcast_to(_tensor(array), _shape(shape))


def concatenate(arrays, axis=0) -> Tensor:
    """Joined along an axis; None flattens first."""
    arrays = [_tensor(one) for one in arrays]
    if axis is None:
        return op.concat([op.reshape(one, (-1,)) for one in arrays], 0)
    return op.concat(arrays, axis)


def stack(arrays, axis=0) -> Tensor:
    """Joined along a new axis."""
    return op.stack([_tensor(one) for one in arrays], axis)


def split(x, indices_or_sections, axis=0) -> tuple:
    """Cut along an axis, into equal parts or at places."""
    x = _tensor(x)
    axis = checked_axis("split", axis, x.ndim)
    if isinstance(indices_or_sections, int) and x.shape[axis] % indices_or_sections:
        raise ValueError(
            f"For 'split', the length {x.shape[axis]} must be divisible by 'indices_or_sections', but got "
            f"{indices_or_sections}."
        )
    return ops.tensor_split(x, indices_or_sections, axis)


def tile(a, reps) -> Tensor:
    """Repeated side by side."""
    a = _tensor(a)
    reps = _shape(reps)
    return op.tile(a, (1,) * (a.ndim - len(reps)) + reps)


def repeat(a, repeats, axis=None) -> Tensor:
    """Every element several times."""
    a = _tensor(a)
    if axis is None:
        a, axis = op.reshape(a, (-1,)), 0
    if isinstance(repeats, (list, tuple)) and len(repeats) == 1:
        repeats = repeats[0]
    return ops.repeat_interleave(a, repeats if isinstance(repeats, int) else Tensor(repeats), axis)


def roll(a, shift, axis=None) -> Tensor:
    """Shifted around."""
    a = _tensor(a)
    if axis is None:
        return op.reshape(ops.roll(op.reshape(a, (-1,)), shift, 0), a.shape)
    return ops.roll(a, shift, axis)


def where(condition, x=None, y=None) -> Tensor:
    """Elements of `x` where the condition holds, else of `y`."""
    if x is None or y is None:
        raise TypeError("For 'where', 'x' and 'y' must both be given.")
    return op.where(op.cast(_tensor(condition), mstype.bool_), tensor_of(x), tensor_of(y))


def clip(x, xmin, xmax, dtype=None) -> Tensor:
    """Values between two bounds."""
    return typed(ops.clamp(_tensor(x), xmin, xmax), _type(dtype))


def around(a, decimals=0) -> Tensor:
    """Rounded to a number of decimals."""
    return op.round_decimals(_tensor(a), decimals)


def _axes(axis) -> tuple:
    return () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)


def sum(a, axis=None, dtype=None, keepdims=False, initial=None) -> Tensor:  # noqa: A001
    """Sum along axes."""
    a = typed(_tensor(a), _type(dtype))
    total = op.reduce_sum(op.cast(a, mstype.int64) if a.dtype == mstype.bool_ else a, _axes(axis), keepdims)
    return total if initial is None else total + initial


def mean(a, axis=None, keepdims=False, dtype=None) -> Tensor:
    """Mean along axes."""
    return typed(op.reduce_mean(_tensor(a), _axes(axis), keepdims), _type(dtype))


def dot(a, b) -> Tensor:
    """Product of matrices, or over the last axis of one and the last but one of the other."""
    a, b = _tensor(a), _tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        return op.mul(a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return op.matmul(a, b)
    return tensordot(a, b, ((a.ndim - 1,), (max(b.ndim - 2, 0),)))


def tensordot(a, b, axes=2) -> Tensor:
    """Sum of products over pairs of axes."""
    return ops.tensor_dot(_tensor(a), _tensor(b), axes)


__all__ = defined_names(globals())
