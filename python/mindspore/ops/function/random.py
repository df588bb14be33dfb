# SPDX-License-Identifier: Apache-2.0
"""Random tensors with MindSpore's signatures."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op


def _lengths(name: str, size) -> tuple:
    if len(size) == 1 and isinstance(size[0], (tuple, list, Tensor)):
        size = size[0].tolist() if isinstance(size[0], Tensor) else size[0]
    for length in size:
        if isinstance(length, bool) or not isinstance(length, int):
            raise TypeError(f"For '{name}', the 'size' must be ints, but got {size}.")
    return tuple(size) if size else (1,)


def _floating(name: str, dtype):
    if dtype is None:
        return mstype.float32
    if dtype not in mstype.float_type:
        raise ValueError(f"For '{name}', the 'dtype' must be a float type, but got {dtype}.")
    return dtype


def randn(*size, dtype=None, seed=None) -> Tensor:
    """Numbers from the standard normal distribution.

    Args:
        size (Union[int, tuple(int), list(int)]): Shape of the result.
        dtype (mindspore.dtype): A float type. Default: ``None`` (float32).
        seed (int): Seed of this call. Default: ``None``.
    """
    return op.random_normal(_lengths("randn", size), 0.0, 1.0, _floating("randn", dtype), seed)


def rand(*size, dtype=None, seed=None) -> Tensor:
    """Numbers uniform in [0, 1).

    Args:
        size (Union[int, tuple(int), list(int)]): Shape of the result.
        dtype (mindspore.dtype): A float type. Default: ``None`` (float32).
        seed (int): Seed of this call. Default: ``None``.
    """
    return op.random_uniform(_lengths("rand", size), 0.0, 1.0, _floating("rand", dtype), seed)


def randn_like(input, seed=None, *, dtype=None) -> Tensor:
    """Standard normal numbers in the shape and type of `input`."""
    kind = _floating("randn_like", dtype or input.dtype)
    return op.random_normal(input.shape, 0.0, 1.0, kind, seed)


def rand_like(input, seed=None, *, dtype=None) -> Tensor:
    """Numbers uniform in [0, 1) in the shape and type of `input`."""
    kind = _floating("rand_like", dtype or input.dtype)
    return op.random_uniform(input.shape, 0.0, 1.0, kind, seed)


def randint(low, high, size, seed=None, *, dtype=None) -> Tensor:
    """Integers from `low` up to `high`, not included.

    Args:
        low (int): The smallest number.
        high (int): One more than the largest number.
        size (tuple): Shape of the result.
        seed (int): Seed of this call. Default: ``None``.
        dtype (mindspore.dtype): An integer type. Default: ``None`` (int64).
    """
    for name, value in (("low", low), ("high", high)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"For 'randint', the '{name}' must be an int, but got {type(value).__name__}.")
    if not isinstance(size, (tuple, list)):
        raise ValueError(f"For 'randint', the 'size' must be a tuple, but got {size}.")
    if high <= low:
        raise ValueError(f"For 'randint', 'high' must be greater than 'low', but got {low} and {high}.")
    kind = dtype or mstype.int64
    if kind not in mstype.int_type and kind not in mstype.uint_type:
        raise ValueError(f"For 'randint', the 'dtype' must be an integer type, but got {dtype}.")
    return op.uniform_int(tuple(size), low, high, seed or 0, 0, kind)


def randint_like(input, low, high, seed=None, *, dtype=None) -> Tensor:
    """Integers from `low` up to `high`, not included, in the shape and type of `input`."""
    return randint(low, high, input.shape, seed, dtype=dtype or input.dtype)


def _tuple_of(shape) -> tuple:
    if isinstance(shape, Tensor):
        shape = shape.tolist()
    return (shape,) if isinstance(shape, int) else tuple(shape)


def standard_normal(shape, seed=None) -> Tensor:
    """Numbers from the standard normal distribution, float32."""
    return op.random_normal(_tuple_of(shape), 0.0, 1.0, mstype.float32, seed)


def bernoulli(input, p=0.5, seed=None) -> Tensor:
    """1 with probability `p`, else 0, in the shape and type of `input`.

    Args:
        input (Tensor): Gives the shape and the type.
        p (Union[Tensor, float]): Probability of 1. Default: ``0.5``.
        seed (Union[int, None]): Seed of this call. Default: ``None``.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise TypeError(f"For 'bernoulli', the 'seed' must be an int, but got {type(seed).__name__}.")
    chance = p if isinstance(p, Tensor) else Tensor(float(p), mstype.float32)
    if chance.size and (
        bool(op.reduce_any(op.less(chance, 0))) or bool(op.reduce_any(op.greater(chance, 1)))
    ):
        raise ValueError(f"For 'bernoulli', the 'p' must be in range [0, 1], but got {p}.")
    drawn = op.random_uniform(input.shape, 0.0, 1.0, mstype.float32, seed)
    return op.cast(op.less(drawn, chance), input.dtype)


def standard_laplace(shape, seed=None) -> Tensor:
    """Numbers from the Laplace distribution with mean 0 and scale 1."""
    drawn = op.random_uniform(_tuple_of(shape), -0.5, 0.5, mstype.float32, seed)
    tail = op.log1p(op.maximum(op.mul(op.abs(drawn), -2.0), -1.0 + 2.0**-24))
    return op.neg(op.mul(op.sign(drawn), tail))


def laplace(shape, mean, lambda_param, seed=None) -> Tensor:
    """Numbers from a Laplace distribution."""
    return op.add(op.mul(standard_laplace(shape, seed), lambda_param), mean)


def gamma(shape, alpha, beta, seed=None) -> Tensor:
    """Numbers from a gamma distribution, by Marsaglia and Tsang's rejection method.

    Args:
        shape (tuple): Shape of the result, before `alpha` and `beta` stretch it.
        alpha (Tensor): Shape parameter.
        beta (Tensor): Rate parameter.
        seed (int): Seed of this call. Default: ``None``.
    """
    tensors = [v if isinstance(v, Tensor) else Tensor(v, mstype.float32) for v in (alpha, beta)]
    shapes, rates = tensors[0] + op.zeros_like(tensors[1]), tensors[1]
    return op.div(op.random_gamma(tuple(_tuple_of(shape)), shapes, seed), rates)


def poisson(shape, mean, seed=None) -> Tensor:
    """Numbers from a Poisson distribution.

    Args:
        shape (tuple): Shape of the result, before `mean` stretches it.
        mean (Tensor): Its mean.
        seed (int): Seed of this call. Default: ``None``.
    """
    rates = mean if isinstance(mean, Tensor) else Tensor(mean, mstype.float32)
    return op.random_poisson(tuple(_tuple_of(shape)), rates, seed, mstype.int32)


def choice_with_mask(input_x, count=256, seed=None) -> tuple:
    """Positions of `count` random True elements, padded with zeros, and which of them are real.

    Args:
        input_x (Tensor): A bool tensor.
        count (int): How many to choose. Default: ``256``.
        seed (int): Seed of this call. Default: ``None``.

    Returns:
        Tensor of shape (count, rank) and bool Tensor of shape (count,).
    """
    places = op.cast(op.nonzero(input_x), mstype.int32)
    found = places.shape[0]
    keys = op.random_uniform((found,), 0.0, 1.0, mstype.float32, seed)
    chosen = places[op.argsort(keys)[:count]] if found else places
    taken = min(found, count)
    index = op.pad_constant(chosen, (0, count - taken, 0, 0), 0)
    return index, op.less(op.arange(0, count, 1), taken)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3) -> Tensor:
    """Leaky ReLU with a random slope for every element.

    Args:
        input (Tensor): Any float tensor.
        lower (Union[int, float]): Smallest slope. Default: ``1.0 / 8``.
        upper (Union[int, float]): Largest slope. Default: ``1.0 / 3``.
    """
    if lower > upper:
        raise ValueError(f"For 'rrelu', 'lower' must be <= 'upper', but got {lower} and {upper}.")
    slope = op.random_uniform(input.shape, float(lower), float(upper), input.dtype, None)
    return op.where(op.less(input, 0), op.mul(input, slope), input)


def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1) -> Tensor:
    """Softmax of logits with Gumbel noise; with `hard`, one-hot in the forward direction.

    Args:
        logits (Tensor): Unnormalised log probabilities.
        tau (float): Temperature. Default: ``1.0``.
        hard (bool): One-hot result with the gradient of the soft one. Default: ``False``.
        dim (int): Axis of the classes. Default: ``-1``.
    """
    drawn = op.random_uniform(logits.shape, 2.0**-126, 1.0, mstype.float32, None)
    noise = op.cast(op.neg(op.log(op.neg(op.log(drawn)))), logits.dtype)
    soft = op.softmax(op.div(op.add(logits, noise), tau), dim)
    if not hard:
        return soft
    from mindspore.ops.function.values import stop_gradient

    best = op.reduce_max(soft, dim, True)
    one_hot = op.cast(op.equal(soft, best), soft.dtype)
    return op.add(stop_gradient(op.sub(one_hot, soft)), soft)


__all__ = _defined_names(globals())
