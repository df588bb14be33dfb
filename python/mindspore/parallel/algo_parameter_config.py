# SPDX-License-Identifier: Apache-2.0
"""Settings of the search for parallel strategies; with one device nothing is searched."""

from __future__ import annotations

_KEYS = {
    "fully_use_devices": (bool, True),
    "elementwise_op_strategy_follow": (bool, False),
    "enable_algo_approxi": (bool, False),
    "algo_approxi_epsilon": (float, 0.1),
    "tensor_slice_align_enable": (bool, False),
    "tensor_slice_align_size": (int, 16),
}
_values = {key: default for key, (_, default) in _KEYS.items()}


def set_algo_parameters(**kwargs):
    """Sets parameters of the search for strategies.

    Args:
        kwargs (dict): `fully_use_devices`, `elementwise_op_strategy_follow`, `enable_algo_approxi`,
            `tensor_slice_align_enable` (bool), `algo_approxi_epsilon` (float, in (0, 1]),
            `tensor_slice_align_size` (int, in [1, 1024]).

    Raises:
        ValueError: A name is unknown, or a value out of range.
        TypeError: A value has the wrong type.
    """
    for key, value in kwargs.items():
        if key not in _KEYS:
            raise ValueError(f"Set context keyword {key} is not recognized!")
        kind = _KEYS[key][0]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise TypeError(f"The parameter '{key}' must be {kind}, but got {type(value)}.")
        if key == "tensor_slice_align_size" and not 1 <= value <= 1024:
            raise ValueError(f"The parameter '{key}' must be in [1, 1024], but got {value}.")
        if key == "algo_approxi_epsilon" and not 0 < value <= 1:
            raise ValueError(f"The parameter '{key}' must be in (0, 1], but got {value}.")
        _values[key] = value


def get_algo_parameters(attr_key):
    """Value of one parameter of the search.

    Args:
        attr_key (str): Its name.

    Raises:
        ValueError: The name is unknown.
    """
    if attr_key not in _values:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    return _values[attr_key]


def reset_algo_parameters():
    """All parameters get their initial values again."""
    _values.update({key: default for key, (_, default) in _KEYS.items()})
