# SPDX-License-Identifier: Apache-2.0
"""Trading time for memory: a block that is computed again in backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._c_expression import Tensor
from mindspore.common._gradient import Recording
from mindspore.common._register_for_recompute import recompute_registry
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.ops._registry import op


def recompute(block, *args, **kwargs) -> Any:
    """Runs a Cell without keeping what its gradient needs; backward runs it again.

    Args:
        block (Cell): The Cell.
        args (tuple): Its arguments.
        kwargs (dict): Its keyword arguments.

    Returns:
        What the Cell returns.

    Raises:
        TypeError: `block` is not a Cell.

    Supported Platforms:
        ``CPU``
    """
    if not _is_cell(block):
        raise TypeError("Recompute function now only support block which inherited from Cell!")
    return recomputed(block, block._cell_forward, args, kwargs)


def _is_cell(block: object) -> bool:
    from mindspore.nn.cell import Cell

    return isinstance(block, Cell)


class _RecomputeCell:
    """A Cell, or a method of one, that runs without keeping what its gradient needs.

    Args:
        block (Union[Cell, method]): What runs.

    Raises:
        TypeError: `block` is something else.
    """

    def __init__(self, block):
        holder = getattr(block, "__self__", block)
        if not _is_cell(holder):
            raise TypeError(
                "For Recompute cell, it not support FunctionType function, only support Cell object or "
                "MethodType function!"
            )
        self.net = block
        self._holder = holder
        self._forward = block if holder is not block else block._cell_forward

    def __call__(self, *args, **kwargs):
        """What the block returns."""
        _check_input_args_validate(self.net, args)
        kwargs.pop("save_rng_state", None)  # random numbers are repeated in any case
        return recomputed(self._holder, self._forward, args, kwargs)


def recompute_generator(block) -> _RecomputeCell:
    """The block, recomputed."""
    return _RecomputeCell(block)


recompute_registry.register(recompute_generator)


def _check_input_args_validate(block, args: tuple) -> None:
    """Warns where recomputing has no use: no argument is a tensor."""
    if not any(isinstance(arg, Tensor) for arg in args):
        logger.warning("None of the inputs of function are tensors, which not need use recompute!")


def _padding_input_grads(args: Sequence, input_grads: list) -> None:
    """Puts None where arguments have no gradient, so that there is one entry per argument.

    Raises:
        ValueError: There are more or fewer gradients than tensors.
    """
    for place, arg in enumerate(args):
        if isinstance(arg, (list, tuple)):
            holds_tensor = any(isinstance(item, Tensor) for item in arg)
            input_grads.insert(place, [None] * len(arg) if holds_tensor else None)
        elif not isinstance(arg, Tensor):
            input_grads.insert(place, None)
    if len(args) != len(input_grads):
        raise ValueError(
            "For recompute cell, the input grads size should be same as input args size: "
            f"{len(args)}, but got {len(input_grads)}."
        )


def recomputed(block: Callable, forward, args: tuple, kwargs: dict) -> Any:
    """`forward(*args, **kwargs)`, with the parameters of `block`, recorded as one step."""
    if not _c.is_recording():
        return forward(*args, **kwargs)
    weights = [parameter for parameter in block.trainable_params() if _c.is_tracked(parameter)]
    sources = tensors_in((args, kwargs))
    draws = _c.RandomLog()
    switch = _c.RecordingSwitch(False)
    draws.remember()
    try:
        outputs = forward(*args, **kwargs)
    finally:
        draws.stop()
        del switch
    outputs = map_tensors(_c.detach, outputs)

    def backward(*gradients):
        return _gradients_again(forward, args, kwargs, weights, draws, gradients)

    _c.record_custom("recompute", sources + weights, tensors_in(outputs), backward)
    return outputs


def _gradients_again(forward, args, kwargs, weights, draws, gradients) -> list:
    recording = Recording()
    places: list[int] = []

    def watch(tensor: Tensor) -> Tensor:
        # In a graph, calls on the same value would be the same node again, and what it gave would be kept.
        alias, place = recording.watch(op.copy(tensor) if _c.is_capturing() else tensor)
        places.append(place)
        return alias

    try:
        given_args, given_kwargs = map_tensors(watch, (args, kwargs))
        places += [recording.watch_parameter(weight) for weight in weights]
        draws.repeat()
        outputs = recording.tracked(forward(*given_args, **given_kwargs))
    finally:
        draws.stop()
        recording.end_forward()
    pairs = [
        (output, gradient)
        for output, gradient in zip(outputs, gradients, strict=False)
        if gradient is not None
    ]
    found = recording.backward([output for output, _ in pairs], [gradient for _, gradient in pairs])
    return [found[place] for place in places]


__all__ = ["recompute"]
