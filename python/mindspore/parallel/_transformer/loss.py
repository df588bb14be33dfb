# SPDX-License-Identifier: Apache-2.0
"""The loss of language models."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op
from mindspore.parallel._transformer.layers import _check_input_dtype
from mindspore.parallel._transformer.op_parallel_config import OpParallelConfig, default_dpmp_config

__all__ = ["CrossEntropyLoss"]


class CrossEntropyLoss(Cell):
    """Cross entropy of the places that count, and the mean of them.

    Args:
        parallel_config (OpParallelConfig): How it is cut. Default: not at all.

    Inputs:
        - **logits** (Tensor) - (places, classes), float32 or float16.
        - **label** (Tensor) - (places,), int32.
        - **input_mask** (Tensor) - float32, as many elements as places; zero where a place does not count.

    Outputs:
        Tensor, (1,).

    Examples:
        >>> import mindspore as ms
        >>> from mindspore.parallel._transformer.loss import CrossEntropyLoss
        >>> logits = ms.Tensor([[0.0, 0.0], [9.0, 0.0]])
        >>> print(CrossEntropyLoss()(logits, ms.Tensor([0, 1], ms.int32), ms.Tensor([1.0, 0.0])).shape)
        (1,)
    """

    def __init__(self, parallel_config=default_dpmp_config):
        super().__init__()
        if not isinstance(parallel_config, OpParallelConfig):
            raise TypeError(
                "For 'CrossEntropyLoss', the 'parallel_config' must be OpParallelConfig, but got "
                f"{type(parallel_config).__name__}."
            )

    def construct(self, logits, label, input_mask):
        _check_input_dtype(logits.dtype, "logits", [mstype.float32, mstype.float16], self.cls_name)
        _check_input_dtype(label.dtype, "label", [mstype.int32], self.cls_name)
        _check_input_dtype(input_mask.dtype, "input_mask", [mstype.float32], self.cls_name)
        chances = op.log_softmax(op.cast(logits, mstype.float32), -1)
        chosen = op.reshape(op.gather_d(chances, 1, op.reshape(label, (-1, 1))), (-1,))
        counts = op.reshape(input_mask, (-1,))
        total = op.reshape(op.reduce_sum(op.mul(chosen, counts), ()), (1,))
        return op.div(op.neg(total), op.add(op.reduce_sum(counts, ()), 1e-5))
