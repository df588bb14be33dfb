# SPDX-License-Identifier: Apache-2.0
"""Adam for tables of which a step touches few rows."""

from __future__ import annotations

from mindspore.nn.optim.adam import AdamOffload


class LazyAdam(AdamOffload):
    """Adam that updates only the rows a sparse gradient touches; dense gradients give Adam.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
            Default: ``1e-3``.
        beta1 (float): Decay of the mean. Default: ``0.9``.
        beta2 (float): Decay of the mean square. Default: ``0.999``.
        eps (float): Added to the divisor. Default: ``1e-8``.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        use_nesterov (bool): Look one step ahead. Default: ``False``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.

    Inputs:
        - **gradients** (tuple[Union[Tensor, RowTensor]]) - One gradient per parameter.

    Outputs:
        tuple[bool], all True.

    Supported Platforms:
        ``CPU``
    """

    _rows_only = True
