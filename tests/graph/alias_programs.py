# SPDX-License-Identifier: Apache-2.0
"""Random programs of views, writes and reads, and what they leave behind.

A program is a list of instructions over a list of tensors, some of which share memory. The interpreter below
runs it in PyNative mode and in Graph mode; everything it returns, writes and leaves must be equal bit by bit,
also which of its results share memory.
"""

from __future__ import annotations

import os
import random

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, ops

# An array of what is on a device is a copy: what is written into it is nobody else's.
ON_DEVICE = bool(os.environ.get("MYCEL_TEST_DEVICE"))
SHAPES = ((3, 4), (4, 3), (4,), (2, 3, 2), (1, 4), ())


def random_program(seed: int, differentiable: bool = False) -> list[tuple]:
    """Instructions that some seed gives; each is (name, numbers...)."""
    draw = random.Random(seed)
    kinds = ["view"] * 6 + ["write"] * 6 + ["new"] * 4 + ["read"] * 2 + ["assign"] * 2
    if not differentiable:
        kinds += ["scatter", "look", "mask", "where", "leave", "numpy", "detach"]
        kinds += ["gather", "parameter"] * 2
    length = draw.randint(3, 14)
    return [(draw.choice(kinds), *(draw.randrange(1 << 16) for _ in range(6))) for _ in range(length)]


def _view(tensor: Tensor, a: int, b: int, c: int) -> Tensor:
    """One of the ways to see the memory of a tensor."""
    rank, shape = tensor.ndim, tensor.shape
    ways = [lambda: ops.identity(tensor) if hasattr(ops, "identity") else tensor, lambda: tensor.reshape(-1)]
    ways.append(lambda: ops.expand_dims(tensor, a % (rank + 1)))
    if rank:
        axis = a % rank
        size = shape[axis]
        whole = (slice(None),) * axis
        ways += [
            lambda: tensor[(*whole, b % size)] if size else tensor,
            lambda: tensor[(*whole, slice(b % (size + 1), None))],
            lambda: tensor[(*whole, slice(None, None, 1 + b % 2))],
            lambda: tensor[(*whole, slice(None, None, -1 - b % 2))],
            lambda: ops.split(tensor, 1, axis)[b % size] if size else tensor,
            lambda: ops.flip(tensor, (axis,)),
        ]
    if rank == 2:
        ways += [lambda: tensor.T, lambda: ops.swapaxes(tensor, 0, 1), lambda: ops.diagonal(tensor)]
        ways.append(lambda: tensor.T.reshape(-1))  # only a copy can do that
    if rank == 3:
        ways.append(lambda: ops.transpose(tensor, (2, 0, 1)))
    if rank and shape[0] == 1:
        ways += [lambda: ops.squeeze(tensor, 0), lambda: ops.broadcast_to(tensor, (3, *shape[1:]))]
    return ways[c % len(ways)]()


def _write(target: Tensor, source: Tensor, a: int, b: int) -> None:
    """target[index] = something, for some index."""
    if target.ndim == 0:
        target[...] = source.sum() if b % 2 else a % 7
        return
    size = target.shape[0]
    index = (..., slice(None, None, 2), slice(1, None), a % size if size else slice(None))[b % 4]
    if source.shape == target[index].shape:
        target[index] = source
    elif source.ndim == 0 or source.size == 1:
        target[index] = source.reshape(()) + a % 3
    else:
        target[index] = float(a % 11)


class Interpreter:
    """Runs one program.

    Args:
        program (list): Its instructions.
        weight (Parameter): Written and read by it.
        outer (Tensor): A tensor that it reaches without being given it.
    """

    def __init__(self, program: list[tuple], weight: Parameter, outer: Tensor):
        self.program, self.weight, self.outer = program, weight, outer

    def run(self, x: Tensor, y: Tensor, scale: Tensor):
        """What the program returns: a number that depends on all it has read, and some of its tensors."""
        tensors = [x, y, x * scale, self.weight, self.outer]
        total = (x * 0).sum()
        for name, a, b, c, d, e, f in self.program:
            one, other = tensors[a % len(tensors)], tensors[b % len(tensors)]
            if name == "view":
                tensors.append(_view(one, c, d, e))
            elif name == "new":
                tensors.append(one * 2 if c % 3 else ops.zeros((2, 3), ms.float32))
                if one.shape == other.shape and c % 2:
                    tensors[-1] = one + other * 0.5
            elif name == "write":
                _write(one, other, c, d)
            elif name == "read":
                total = total + (ops.sin(one) * (1 + c % 5)).sum()
            elif name == "assign" and one.shape == other.shape:
                (ops.assign if c % 2 else ops.assign_add)(one, other)
            elif name == "detach":
                tensors.append(ops.stop_gradient(one))
            elif name == "parameter" and self.weight.shape == other.shape:
                ops.assign(self.weight, other)
            elif name == "scatter" and one.ndim == 2 and one.shape[0] > 1:
                rows = other if other.shape == (2, one.shape[1]) else one[:2]
                ops.scatter_update(one, Tensor([0, 1]), rows)
            elif name == "gather" and one.ndim and one.shape[0]:
                tensors.append(one[Tensor([0, -1])] if c % 2 else ops.gather(one, Tensor([0]), 0))
            elif name == "mask" and one.ndim:
                one[one > 1] = float(c % 5)
            elif name == "where" and one.ndim and one.shape[0]:
                one[Tensor([0])] = float(c % 5)
            elif name == "look" and one.size and float(one.sum()) > c % 9:
                total = total + 1
                _write(one, other, e, f)
            elif name == "leave" and c % 4 == 0:
                total = total + float((ops.ones((100,)) * x.sum()).asnumpy()[3])
            elif name == "numpy" and one.size and one.size < 30:
                array = one.asnumpy()
                if c % 2 and array.flags.writeable and not ON_DEVICE:
                    array[...] = d % 7
                total = total + float(array.sum())
        return total, tensors[-1], tensors[len(tensors) // 2], tensors[-1 - len(tensors) // 4], x


def fresh(seed: int) -> tuple:
    """(arguments, weight, outer tensor) for one run; some arguments share memory, some are strided."""
    draw = np.random.RandomState(seed)
    x = Tensor(np.round(draw.randn(3, 4), 2).astype(np.float32))
    kind = seed % 9
    if kind == 0:
        y = x[1]
    elif kind == 1:
        x = Tensor(np.round(draw.randn(4, 3), 2).astype(np.float32)).T
        y = Tensor(np.round(draw.randn(4), 2).astype(np.float32))
    elif kind == 2:
        y = Tensor(np.round(draw.randn(8), 2).astype(np.float32))[::2]
    elif kind == 3:
        y = x
    else:
        y = Tensor(np.round(draw.randn(4), 2).astype(np.float32))
    weight = Parameter(Tensor(np.round(draw.randn(3, 4), 2).astype(np.float32)), name="weight")
    outer = Tensor(np.round(draw.randn(3, 4), 2).astype(np.float32))
    if kind == 4:
        y = outer[0]
    elif kind == 5:
        y = weight[2]
    return (x, y, Tensor(np.float32(1 + seed % 3))), weight, outer


def outcome(call, given: tuple, weight: Parameter, outer: Tensor) -> list:
    """What a call leaves behind, as comparable values: results, arguments, and which memory is whose."""
    try:
        results = list(call(*given))
    except Exception as error:
        return [type(error).__name__, *_bytes((*given, weight, outer))]
    found = _bytes((*results, *given, weight, outer))
    named = [*results, *given, weight, outer]
    for i, one in enumerate(results):  # whoever gets a result may write into it
        if not one.size:
            continue
        try:
            one[...] = 100.0 + i
        except RuntimeError as error:
            found.append(str(error)[:30])
        found += _bytes(named)
    found += [each.is_contiguous() for each in results]
    return found


def _bytes(tensors) -> list:
    return [(each.asnumpy().shape, each.asnumpy().tobytes()) for each in tensors]
