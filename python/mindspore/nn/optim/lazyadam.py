# SPDX-License-Identifier: Apache-2.0
"""Adam for tables of which a step touches few rows."""

from __future__ import annotations

from mindspore.nn.optim._parameters import OPTIMIZER
from mindspore.nn.optim.adam import AdamOffload


@OPTIMIZER
class LazyAdam(AdamOffload):
    """Adam that updates only the rows a sparse gradient touches; dense gradients give Adam.

    Inputs:
        - **gradients** (tuple[Union[Tensor, RowTensor]]) - One gradient per parameter.
    """

    _rows_only = True
