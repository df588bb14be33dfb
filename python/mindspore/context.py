# SPDX-License-Identifier: Apache-2.0
"""Settings of the process: how programs run, where, and in what company."""

from __future__ import annotations

from typing import Any

from mindspore import _c_expression as _c
from mindspore._auto_parallel_context import (
    ParallelMode,
    get_auto_parallel_context,
    get_offload_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_offload_context,
    set_ps_context,
)
from mindspore._settings.context_checks import (
    COMPATIBLE,
    DEBUG,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    RELEASE,
    STRICT,
)
from mindspore._settings.context_keys import CONTEXT as _CONTEXT
from mindspore._spelling import did_you_mean

__all__ = [
    "COMPATIBLE",
    "DEBUG",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "ParallelMode",
    "RELEASE",
    "STRICT",
    "get_auto_parallel_context",
    "get_context",
    "get_offload_context",
    "get_ps_context",
    "reset_auto_parallel_context",
    "reset_ps_context",
    "set_auto_parallel_context",
    "set_context",
    "set_offload_context",
    "set_ps_context",
]

_values = _CONTEXT.values


def __dir__() -> list[str]:
    return sorted(__all__)


def set_context(**kwargs: Any) -> None:
    """Changes settings of the process; the guide `settings` lists them, and what becomes of each.

    Args:
        **kwargs: Settings by name, for example `mode`, `device_target`, `max_device_memory`,
            `runtime_num_threads`, `save_graphs`.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: An unknown setting, or a value that is not allowed.
        RuntimeError: The device target is not part of this installation.

    Examples:
        >>> import mindspore as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    """
    if "device_target" in kwargs:
        _CONTEXT.set("device_target", kwargs.pop("device_target"))
    for key, value in kwargs.items():
        _CONTEXT.set(key, value, _values["device_target"])


def is_precompile_only() -> bool:
    """Whether compiled functions and cells are only checked, not run."""
    return _values["precompile_only"]


def get_context(attr_key: str) -> Any:
    """Value of one setting.

    Args:
        attr_key (str): Name of the setting.

    Raises:
        ValueError: There is no setting of this name.

    Examples:
        >>> import mindspore as ms
        >>> ms.get_context("device_target")
        'CPU'
    """
    if attr_key == "enable_ge":  # the graph engine of Ascend; nobody can set it
        return False
    if attr_key not in _values:
        raise ValueError(
            f"For 'context.get_context', the argument {attr_key} is not recognized! For detailed usage of "
            f"'get_context', please refer to the Mindspore official website.{did_you_mean(attr_key, _values)}"
        )
    value = _values[attr_key]
    return _c.compute_threads() if attr_key == "runtime_num_threads" and value is None else value


def _get_mode() -> int:
    """The mode in force."""
    return get_context("mode")


class _Context:
    """The settings as an object, for scripts that reach it."""

    @property
    def mode(self) -> int:
        """The mode in force."""
        return _get_mode()

    get_mode = staticmethod(_get_mode)

    def set_backend_policy(self, policy: str) -> None:
        """Chooses what runs graphs: here one thing does, which is called ``"ms"`` or ``"vm"``.

        Raises:
            RuntimeError: Another one is asked for.
        """
        if policy not in ("ms", "vm"):
            raise RuntimeError(f"Backend policy must be one of values in ['ms', 'vm'], but got {policy}.")

    def get_backend_policy(self) -> str:
        """What runs graphs."""
        return "ms"


K_CONTEXT = _Context()


def _context() -> _Context:
    """The settings as an object."""
    return K_CONTEXT
