# SPDX-License-Identifier: Apache-2.0
"""How much memory a device holds and held."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore._later import defined_names as _defined_names
from mindspore.hal.device import checked_target

_ROWS = (
    ("Reserved memory", "total_reserved_memory"),
    ("Allocated memory", "total_allocated_memory"),
    ("Idle memory", "total_idle_memory"),
    ("Eager free memory", "total_eager_free_memory"),
    ("Max reserved memory", "max_reserved_memory"),
    ("Max allocated memory", "max_allocated_memory"),
)


def _statistics(device_target: str | None, function: str) -> dict:
    return _c.memory_statistics(checked_target(device_target, function))


def memory_stats(device_target: str | None = None) -> dict:
    """All numbers of the device's memory pool, in bytes."""
    now = _statistics(device_target, "hal.memory_stats")
    pool = {"block_unit_size": 1 << 30, "block_counts": 0, "blocks_info": {}}
    return {
        "total_reserved_memory": now["reserved"],
        "total_allocated_memory": now["in_use"],
        "total_idle_memory": now["reserved"] - now["in_use"],
        "total_eager_free_memory": 0,
        "max_reserved_memory": now["peak_reserved"],
        "max_allocated_memory": now["peak_in_use"],
        "commom_mem_pool_stats": dict(pool),
        "persistent_mem_pool_stats": dict(pool),
    }


def memory_allocated(device_target: str | None = None) -> int:
    """Bytes in use by tensors."""
    return _statistics(device_target, "hal.memory_allocated")["in_use"]


def max_memory_allocated(device_target: str | None = None) -> int:
    """Most bytes that were in use at once."""
    return _statistics(device_target, "hal.max_memory_allocated")["peak_in_use"]


def memory_reserved(device_target: str | None = None) -> int:
    """Bytes taken from the device, in use or kept for the next tensor."""
    return _statistics(device_target, "hal.memory_reserved")["reserved"]


def max_memory_reserved(device_target: str | None = None) -> int:
    """Most bytes that were taken from the device at once."""
    return _statistics(device_target, "hal.max_memory_reserved")["peak_reserved"]


def memory_summary(device_target: str | None = None) -> str:
    """The numbers of `memory_stats` as a table."""
    stats = memory_stats(device_target)
    rule = "|" + "=" * 45 + "|"
    lines = [rule, "|" + " Memory summary".ljust(45) + "|", rule]
    lines.append("|" + " Metric".ljust(22) + "|" + " Data".ljust(22) + "|")
    for title, key in _ROWS:
        lines.append("|" + f" {title}".ljust(22) + "|" + f" {stats[key]} B".ljust(22) + "|")
    return "\n".join([*lines, rule])


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """The peaks start again from what is in use now."""
    _c.reset_peak_statistics(checked_target(device_target, "hal.reset_peak_memory_stats"))


def reset_max_memory_allocated(device_target: str | None = None) -> None:
    """The peaks start again from what is in use now."""
    reset_peak_memory_stats(device_target)


def reset_max_memory_reserved(device_target: str | None = None) -> None:
    """The peaks start again from what is in use now."""
    reset_peak_memory_stats(device_target)


def empty_cache() -> None:
    """Gives unused memory back to the device."""
    _c.empty_cache(checked_target(None, "hal.empty_cache"))


__all__ = _defined_names(globals())
