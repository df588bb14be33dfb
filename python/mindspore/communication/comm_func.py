# SPDX-License-Identifier: Apache-2.0
"""Collective functions. In a world of one process each gives what that process gave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mindspore._later import defined_names as _defined_names
from mindspore._world import require_one_process
from mindspore.common.tensor import Tensor
from mindspore.communication.management import GlobalComm, _check_group
from mindspore.ops._registry import op as operators

_WORLD = GlobalComm.WORLD_COMM_GROUP


def _alone(name: str, tensor: object, group: str) -> Tensor:
    """A copy of the tensor, where it may be: the group is this process."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"For '{name}', the input tensor must be Tensor, but got {type(tensor).__name__}.")
    _require_group(name, group)
    return operators.copy(tensor)


def _combined(name: str, tensor: object, how: str, group: str) -> Tensor:
    if how not in ("sum", "prod", "max", "min"):
        raise TypeError(f"For '{name}', the 'op' must be a member of ReduceOp, but got {how!r}.")
    return _alone(name, tensor, group)


def _require_group(name: str, group: str) -> None:
    _check_group(group, name)
    require_one_process(name)


def _require_rank(name: str, argument: str, rank: int) -> None:
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError(f"For '{name}', the '{argument}' must be int, but got {type(rank).__name__}.")
    require_one_process(name, **{argument: rank + 1})


def all_reduce(tensor: Tensor, op: str = "sum", group: str = _WORLD) -> Tensor:
    """The sum, product, largest or smallest of what all processes give; here what this one gives.

    Args:
        tensor (Tensor): What this process gives.
        op (str): ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``. Default: ``"sum"``.
        group (str): The processes. Default: ``"hccl_world_group"``.

    Raises:
        TypeError: An argument has the wrong type.
        RuntimeError: Communication has not been started.
        NotImplementedError: Several processes are meant.
    """
    return _combined("all_reduce", tensor, op, group)


def all_gather_into_tensor(tensor: Tensor, group: str = _WORLD) -> Tensor:
    """What all processes give, one after the other along the first axis; arguments as of `all_reduce`."""
    return _alone("all_gather_into_tensor", tensor, group)


def reduce_scatter_tensor(tensor: Tensor, op: str = "sum", group: str = _WORLD) -> Tensor:
    """This process' part of what `all_reduce` gives."""
    return _combined("reduce_scatter_tensor", tensor, op, group)


def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str = _WORLD) -> Tensor:
    """What `all_reduce` gives, for the process `dst`."""
    _require_rank("reduce", "dst", dst)
    return _combined("reduce", tensor, op, group)


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = _WORLD) -> Tensor:
    """This process' part of the tensor of the process `src`."""
    _require_rank("scatter_tensor", "src", src)
    return _alone("scatter_tensor", tensor, group)


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = _WORLD) -> Tensor:
    """What `all_gather_into_tensor` gives, for the process `dst`."""
    _require_rank("gather_into_tensor", "dst", dst)
    return _alone("gather_into_tensor", tensor, group)


def broadcast(tensor: Tensor, src: int = 0, group: str = _WORLD) -> Tensor:
    """The tensor of the process `src`."""
    _require_rank("broadcast", "src", src)
    return _alone("broadcast", tensor, group)


def barrier(group: str = _WORLD) -> None:
    """Returns when all processes are here."""
    _require_group("barrier", group)


def all_to_all_with_output_shape(
    output_shape_list: Sequence, input_tensor_list: Sequence[Tensor], group: str | None = None
) -> tuple[Tensor, ...]:
    """A tensor from every process, which each sent to this one.

    Args:
        output_shape_list (Union[Tensor, list, tuple]): Shapes of the results, or tensors of these shapes.
        input_tensor_list (Union[list[Tensor], tuple[Tensor]]): A tensor for every process.
        group (str): The processes; None: all. Default: ``None``.

    Raises:
        ValueError: There are not as many as there are processes, or a shape is another.
    """
    name = "all_to_all_with_output_shape"
    if len(output_shape_list) != 1 or len(input_tensor_list) != 1:
        raise ValueError(
            f"For '{name}', there must be one tensor for each of the 1 processes, but got "
            f"{len(input_tensor_list)} tensors and {len(output_shape_list)} shapes."
        )
    given = _alone(name, input_tensor_list[0], _WORLD if group is None else group)
    (wanted,) = output_shape_list
    _require_shape(name, given, wanted.shape if isinstance(wanted, Tensor) else wanted)
    return (given,)


def all_to_all_single_with_output_shape(
    output_shape: Sequence,
    tensor: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
) -> Tensor:
    """The parts of the first axis that all processes sent to this one.

    Args:
        output_shape (Union[Tensor, list, tuple]): Shape of the result, or a tensor of this shape.
        tensor (Tensor): Holds a part for every process.
        output_split_sizes (list[int]): Lengths of the parts that come. Default: ``None``.
        input_split_sizes (list[int]): Lengths of the parts that go. Default: ``None``.
        group (str): The processes; None: all. Default: ``None``.

    Raises:
        ValueError: A shape or a length is another.
    """
    name = "all_to_all_single_with_output_shape"
    given = _alone(name, tensor, _WORLD if group is None else group)
    for argument, sizes in (
        ("output_split_sizes", output_split_sizes),
        ("input_split_sizes", input_split_sizes),
    ):
        if sizes is not None and list(sizes) != [given.shape[0]]:
            raise ValueError(f"For '{name}', '{argument}' must be [{given.shape[0]}], but got {list(sizes)}.")
    shape = output_shape.shape if isinstance(output_shape, Tensor) else output_shape
    _require_shape(name, given, shape)
    return given.reshape(tuple(shape))


def _require_shape(name: str, given: Tensor, shape: Sequence[int]) -> None:
    if int(np.prod(shape)) != given.size:
        raise ValueError(f"For '{name}', {given.shape} is sent, which does not fit the shape {tuple(shape)}.")


class P2POp:
    """A message to or from one process, for `batch_isend_irecv`.

    Args:
        op (Union[str, function]): ``"isend"``, ``"irecv"``, or one of these functions.
        tensor (Tensor): What is sent, or as large as what comes.
        peer (int): The other process.
        group (str): The processes; None: all. Default: ``None``.
        tag (int): A number that both give. Default: ``0``.
        recv_dtype (mindspore.dtype): Type of what comes. Default: ``None``.
    """

    def __init__(self, op, tensor, peer, group=None, tag=0, recv_dtype=None):
        self.op, self.tensor, self.peer = op, tensor, peer
        self.group, self.tag, self.recv_dtype = group, tag, recv_dtype


def _no_partner(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"For '{name}', another process would have to take part, but the world is this process alone."
    )


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> None:
    """Exchanges messages with other processes; here there are none.

    Raises:
        NotImplementedError: Always.
    """
    raise _no_partner("batch_isend_irecv")


def isend(tensor: Tensor, dst: int = 0, group: str = _WORLD, tag: int = 0) -> None:
    """Sends a tensor to another process; here there is none.

    Raises:
        NotImplementedError: Always.
    """
    raise _no_partner("isend")


def irecv(tensor: Tensor, src: int = 0, group: str = _WORLD, tag: int = 0) -> Tensor:
    """A tensor from another process; here there is none.

    Raises:
        NotImplementedError: Always.
    """
    raise _no_partner("irecv")


__all__ = _defined_names(globals())
