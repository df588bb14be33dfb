# SPDX-License-Identifier: Apache-2.0
"""Precision of operators on Ascend devices."""

from __future__ import annotations

from mindspore import _checkparam as check
from mindspore.context import set_context

_MODES = [
    "force_fp16",
    "allow_fp32_to_fp16",
    "allow_mix_precision",
    "must_keep_origin_dtype",
    "force_fp32",
    "allow_fp32_to_bf16",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
]


def precision_mode(mode: str) -> None:
    """Sets in which types operators of Ascend devices compute; of no effect on others.

    Args:
        mode (str): For example ``"force_fp16"`` or ``"must_keep_origin_dtype"``.

    Raises:
        ValueError: The mode is unknown.
    """
    check.check_string(mode, _MODES, "mode", "precision_mode")
    set_context(ascend_config={"precision_mode": mode})
