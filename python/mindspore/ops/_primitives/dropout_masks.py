# SPDX-License-Identifier: Apache-2.0
"""Dropout in two steps: draw a mask, apply it."""

from __future__ import annotations

from mindspore._argument_checks.types import check_value_type
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.common._type_classes import Int, UInt
from mindspore.ops._primitives.composition import composed
from mindspore.ops._registry import op
from mindspore.ops.function.packed_bits import pack_bits, unpack_bits
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["DropoutDoMask", "DropoutGenMask", "Randperm"]


_SMALLEST = 1.1754944e-38


def _probability(owner: str, keep_prob) -> float | Tensor:
    if not isinstance(keep_prob, Tensor) and not 0 <= keep_prob <= 1:
        raise ValueError(f"For '{owner}', 'keep_prob' must be in [0, 1], but got {keep_prob}.")
    return keep_prob


class DropoutGenMask(Primitive):
    """Draws which elements of a tensor are kept, a bit for each.

    Args:
        Seed0 (int): Seed. Default: ``0``.
        Seed1 (int): A second one. Default: ``0``.

    Inputs:
        - **shape** (tuple[int]) - Shape of the tensor.
        - **keep_prob** (Union[float, Tensor]) - Probability of an element to be kept.

    Outputs:
        Tensor of uint8 with one axis; as many bytes as are needed, and a multiple of 16.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, Seed0=0, Seed1=0):
        from mindspore.ops import UniformReal

        for name, seed in (("Seed0", Seed0), ("Seed1", Seed1)):
            check_value_type(name, seed, [int], self.name)
        self._draw = UniformReal(Seed0, Seed1)

    def __call__(self, shape, keep_prob):
        drawn = self._draw(tuple(shape))
        return pack_bits(op.less(drawn, _probability(self.name, keep_prob)))


@composed()
def DropoutDoMask(self, input_x, mask, keep_prob):
    """Applies a mask of `DropoutGenMask`: zero, or the element divided by the probability to be kept.

    Inputs:
        - **input_x** (Tensor) - The tensor.
        - **mask** (Tensor) - Its mask.
        - **keep_prob** (Union[float, Tensor]) - Probability the mask was drawn with.

    Outputs:
        Tensor, shape and type of `input_x`.

    Supported Platforms:
        ``CPU``
    """
    if not isinstance(mask, Tensor) or mask.dtype != mstype.uint8:
        given = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"For 'DropoutDoMask', the 'mask' must be a Tensor of uint8, but got {given}.")
    bits = unpack_bits(mask)
    if bits.size < input_x.size:
        raise ValueError(
            f"For 'DropoutDoMask', the 'mask' must have a bit for each of the {input_x.size} elements, "
            f"but got {bits.size}."
        )
    kept = op.cast(op.reshape(bits[: input_x.size], input_x.shape), mstype.float32)
    # Nothing is kept with probability 0: the smallest number instead of it gives 0, not 0 / 0.
    probability = _probability(self.name, keep_prob)
    larger = op.maximum if isinstance(probability, Tensor) else max
    factor = op.div(kept, larger(probability, _SMALLEST))
    return op.mul(input_x, op.cast(factor, input_x.dtype))


class Randperm(Primitive):
    """A random order of the numbers from 0 on, filled up to a length.

    Args:
        max_length (int): Length of the result. Default: ``1``.
        pad (int): What fills it up. Default: ``-1``.
        dtype (:class:`mindspore.dtype`): Type of the result. Default: ``mindspore.int32``.

    Inputs:
        - **n** (Tensor) - How many numbers, shape (1,).

    Outputs:
        Tensor, (max_length,).

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, max_length=1, pad=-1, dtype=mstype.int32):
        if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < 1:
            raise ValueError(f"For 'Randperm', 'max_length' must be a positive int, but got {max_length!r}.")
        check_value_type("pad", pad, [int], self.name)
        if not isinstance(dtype, (Int, UInt)):
            raise TypeError(f"For 'Randperm', 'dtype' must be a type of whole numbers, but got {dtype!r}.")

    def __call__(self, n):
        from mindspore.ops import randperm

        count = int(n.asnumpy().reshape(-1)[0]) if isinstance(n, Tensor) else int(n)
        if not 0 <= count <= self.max_length:
            raise ValueError(
                f"For 'Randperm', the number must be in [0, {self.max_length}] (max_length), but got {count}."
            )
        order = op.cast(randperm(count), self.dtype)
        return op.pad_constant(order, (0, self.max_length - count), self.pad)
