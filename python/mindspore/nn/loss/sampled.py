# SPDX-License-Identifier: Apache-2.0
"""Cross entropy over a sample of the classes."""

from __future__ import annotations

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import REDUCTION
from mindspore.nn._description import Argument, takes
from mindspore.nn.loss.loss import LossBase, require_tensors
from mindspore.ops._registry import op


def _drawn(value, name: str, owner: str) -> list | tuple | None:
    if value is not None and not isinstance(value, (list, tuple)):
        raise TypeError(
            f"For '{owner}', the '{name}' must be a list or tuple, but got {type(value).__name__}."
        )
    if value is not None and len(value) != 3:
        raise ValueError(f"For '{owner}', the length of '{name}' must be equal to 3, but got {len(value)}.")
    return value


@takes(
    Argument("num_sampled", "int", "Classes drawn per batch."),
    Argument("num_classes", "int", "Number of classes."),
    Argument("num_true", "int", "Right classes per sample.", 1),
    Argument(
        "sampled_values",
        "Union[list, tuple]",
        "Drawn classes, expected counts of the right ones and of the drawn ones; None: drawn evenly.",
        None,
        _drawn,
    ),
    Argument("remove_accidental_hits", "bool", "Right classes that are drawn do not count.", True),
    Argument("seed", "int", "Seed of the draw.", 0),
    REDUCTION.but(default="none"),
)
class SampledSoftmaxLoss(LossBase):
    """Cross entropy over the right classes and a few drawn ones instead of all.

    Inputs:
        - **weights** (Tensor) - (classes, D).
        - **biases** (Tensor) - (classes,).
        - **labels** (Tensor) - (N, num_true) or (N,).
        - **logits** (Tensor) - (N, D).

    Outputs:
        Tensor, one number or one per sample.

    Raises:
        TypeError: `sampled_values` is no list or tuple, or the labels are no int32.
        ValueError: A count does not fit the number of classes.
    """

    def _set_up(self, num_sampled) -> None:
        name, num_true, num_classes = self.cls_name, self.num_true, self.num_classes
        if num_true < 1:
            raise ValueError(
                f"For '{name}', the 'num_true' must be greater than or equal to 1, but got {num_true}."
            )
        for label, value in (("num_true", num_true), ("num_sampled", num_sampled)):
            if value > num_classes:
                raise ValueError(
                    f"For '{name}', the '{label}' must be smaller than or equal to 'num_classes', but got "
                    f"'{label}': {value} and 'num_classes': {num_classes}."
                )
        self.num_sampled = check.positive_int(num_sampled, "num_sampled", name)

    def _draw(self, kind, dtype) -> tuple:
        """Different classes, all equally likely, and how often each is expected."""
        keys = ops.rand(self.num_classes, seed=self.seed or None)
        drawn = op.cast(op.topk(keys, self.num_sampled)[1], kind)
        count = Tensor(self.num_sampled / self.num_classes, dtype)
        return drawn, count, count

    def construct(self, weights, biases, labels, logits):
        require_tensors(self.cls_name, weights=weights, biases=biases, labels=labels, logits=logits)
        if labels.dtype not in (mstype.int32, mstype.int64):
            raise TypeError(
                f"For '{self.cls_name}', the type of 'labels' must be int32 or int64, but got {labels.dtype}."
            )
        labels = op.reshape(labels, (-1, self.num_true))
        drawn, true_count, drawn_count = self.sampled_values or self._draw(labels.dtype, logits.dtype)
        right = op.reduce_sum(op.mul(op.expand_dims(logits, 1), op.gather(weights, labels, 0)), (-1,))
        right = op.sub(op.add(right, op.gather(biases, labels, 0)), op.log(true_count))
        others = op.add(
            op.matmul(logits, op.gather(weights, drawn, 0), False, True), op.gather(biases, drawn, 0)
        )
        others = op.sub(others, op.log(drawn_count))
        if self.remove_accidental_hits:
            hit = op.equal(op.expand_dims(labels, 2), op.reshape(drawn, (1, 1, -1)))
            lowest = Tensor(-3.0e4 if others.dtype == mstype.float16 else -1.0e30, others.dtype)
            others = op.where(op.reduce_any(hit, (1,)), lowest, others)
        scores = op.log_softmax(op.concat((right, others), 1), -1)
        return self.get_loss(op.neg(op.reduce_mean(scores[:, : self.num_true], (1,))))
