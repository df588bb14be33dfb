# SPDX-License-Identifier: Apache-2.0
"""Networks of experts: products in groups, and what comes back from them."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._primitives.composition import composed
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["GroupedMatmul", "MoeFinalizeRouting"]


class GroupedMatmul(Primitive):
    """Products of several pairs of matrices, or of groups of rows with a matrix each.

    Args:
        split_item (int): 0: several inputs and results; 3: one of each. Default: ``0``.
        group_type (int): -1: no groups; 0: groups of rows. Default: ``-1``.
        transpose_a (bool): Must be False. Default: ``False``.
        transpose_b (bool): Whether the weights are given transposed. Default: ``False``.

    Inputs:
        - **x** (list[Tensor]) - The inputs; one with `group_type` 0.
        - **weight** (list[Tensor]) - A matrix for each; with `group_type` 0 one tensor (groups, K, N).
        - **bias** (list[Tensor]) - A row for each, or None.
        - **scale**, **offset**, **antiquant_scale**, **antiquant_offset** (None) - Quantized products are
          not there.
        - **group_list** (Union[Tensor, list[int]]) - With `group_type` 0: where the rows of each group end.

    Outputs:
        Tuple of the results.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, split_item=0, group_type=-1, transpose_a=False, transpose_b=False):
        if (split_item, group_type) not in ((0, -1), (3, 0)):
            raise ValueError(
                "For 'GroupedMatmul', 'split_item' and 'group_type' must be 0 and -1, or 3 and 0, but got "
                f"{split_item} and {group_type}."
            )
        if transpose_a:
            raise NotImplementedError("For 'GroupedMatmul', 'transpose_a' must be False.")

    def __call__(
        self, x, weight, bias=None, scale=None, offset=None, antiquant_scale=None, antiquant_offset=None,
        group_list=None,
    ) -> tuple:  # fmt: skip
        if any(given is not None for given in (scale, offset, antiquant_scale, antiquant_offset)):
            raise NotImplementedError("For 'GroupedMatmul', scales and offsets of quantization must be None.")
        if self.group_type == -1:
            biases = bias if bias is not None else (None,) * len(x)
            return tuple(map(self._product, x, weight, biases))
        if group_list is None:
            raise ValueError(
                "For 'GroupedMatmul', 'group_list' must be given with 'group_type' 0, but got None."
            )
        ends = group_list.tolist() if isinstance(group_list, Tensor) else list(group_list)
        rows = [x[0][start:end] for start, end in zip([0, *ends], ends, strict=False)]
        biases = [None] * len(rows) if bias is None else [bias[0][i] for i in range(len(rows))]
        parts = [self._product(part, weight[0][i], biases[i]) for i, part in enumerate(rows)]
        return (op.concat(parts, 0),)

    def _product(self, x, weight, bias) -> Tensor:
        from mindspore.ops import matmul

        result = matmul(x, op.transpose(weight, (1, 0)) if self.transpose_b else weight)
        return result if bias is None else op.add(result, bias)


@composed()
def MoeFinalizeRouting(
    self, expanded_x, x1, x2=None, bias=None, scales=None, expanded_row_idx=None, expanded_expert_idx=None
):
    """Sums up for every token what its experts gave.

    Inputs:
        - **expanded_x** (Tensor) - Results of the experts, (K * N, H).
        - **x1**, **x2** (Tensor) - Added to the sums, (N, H); `x2` may be None.
        - **bias** (Tensor) - Of every expert, (E, H); or None.
        - **scales** (Tensor) - Weight of every expert of a token, (N, K); or None.
        - **expanded_row_idx** (Tensor) - Row of the result of every token and expert, (K * N,).
        - **expanded_expert_idx** (Tensor) - The experts of every token, (N, K); needed with `bias`.

    Outputs:
        Tensor, (N, H).

    Supported Platforms:
        ``CPU``
    """
    tokens, width = x1.shape
    results = op.gather(expanded_x, expanded_row_idx, 0)  # (K * N, H), all first experts before all second
    results = op.transpose(op.reshape(results, (-1, tokens, width)), (1, 0, 2))
    if bias is not None:
        results = op.add(results, op.gather(bias, expanded_expert_idx, 0))
    if scales is not None:
        results = op.mul(results, op.expand_dims(scales, 2))
    total = op.add(x1, op.reduce_sum(results, (1,)))
    return total if x2 is None else op.add(total, x2)
