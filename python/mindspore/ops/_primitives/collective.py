# SPDX-License-Identifier: Apache-2.0
"""Collective communication of one process: everybody is already here."""

from __future__ import annotations

from mindspore._later import defined_classes
from mindspore._world import OWN_GROUPS, require_one_process
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

_WORLD = "hccl_world_group"
_WORLDS = (_WORLD, "nccl_world_group", "mccl_world_group")


class _Collective(Primitive):
    """What all processes of a group do together; here the world is one process.

    It refuses to pass for a collective of a job that has more of them: each would see its own tensor only.
    """

    def _check(self) -> None:
        require_one_process(self.name)
        if self.group not in _WORLDS and self.group not in OWN_GROUPS:
            raise RuntimeError(f"For '{self.name}', the group {self.group} does not exist.")

    def __call__(self, input_x):
        self._check()
        return op.identity(input_x)


class ReduceOp:
    """Ways to combine the tensors of several processes."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


def _check_op(name: str, how) -> None:
    if how not in ("sum", "max", "min", "prod"):
        raise TypeError(f"For '{name}', the 'op' must be a member of ReduceOp, but got {how!r}.")


class AllReduce(_Collective):
    """The tensors of all processes combined, on every process."""

    @prim_attr_register
    def __init__(self, op=ReduceOp.SUM, group=_WORLD):
        _check_op("AllReduce", op)


class AllGather(_Collective):
    """The tensors of all processes joined along the first axis, on every process."""

    @prim_attr_register
    def __init__(self, group=_WORLD):
        pass


class ReduceScatter(_Collective):
    """The tensors of all processes combined, each process with its part of the first axis."""

    @prim_attr_register
    def __init__(self, op=ReduceOp.SUM, group=_WORLD):
        _check_op("ReduceScatter", op)


class Reduce(_Collective):
    """The tensors of all processes combined, on one process."""

    @prim_attr_register
    def __init__(self, dest_rank, op=ReduceOp.SUM, group=_WORLD):
        _check_op("Reduce", op)


class Broadcast(_Collective):
    """The tensors of one process, on every process."""

    @prim_attr_register
    def __init__(self, root_rank, group=_WORLD):
        pass

    def __call__(self, input_x):
        self._check()
        return tuple(op.identity(x) for x in input_x)


class CollectiveGather(_Collective):
    """The tensors of all processes joined along the first axis, on one process."""

    @prim_attr_register
    def __init__(self, dest_rank, group=_WORLD):
        pass


class CollectiveScatter(_Collective):
    """Parts of the first axis of one process's tensor, one for every process."""

    @prim_attr_register
    def __init__(self, src_rank=0, group=_WORLD):
        pass


class AlltoAll(_Collective):
    """Every process's tensor split along one axis, parts exchanged and joined along another."""

    @prim_attr_register
    def __init__(self, split_count, split_dim, concat_dim, group=_WORLD):
        if split_count != 1:
            raise ValueError(
                f"For 'AlltoAll', the 'split_count' must be the group's size 1, but got {split_count}."
            )


class Barrier(_Collective):
    """Waits for all processes."""

    @prim_attr_register
    def __init__(self, group=_WORLD):
        pass

    def __call__(self):
        self._check()


__all__ = defined_classes(globals())
