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

    Outputs:
        tuple, the losses (N,) and their gradient by `x`.

    Raises:
        NotImplementedError: Labels are to be collapsed, or repetitions are not to be merged.

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
        if preprocess_collapse_repeated or not ctc_merge_repeated:
            raise NotImplementedError(
                "For 'CTCLoss', 'preprocess_collapse_repeated' must be False and 'ctc_merge_repeated' True."
            )
        self.zero_infinity = ignore_longer_outputs_than_inputs

    def __call__(self, x, labels_indices, labels_values, sequence_length) -> tuple:
        steps, batch, classes = x.shape
        empty = op.fill(mstype.int64, (batch, steps), 0)
        places = op.cast(labels_indices, mstype.int64)
        labels = op.tensor_scatter_add(empty, places, op.cast(labels_values, mstype.int64))
        marks = op.tensor_scatter_add(empty, places, op.ones_like(op.cast(labels_values, mstype.int64)))
        counts = op.reduce_sum(marks, (1,))
        scores = op.log_softmax(x, -1)
        inputs = (labels, sequence_length, counts)
        losses = op.ctc_paths(scores, *inputs, classes - 1, self.zero_infinity)[0]
        by_scores = op.ctc_paths_gradient(
            op.ones_like(losses), scores, *inputs, None, classes - 1, self.zero_infinity
        )
        gradient = op.sub(by_scores, op.mul(op.exp(scores), op.reduce_sum(by_scores, (-1,), True)))
        return losses, gradient
