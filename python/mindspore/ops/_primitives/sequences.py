# SPDX-License-Identifier: Apache-2.0
"""Losses of sequences."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function.losses import ctc_greedy_decoder
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["CTCGreedyDecoder", "CTCLoss"]


class CTCGreedyDecoder(Primitive):
    """The most likely label of every step, without blanks (the last class) and repetitions.

    Args:
        merge_repeated (bool): Repetitions in a row count once. Default: ``True``.

    Inputs:
        - **inputs** (Tensor) - Scores (T, N, C).
        - **sequence_length** (Tensor) - How many of the T steps count (N,).

    Outputs:
        tuple, sample and place of every label, the labels, their shape, and minus the sum of the chosen
        scores.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, merge_repeated=True):
        """Initialize CTCGreedyDecoder."""
        if not isinstance(merge_repeated, bool):
            raise TypeError(
                f"For 'CTCGreedyDecoder', the 'merge_repeated' must be bool, but got "
                f"{type(merge_repeated).__name__}."
            )
        self.merge_repeated = merge_repeated

    def __call__(self, inputs, sequence_length) -> tuple:
        return ctc_greedy_decoder(inputs, sequence_length, self.merge_repeated)


class CTCLoss(Primitive):
    """Loss of label sequences whose place in a longer sequence is unknown; the last class is the blank.

    Args:
        preprocess_collapse_repeated (bool): Repeated labels count once. Default: ``False``.
        ctc_merge_repeated (bool): Repetitions in the longer sequence are merged. Default: ``True``.
        ignore_longer_outputs_than_inputs (bool): Impossible sequences cost nothing. Default: ``False``.

    Inputs:
        - **x** (Tensor) - Scores (T, N, C).
        - **labels_indices** (Tensor) - Sample and place of every label (L, 2).
        - **labels_values** (Tensor) - The labels (L,).
        - **sequence_length** (Tensor) - How many of the T steps count (N,).

    Labels at the end of a sample that are the blank, or no class at all, are dropped: they fill it up.

    Outputs:
        tuple, the losses (N,) and their gradient by `x`.

    Raises:
        IndexError: A blank stands in front of a label.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self,
        preprocess_collapse_repeated=False,
        ctc_merge_repeated=True,
        ignore_longer_outputs_than_inputs=False,
    ):
        """Initialize CTCLoss."""
        self.zero_infinity = ignore_longer_outputs_than_inputs

    def _labels(self, x, labels_indices, labels_values) -> tuple:
        """The labels of every sample (N, T), and how many there are: what follows the last is dropped."""
        steps, batch, classes = x.shape
        values = op.cast(labels_values, mstype.int64)
        places = op.cast(labels_indices, mstype.int64)
        # Where nothing is given there is no label: -1, as for the blanks, which end a sequence.
        empty = op.fill(mstype.int64, (batch, steps), -1)
        values = op.where(op.less(values, classes - 1), op.add(values, 1), op.zeros_like(values))
        labels = op.tensor_scatter_add(empty, places, values)
        order = op.reshape(op.arange(1, steps + 1, 1, mstype.int64), (1, steps))
        counts = op.reduce_max(op.mul(order, op.cast(op.greater_equal(labels, 0), mstype.int64)), (1,))
        return _collapsed(labels, counts) if self.preprocess_collapse_repeated else (labels, counts)

    def __call__(self, x, labels_indices, labels_values, sequence_length) -> tuple:
        labels, counts = self._labels(x, labels_indices, labels_values)
        scores = op.log_softmax(x, -1)
        inputs = (labels, sequence_length, counts)
        options = (x.shape[2] - 1, self.zero_infinity, bool(self.ctc_merge_repeated))
        losses = op.ctc_paths(scores, *inputs, *options)[0]
        by_scores = op.ctc_paths_gradient(op.ones_like(losses), scores, *inputs, None, *options)
        gradient = op.sub(by_scores, op.mul(op.exp(scores), op.reduce_sum(by_scores, (-1,), True)))
        return losses, gradient


def _collapsed(labels, counts) -> tuple:
    """The labels without those that equal the one before, and how many are left."""
    batch, steps = labels.shape
    order = op.reshape(op.arange(0, steps, 1, mstype.int64), (1, steps))
    before = op.concat((op.fill(mstype.int64, (batch, 1), -2), labels[:, :-1]), 1)
    fresh = op.logical_and(op.not_equal(labels, before), op.less(order, op.expand_dims(counts, 1)))
    kept = op.cast(fresh, mstype.int64)
    places = op.sub(op.cumsum(kept, 1), 1)
    # (N, new place, old place): each new place takes the one label that goes there.
    goes = op.logical_and(op.equal(op.expand_dims(places, 1), op.reshape(order, (1, steps, 1))),
                          op.expand_dims(fresh, 1))  # fmt: skip
    moved = op.reduce_sum(op.mul(op.cast(goes, mstype.int64), op.expand_dims(labels, 1)), (2,))
    return moved, op.reduce_sum(kept, (1,))
