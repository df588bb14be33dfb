# SPDX-License-Identifier: Apache-2.0
"""Rules for what losses read by class number."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.train._onnx.operators import Call, Symbol, rule


def _places(call: Call, labels: int, classes: int) -> tuple[Symbol, Symbol]:
    """Which labels are passed over, and the class of each; 0 for those."""
    numbers = call.input(labels, mstype.int64)
    ignored = numbers.equals(call["ignore_index"])
    if call["wrap"]:
        numbers = (numbers < 0).where(numbers + classes, numbers)
    return ignored, ignored.where(0, numbers)


def _picked(scores: Symbol, ignored: Symbol, places: Symbol) -> Symbol:
    """Of (N, C, ...) the value of the labelled class; 0 where ignored."""
    axis = places.ints([1])
    return ignored.where(0, scores.GatherElements(places.Unsqueeze(axis), axis=1).Squeeze(axis))


@rule("pick_class")
def _pick_class(call: Call) -> Symbol:
    return _picked(call.input(0), *_places(call, 1, call.shape_of(0)[1]))


@rule("sparse_cross_entropy")
def _sparse_cross_entropy(call: Call) -> list[Symbol]:
    logits, classes = call.input(0), call.shape_of(0)[1]
    loss = -_picked(logits.LogSoftmax(axis=1), *_places(call, 1, classes))
    log_sum = logits.ReduceLogSumExp(axes=(1,), keepdims=0)
    return [loss.to(call.dtype), log_sum.to(call.node.types[1][0])]


@rule("class_weights")
def _class_weights(call: Call) -> Symbol:
    ignored, places = _places(call, 0, call["classes"])
    if call.has(1):
        return ignored.where(0, call.input(1, call.dtype).Gather(places, axis=0))
    return ignored.where(0, call.constant(1).Expand(places.Shape()))
