# SPDX-License-Identifier: Apache-2.0
"""What the documentation of this package says alike."""

from __future__ import annotations

from mindspore._wording import Wording

BOOST = Wording("""
    Args:
        network (Cell): The network.
        optimizer (Cell): The optimizer.
        sens (numbers.Number): Factor of the gradients.
        loss (Tensor): Loss of the batch.
        grads (tuple[Tensor]): Its gradients.
        freeze_p (float): Probability that layers rest.
        total_steps (int): Number of steps.
        parameters (list[Parameter]): The parameters.

    Supported Platforms:
        ``CPU``
    """)
