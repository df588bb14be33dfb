# SPDX-License-Identifier: Apache-2.0
"""Settings of parallel training as one object, for scripts that ask it."""

from __future__ import annotations

from mindspore import _auto_parallel_context as _settings
from mindspore._settings.parallel_keys import AUTO_PARALLEL


class _AutoParallelContext:
    """Reads settings by methods: ``get_device_num()``, ``get_parallel_mode()`` and so on."""

    def __getattr__(self, name: str):
        verb, _, key = name.partition("_")
        if verb == "get" and key in AUTO_PARALLEL.settings:
            return lambda: _settings.get_auto_parallel_context(key)
        if verb == "set" and key in AUTO_PARALLEL.settings:
            return lambda value: _settings.set_auto_parallel_context(**{key: value})
        raise AttributeError(f"'AutoParallelContext' object has no attribute '{name}'")

    @staticmethod
    def set_all_reduce_fusion_split_indices(indices, group="") -> None:
        """Sets at which parameters gradients are grouped.

        Args:
            indices (list[int]): The last parameter of each group.
            group (str): Name of the group of devices. Default: ``""``.
        """
        _settings.set_auto_parallel_context(all_reduce_fusion_config=list(indices))

    @staticmethod
    def get_all_reduce_fusion_split_indices() -> list:
        """At which parameters gradients are grouped."""
        return _settings.get_auto_parallel_context("all_reduce_fusion_config")

    @staticmethod
    def reset() -> None:
        """All settings get their initial values again."""
        _settings.reset_auto_parallel_context()


_context = _AutoParallelContext()


def auto_parallel_context():
    """The settings of parallel training as an object."""
    return _context
