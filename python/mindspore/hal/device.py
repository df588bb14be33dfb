# SPDX-License-Identifier: Apache-2.0
"""What devices there are."""

from __future__ import annotations

from mindspore import _c_expression as _c

_TARGETS = ("CPU", "GPU", "Ascend")


def checked_target(device_target: str | None, function: str) -> str:
    """`device_target`, or the context's; ValueError for one that is not here."""
    if device_target is None:
        from mindspore import context

        return context.get_context("device_target")
    if device_target not in _TARGETS:
        raise ValueError(
            f"For '{function}', the argument 'device_target' must be one of ['CPU', 'GPU', 'Ascend'], "
            f"but got {device_target}."
        )
    if device_target not in _c.backend_names():
        raise ValueError(f"{device_target} backend is not available for this MindSpore package.")
    return device_target


def is_available(device_target: str) -> bool:
    """Whether this package can use the device."""
    if device_target not in _TARGETS:
        raise ValueError(
            "For 'hal.is_available', the argument 'device_target' must be one of ['CPU', 'GPU', 'Ascend'], "
            f"but got {device_target}."
        )
    return device_target in _c.backend_names()


def is_initialized(device_target: str) -> bool:
    """Whether something was already allocated on the device."""
    target = checked_target(device_target, "hal.is_initialized")
    return _c.memory_statistics(target)["allocations"] > 0


def device_count(device_target: str | None = None) -> int:
    """Number of devices of this kind."""
    return _c.device_count(checked_target(device_target, "hal.device_count"))


def _check_id(device_id: int, target: str, function: str) -> None:
    count = _c.device_count(target)
    if device_id >= count:
        raise ValueError(
            f"For '{function}', device_id {device_id} is invalid, the number of devices is {count}."
        )


def get_device_capability(device_id: int, device_target: str | None = None):
    """Compute capability; None for a CPU."""
    target = checked_target(device_target, "hal.get_device_capability")
    _check_id(device_id, target, "hal.get_device_capability")


def get_device_properties(device_id: int, device_target: str | None = None):
    """Properties of an accelerator; None for a CPU."""
    target = checked_target(device_target, "hal.get_device_properties")
    _check_id(device_id, target, "hal.get_device_properties")


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """Name of the device."""
    target = checked_target(device_target, "hal.get_device_name")
    _check_id(device_id, target, "hal.get_device_name")
    return target


def get_arch_list(device_target: str | None = None):
    """Architectures the package was built for; None for a CPU."""
    checked_target(device_target, "hal.get_arch_list")


__all__ = [
    "device_count",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
]
