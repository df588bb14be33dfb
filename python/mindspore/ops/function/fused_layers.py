# SPDX-License-Identifier: Apache-2.0
"""Pieces of networks that devices compute in one go, from operators."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op

__all__ = ["pows", "rotary_position_embedding", "swiglu"]


def pows(input, exponent) -> Tensor:
    """``input ** exponent``; the same as `mindspore.ops.pow`.

    Args:
        input (Union[Tensor, Number]): The bases.
        exponent (Union[Tensor, Number]): The exponents.

    Returns:
        Tensor.

    Examples:
        >>> from mindspore import Tensor, ops
        >>> ops.pows(Tensor([1.0, 2.0]), 2).tolist()
        [1.0, 4.0]
    """
    from mindspore.ops import pow as power

    return power(input, exponent)


def swiglu(input, dim=-1) -> Tensor:
    """One half of the input, times the other half after SiLU: ``silu(a) * b``.

    Args:
        input (Tensor): An even length along `dim`.
        dim (int): Axis that is halved. Default: ``-1``.

    Returns:
        Tensor, half as long along `dim`.

    Examples:
        >>> from mindspore import Tensor, ops
        >>> ops.swiglu(Tensor([[0.0, 1.0, 3.0, 0.0]])).tolist()
        [[0.0, 0.0]]
    """
    if input.shape[dim] % 2:
        raise ValueError(f"For 'swiglu', the length of axis {dim} must be even, but got shape {input.shape}.")
    half = input.shape[dim] // 2
    gate, value = op.split_sizes(input, (half, half), dim % input.ndim)
    return op.mul(op.silu(gate), value)


def rotary_position_embedding(x, cos, sin, mode=0) -> Tensor:
    """Turns pairs of features by angles: ``x * cos + turned(x) * sin``.

    Args:
        x (Tensor): The features in the last axis, an even number of them.
        cos (Tensor): Cosines, stretched to the shape of `x`.
        sin (Tensor): Sines.
        mode (int): 0: a feature of the first half is paired with one of the second; 1: neighbours are pairs.
            Default: ``0``.

    Returns:
        Tensor, shape and type of `x`.

    Raises:
        ValueError: `mode` is something else, or the number of features is odd.

    Examples:
        >>> from mindspore import Tensor, ops
        >>> x, cos, sin = Tensor([[1.0, 2.0]]), Tensor([[0.0, 0.0]]), Tensor([[1.0, 1.0]])
        >>> ops.rotary_position_embedding(x, cos, sin).tolist()
        [[-2.0, 1.0]]
    """
    if mode not in (0, 1) or x.shape[-1] % 2:
        raise ValueError(
            f"For 'rotary_position_embedding', 'mode' must be 0 or 1 and the number of features even, but "
            f"got "
            f"{mode} and shape {x.shape}."
        )
    half = x.shape[-1] // 2
    if mode == 0:
        first, second = op.split_sizes(x, (half, half), x.ndim - 1)
        turned = op.concat((op.neg(second), first), -1)
    else:
        pairs = op.reshape(x, (*x.shape[:-1], half, 2))
        turned = op.reshape(op.stack((op.neg(pairs[..., 1]), pairs[..., 0]), -1), x.shape)
    return op.add(op.mul(x, cos), op.mul(turned, sin))
