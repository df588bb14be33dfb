# SPDX-License-Identifier: Apache-2.0
"""Collective communication of one process: everybody is already here."""

from __future__ import annotations

import os

from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = [
    "AllGather",
    "AllReduce",
    "AlltoAll",
    "Barrier",
    "Broadcast",
    "CollectiveGather",
    "CollectiveScatter",
    "Reduce",
    "ReduceOp",
    "ReduceScatter",
]

_WORLD = "hccl_world_group"
_SIZES = ("RANK_SIZE", "MS_WORKER_NUM", "OMPI_COMM_WORLD_SIZE")


def _require_one_process(name: str) -> None:
    """Refuses to pass for a collective of a job that has more processes than this one."""
    for variable in _SIZES:
        size = os.environ.get(variable, "")
        if size.isdecimal() and int(size) > 1:
            raise RuntimeError(
                f"For '{name}', the environment says {variable}={size}, but communication between processes "
                "is not available; each process would only see its own tensor."
            )


class ReduceOp:
    """Ways to combine the tensors of several processes."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


def _check_op(name: str, how) -> None:
    if how not in ("sum", "max", "min", "prod"):
        raise TypeError(f"For '{name}', the 'op' must be a member of ReduceOp, but got {how!r}.")


class AllReduce(Primitive):
    """The tensors of all processes combined, on every process."""

    @prim_attr_register
    def __init__(self, op=ReduceOp.SUM, group=_WORLD):
        _check_op("AllReduce", op)

    def __call__(self, input_x):
        _require_one_process("AllReduce")
        return op.identity(input_x)


class AllGather(Primitive):
    """The tensors of all processes joined along the first axis, on every process."""

    @prim_attr_register
    def __init__(self, group=_WORLD):
        pass

    def __call__(self, input_x):
        _require_one_process("AllGather")
        return op.identity(input_x)


class ReduceScatter(Primitive):
    """The tensors of all processes combined, each process with its part of the first axis."""

    @prim_attr_register
    def __init__(self, op=ReduceOp.SUM, group=_WORLD):
        _check_op("ReduceScatter", op)

    def __call__(self, input_x):
        _require_one_process("ReduceScatter")
        return op.identity(input_x)


class Reduce(Primitive):
    """The tensors of all processes combined, on one process."""

    @prim_attr_register
    def __init__(self, dest_rank, op=ReduceOp.SUM, group=_WORLD):
        _check_op("Reduce", op)

    def __call__(self, input_x):
        _require_one_process("Reduce")
        return op.identity(input_x)


class Broadcast(Primitive):
    """The tensors of one process, on every process."""

    @prim_attr_register
    def __init__(self, root_rank, group=_WORLD):
        pass

    def __call__(self, input_x):
        _require_one_process("Broadcast")
        return tuple(op.identity(x) for x in input_x)


class CollectiveGather(Primitive):
    """The tensors of all processes joined along the first axis, on one process."""

    @prim_attr_register
    def __init__(self, dest_rank, group=_WORLD):
        pass

    def __call__(self, input_x):
        _require_one_process("CollectiveGather")
        return op.identity(input_x)


class CollectiveScatter(Primitive):
    """Parts of the first axis of one process's tensor, one for every process."""

    @prim_attr_register
    def __init__(self, src_rank=0, group=_WORLD):
        pass

    def __call__(self, input_x):
        _require_one_process("CollectiveScatter")
        return op.identity(input_x)


class AlltoAll(Primitive):
    """Every process's tensor split along one axis, parts exchanged and joined along another."""

    @prim_attr_register
    def __init__(self, split_count, split_dim, concat_dim, group=_WORLD):
        if split_count != 1:
            raise ValueError(
                f"For 'AlltoAll', the 'split_count' must be the group's size 1, but got {split_count}."
            )

    def __call__(self, input_x):
        _require_one_process("AlltoAll")
        return op.identity(input_x)


class Barrier(Primitive):
    """Waits for all processes."""

    @prim_attr_register
    def __init__(self, group=_WORLD):
        pass

    def __call__(self):
        _require_one_process("Barrier")
        return
