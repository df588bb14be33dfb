# SPDX-License-Identifier: Apache-2.0
"""Trading time for memory: a block that is computed again in backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common._gradient import Recording
from mindspore.common._structure import map_tensors, tensors_in


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
    from mindspore.nn.cell import Cell

    if not isinstance(block, Cell):
        raise TypeError("Recompute function now only support block which inherited from Cell!")
    return recomputed(block, block._cell_forward, args, kwargs)


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
        alias, place = recording.watch(tensor)
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
