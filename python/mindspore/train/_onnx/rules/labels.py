# SPDX-License-Identifier: Apache-2.0
"""Rules for what losses read by class number."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.train._onnx.operators import Call, Symbol, rule


def _places(call: Call, labels: int) -> tuple[Symbol | None, Symbol]:
    """Which labels are passed over, None if no label can be, and the class of each; 0 for those."""
    numbers = call.input(labels, mstype.int64)
    if call["ignore_index"] is None:
        return None, numbers
    ignored = numbers.equals(call["ignore_index"])
    return ignored, ignored.where(0, numbers)


def _counted(ignored: Symbol | None, values: Symbol) -> Symbol:
    """The values, 0 where ignored."""
    return values if ignored is None else ignored.where(0, values)


def _picked(scores: Symbol, ignored: Symbol | None, places: Symbol) -> Symbol:
    """Of (N, C, ...) the value of the labelled class; 0 where ignored."""
    axis = places.ints([1])
    return _counted(ignored, scores.GatherElements(places.Unsqueeze(axis), axis=1).Squeeze(axis))


@rule("pick_class")
def _pick_class(call: Call) -> Symbol:
    return _picked(call.input(0), *_places(call, 1))


@rule("sparse_cross_entropy")
def _sparse_cross_entropy(call: Call) -> list[Symbol]:
    logits = call.input(0)
    loss = -_picked(logits.LogSoftmax(axis=1), *_places(call, 1))
    log_sum = logits.ReduceLogSumExp(axes=(1,), keepdims=0)
    return [loss.to(call.dtype), log_sum.to(call.node.types[1][0])]


@rule("class_weights")
def _class_weights(call: Call) -> Symbol:
    ignored, places = _places(call, 0)
    if call.has(1):
        return _counted(ignored, call.input(1, call.dtype).Gather(places, axis=0))
    return _counted(ignored, call.constant(1).Expand(places.Shape()))
