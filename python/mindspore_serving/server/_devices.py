# SPDX-License-Identifier: Apache-2.0
"""Kinds of devices that models can be run on here."""

_NAMES = ("ascend", "gpu", "cpu")


def supports(device_type):
    """Whether models run on such devices: so far on CPUs alone."""
    return device_type == "cpu"


def check_device_type(device_type):
    """The type in lower case; '' where the caller leaves it open."""
    if device_type is None:
        return ""
    if not isinstance(device_type, str):
        raise RuntimeError(f"Parameter 'device_type' should be str, but actually {type(device_type)}")
    if not device_type:
        raise RuntimeError("Parameter 'device_type' should not be empty str")
    lower = device_type.lower()
    if lower == "none":
        return ""
    if lower not in _NAMES:
        raise RuntimeError(
            f"Unsupported device type '{device_type}', only support 'Ascend', 'GPU', 'CPU' and None, "
            "case ignored"
        )
    return lower


def check_devices(configs):
    """RuntimeError for devices that are not there, or that two workers may not share."""
    used = {}
    for config in configs:
        device_type = config.device_type
        if device_type and config.device_ids and not supports(device_type):
            there = ", ".join(name for name in _NAMES if supports(name))
            raise RuntimeError(
                f"The device type '{device_type}' of servable name {config.servable_name} is "
                f"inconsistent with current running environment, which has: {there}"
            )
        if not supports("ascend") or device_type not in ("", "ascend"):
            continue
        for device in config.device_ids:
            if device in used:
                raise RuntimeError(
                    f"Ascend 910 device id {device} is used repeatedly in servable "
                    f"{used[device]} and servable {config.servable_name}"
                )
            used[device] = config.servable_name
