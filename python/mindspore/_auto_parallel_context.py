# SPDX-License-Identifier: Apache-2.0
"""Settings of parallel training, of the parameter server and of offloading."""

from __future__ import annotations

from typing import Any

from mindspore._settings.parallel_keys import AUTO_PARALLEL, OFFLOAD, PARAMETER_SERVER, ParallelMode

__all__ = ["ParallelMode"]

_values = AUTO_PARALLEL.values


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Changes settings of parallel training. One process trains: what needs several is refused.

    Args:
        **kwargs: Settings by name, for example `parallel_mode`, `gradients_mean`, `device_num`.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: An unknown setting, or a value that is not allowed.
        NotImplementedError: Several processes are meant.
    """
    for key, value in kwargs.items():
        AUTO_PARALLEL.set(key, value)


def get_auto_parallel_context(attr_key: str) -> Any:
    """Value of one setting of parallel training."""
    return AUTO_PARALLEL.get(attr_key)


def reset_auto_parallel_context() -> None:
    """All settings of parallel training get their initial values again."""
    AUTO_PARALLEL.reset()


def set_ps_context(**kwargs: Any) -> None:
    """Changes settings of the parameter server, which is not there: `enable_ps` is refused.

    Args:
        **kwargs: Settings by name.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: An unknown setting.
        NotImplementedError: The server is to be used.
    """
    for key, value in kwargs.items():
        PARAMETER_SERVER.set(key, value)


def get_ps_context(attr_key: str) -> Any:
    """Value of one setting of the parameter server."""
    return PARAMETER_SERVER.get(attr_key, "PS context keyword")


def reset_ps_context() -> None:
    """All settings of the parameter server get their initial values again."""
    PARAMETER_SERVER.reset()


def set_offload_context(offload_config: dict) -> None:
    """Changes settings of offloading, which is not there: they have no effect, and a warning says so.

    Args:
        offload_config (dict): Settings by name.

    Raises:
        TypeError: `offload_config` is not a dict, or a value has the wrong type.
        ValueError: An unknown setting, or a value that is not allowed.
    """
    if not isinstance(offload_config, dict):
        raise TypeError(f"The 'offload_config' must be a dict, but got {type(offload_config)}.")
    for key, value in offload_config.items():
        OFFLOAD.set(key, value)


def get_offload_context() -> dict:
    """All settings of offloading."""
    return dict(OFFLOAD.values)
