# SPDX-License-Identifier: Apache-2.0
"""What scripts reach in `mindspore._c_expression` and the native part here has no need of."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore import context
from mindspore._spelling import unknown_in_module


class MSContext:
    """The settings as the native part of MindSpore holds them; there is one object."""

    _only: MSContext | None = None

    @classmethod
    def get_instance(cls) -> MSContext:
        """The object."""
        cls._only = cls._only or cls()
        return cls._only

    def get_param(self, key: str) -> Any:
        """Value of a setting of `set_context`."""
        return context.get_context(key)

    def set_param(self, key: str, value: Any) -> None:
        """Sets a setting of `set_context`."""
        context.set_context(**{key: value})

    def set_device_target_inner(self, device_target: str) -> None:
        """Chooses the device."""
        context.set_context(device_target=device_target)

    def set_backend_policy(self, policy: str) -> bool:
        """Chooses what runs graphs; whether it is known."""
        context.K_CONTEXT.set_backend_policy(policy)
        return True

    def get_backend_policy(self) -> str:
        """What runs graphs."""
        return context.K_CONTEXT.get_backend_policy()

    def get_ascend_soc_version(self) -> str:
        """Name of the Ascend processor; there is none."""
        return ""

    def is_ascend_plugin_loaded(self) -> bool:
        """Whether Ascend devices can be used."""
        return False

    def is_pkg_support_device(self, device: str) -> bool:
        """Whether a kind of device is part of this installation."""
        from mindspore import _c_expression as native

        return device in native.backend_names()


def _random_normal(seed: int, array: np.ndarray, mean: float, sigma: float) -> None:
    """Fills a float32 array with normal numbers that depend on a seed."""
    _fill(array, "initial_normal", mean, sigma, seed)


def _random_uniform(seed: int, array: np.ndarray, a: float, b: float) -> None:
    """Fills a float32 array with evenly distributed numbers that depend on a seed."""
    _fill(array, "initial_uniform", a, b, seed)


def _truncated_normal(seed: int, array: np.ndarray, a: float, b: float, mean: float, sigma: float) -> None:
    """Fills a float32 array with normal numbers between bounds that depend on a seed."""
    _fill(array, "initial_truncated_normal", a, b, mean, sigma, seed)


def _fill(array: np.ndarray, operator: str, *arguments: float) -> None:
    from mindspore.ops._registry import op

    if array.dtype != np.float32:
        raise RuntimeError(f"Unsupported data type '{array.dtype}': the array must be of type float32.")
    array[...] = getattr(op, operator)(array.shape, *arguments).asnumpy()


def random_normal(shape: list[int], seed: int = 0, mean: float = 0.0, sigma: float = 1.0) -> Any:
    """A tensor of normal numbers, as initializers of 1.x drew it."""
    from mindspore.ops._registry import op

    return op.initial_normal(tuple(shape), mean, sigma, seed or int(np.random.randint(1, 1 << 62)))


def _framework_profiler_step_start() -> None:
    """Marks the begin of a step for a profiler that follows the framework itself; none runs."""


def _framework_profiler_step_end() -> None:
    """Marks the end of such a step."""


def init_exec_dataset(*_: object, **__: object) -> None:
    """Starts a queue of rows on a device.

    Raises:
        NotImplementedError: Always: rows are read by the loop that uses them.
    """
    raise NotImplementedError(
        "For 'init_exec_dataset', there is no queue of rows on a device: iterate over the data set, or use "
        "mindspore.data_sink or mindspore.DatasetHelper."
    )


def swap_cache(*_: object) -> None:
    """Moves blocks of a cache of attention between an Ascend device and the host.

    Raises:
        NotImplementedError: Always: there is no such device.
    """
    raise NotImplementedError(
        "For 'swap_cache', no Ascend device is part of this installation: caches are ordinary tensors here, "
        "which NumPy or mindspore.ops copies."
    )


_OF_PIJIT = frozenset(
    (
        "get_code_extra",
        "jit_mode_pi_compile",
        "jit_mode_pi_disable",
        "jit_mode_pi_enable",
        "update_pijit_default_config",
    )
)


def read(name: str) -> object:
    """``__getattr__`` of the native part: a name of this module, or of what tells about captures."""
    if name in _OF_PIJIT:
        from mindspore._capture import inspection

        return getattr(inspection, name)
    found = globals().get(name)
    if getattr(found, "__module__", None) != __name__ or found is read:
        raise unknown_in_module("mindspore._c_expression", name, lambda: globals())
    return found
