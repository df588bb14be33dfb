# SPDX-License-Identifier: Apache-2.0
"""Settings of the search for parallel strategies; with one device nothing is searched."""

from __future__ import annotations

from typing import Any

from mindspore._settings.parallel_keys import ALGORITHM as _ALGORITHM


def set_algo_parameters(**kwargs: Any) -> None:
    """Sets parameters of the search for strategies.

    Args:
        kwargs (dict): `fully_use_devices`, `elementwise_op_strategy_follow`, `enable_algo_approxi`,
            `tensor_slice_align_enable` (bool), `algo_approxi_epsilon` (float, in (0, 1]),
            `tensor_slice_align_size` (int, in [1, 1024]).

    Raises:
        ValueError: A name is unknown, or a value out of range.
        TypeError: A value has the wrong type.
        NotImplementedError: Several processes are meant.
    """
    for key, value in kwargs.items():
        _ALGORITHM.set(key, value)


def get_algo_parameters(attr_key: str) -> Any:
    """Value of one parameter of the search.

    Args:
        attr_key (str): Its name.

    Raises:
        ValueError: The name is unknown.
    """
    return _ALGORITHM.get(attr_key)


def reset_algo_parameters() -> None:
    """All parameters get their initial values again."""
    _ALGORITHM.reset()


__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]
