# SPDX-License-Identifier: Apache-2.0
"""Reading and writing parts, sorting, random elements."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.common._tensor.methods._named import named_methods
from mindspore.ops._registry import op
from mindspore.ops.function import indexing, random, reduction


def where(self, condition, y) -> Tensor:
    """Elements of this tensor where the condition holds, of `y` elsewhere."""
    return op.where(condition, self, y)


def select(self, condition, y) -> Tensor:
    """Elements of this tensor where the condition holds, of `y` elsewhere."""
    if isinstance(y, (int, float)) and not isinstance(y, bool):
        y = op.full_like(self, y)
    return op.where(condition, self, y)


def masked_scatter(self, mask, x) -> Tensor:
    """A copy whose elements under the mask are replaced by those of `x`, in order."""
    return op.masked_scatter(self, mask, x)


def index_add(self, dim, index, source, *, alpha=1) -> Tensor:
    """Adds `alpha` times `source` at positions of an axis, in place; see `mindspore.ops.index_add`."""
    return indexing.index_add(self, index, source if alpha == 1 else op.mul(source, alpha), dim)


def index_put(self, indices, values, accumulate=False) -> Tensor:
    """A copy with values written, or added, at index tensors."""
    if not isinstance(accumulate, bool):
        raise TypeError(f"For 'Tensor.index_put', the 'accumulate' must be bool, but got {accumulate!r}.")
    axes = tuple(range(len(indices)))
    return op.index_put(self, values, list(indices), axes=axes, accumulate=accumulate)


def inplace_update(self, v, indices) -> Tensor:
    """A copy with rows replaced."""
    from mindspore.ops.function.indexing import inplace_update as update

    return update(self, v, indices)


def _scatter(name: str):
    def scatter(self, indices, updates) -> Tensor:
        return getattr(op, f"tensor_{name}")(self, indices, updates)

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = f"A copy, changed at index rows: see `mindspore.ops.tensor_{name}`."
    return scatter


def searchsorted(self, v, side="left", sorter=None) -> Tensor:
    """Where to insert values so that this vector stays sorted."""
    if side not in ("left", "right"):
        raise ValueError(
            f"For 'Tensor.searchsorted', the 'side' must be 'left' or 'right', but got {side!r}."
        )
    values = v if isinstance(v, Tensor) else Tensor(v, self.dtype)
    return reduction.searchsorted(self, op.cast(values, self.dtype), side=side, sorter=sorter)


def choose(self, choices, mode="clip") -> Tensor:
    """For every element the element of the tensor in `choices` with that number."""
    if isinstance(choices, (tuple, list)):
        choices = op.stack([x if isinstance(x, Tensor) else Tensor(x) for x in choices])
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(
            f"For 'Tensor.choose', the 'mode' must be 'raise', 'wrap' or 'clip', but got {mode!r}."
        )
    count = choices.shape[0]
    number = op.cast(self, mstype.int64)
    if mode == "wrap":
        number = op.floor_mod(number, count)
    elif mode == "clip":
        number = op.clamp(number, 0, count - 1)
    layers = [op.squeeze(layer, 0) for layer in op.split_sizes(choices, (1,) * count, 0)]
    result = op.add(layers[0], op.zeros_like(op.cast(number, layers[0].dtype)))
    for i, layer in enumerate(layers[1:], 1):
        result = op.where(op.equal(number, i), layer, result)
    return result


def bernoulli(self, p=0.5, seed=None) -> Tensor:
    """1 with probability `p`, else 0, in the shape and type of this tensor."""
    return random.bernoulli(self, p, seed)


def uniform(self, from_=0.0, to=1.0, generator=None) -> Tensor:
    """Uniform random numbers in the shape and type of this tensor."""
    return op.random_uniform(self.shape, float(from_), float(to), self.dtype, None)


def log_normal(self, mean=1.0, std=2.0) -> Tensor:
    """Log-normal random numbers in the shape and type of this tensor."""
    return op.exp(op.random_normal(self.shape, float(mean), float(std), self.dtype, None))


def cauchy(self, median=0.0, sigma=1.0) -> Tensor:
    """Random numbers from the Cauchy distribution, float32, in the shape of this tensor."""
    drawn = op.random_uniform(self.shape, -0.5, 0.5, mstype.float32, None)
    return op.add(op.mul(op.tan(op.mul(drawn, 3.141592653589793)), sigma), median)


def _unsorted_segment(kind: str):
    def segment(self, segment_ids, num_segments) -> Tensor:
        return getattr(op, f"unsorted_segment_{kind}")(self, segment_ids, num_segments)

    segment.__name__ = segment.__qualname__ = f"unsorted_segment_{kind}"
    segment.__doc__ = f"Rows combined by segment number: see `mindspore.ops.unsorted_segment_{kind}`."
    return segment


METHODS = {
    **named_methods(globals()),
    **{f"scatter_{kind}": _scatter(f"scatter_{kind}") for kind in ("add", "sub", "mul", "div", "max", "min")},
    **{f"unsorted_segment_{kind}": _unsorted_segment(kind) for kind in ("max", "min", "prod")},
}
