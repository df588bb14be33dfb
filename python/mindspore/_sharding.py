# SPDX-License-Identifier: Apache-2.0
"""Strategies of `shard`: among how many devices each axis of a tensor would be divided. Here there is one."""

from __future__ import annotations

import math

from mindspore._settings.parallel_keys import AUTO_PARALLEL
from mindspore._settings.telling import warn_once
from mindspore._world import require_one_process


def _degree(owner: str, name: str, strategy) -> int:
    """The most devices that a tensor would be divided among."""
    if strategy is None:
        return 1
    if not isinstance(strategy, tuple):
        raise TypeError(f"{name} must be tuple type, but got:{type(strategy)}")
    degree = 1
    for entry in strategy:
        if entry is None:
            continue
        entry = entry.parts() if hasattr(entry, "parts") else entry  # a Layout
        if not isinstance(entry, tuple):
            raise TypeError(f"The element of strategy must be tuple/Layout type, but got:{type(entry)}")
        for part in entry:
            if isinstance(part, bool) or not isinstance(part, int):
                raise TypeError(
                    f"The {name}: {strategy} of {owner} is not valid, the value of strategy must be int "
                    f"type, but got:{type(part)}"
                )
        degree = max(degree, math.prod(entry))
    return degree


def check_sharding(owner: str, in_strategy, out_strategy=None) -> None:
    """Raises an error for a strategy that is wrong, or that would need other processes.

    Args:
        owner (str): What is to be divided.
        in_strategy (tuple): For every input None, or a number of parts for every axis.
        out_strategy (tuple): The same for the outputs. Default: ``None``.

    Raises:
        TypeError: A strategy has another form.
        ValueError: There is only the strategy of the outputs.
        NotImplementedError: Several processes are meant.
    """
    degree = max(_degree(owner, "in_strategy", in_strategy), _degree(owner, "out_strategy", out_strategy))
    if in_strategy is None and out_strategy is not None:
        raise ValueError(
            f"The out_strategy of {owner} is {out_strategy}, need to set in_strategy, but got none"
        )
    is_used = AUTO_PARALLEL.values["parallel_mode"] in ("semi_auto_parallel", "auto_parallel")
    require_one_process(f"{owner}.shard", strategy=degree if is_used else 1)
    if degree > 1:
        warn_once(
            f"{owner}.shard",
            f"The strategy of '{owner}.shard' will not take effect in stand_alone mode: one process computes "
            "the whole operator.",
        )
