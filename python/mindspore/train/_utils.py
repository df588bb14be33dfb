# SPDX-License-Identifier: Apache-2.0
"""Which devices hold the same part of a parameter, and small checks that scripts import from here."""

from __future__ import annotations

import numpy as np

from mindspore.train.summary.summary_record import check_value_type, made_folder

__all__ = ["_make_directory", "check_value_type", "get_parameter_redundancy", "remove_param_redundancy"]


def _make_directory(path, arg_name="path"):
    """The absolute path of a folder, which is made if it is not there.

    Args:
        path (str): The folder.
        arg_name (str): What it is called in errors. Default: ``"path"``.

    Returns:
        str.
    """
    return made_folder(path, arg_name)


def get_parameter_redundancy(layout_obj, initial_rank=0):
    """Groups of devices that hold the same part, for every parameter.

    Args:
        layout_obj (dict): By name, a sequence that begins with the grid of devices and, for each dimension of
            the parameter, the dimension of the grid that cuts it, counted from the last, or -1.
        initial_rank (int): Number of the first device. Default: ``0``.

    Returns:
        dict, by name a tuple of groups, each a tuple of numbers of devices.

    Raises:
        TypeError: `layout_obj` is not a dict.
    """
    if not isinstance(layout_obj, dict):
        raise TypeError(
            "For 'get_parameter_redundancy', 'layout_obj' must be a dict, but got "
            f"{type(layout_obj).__name__}."
        )
    result = {}
    for name, (grid, cuts, *_) in layout_obj.items():
        cutting = sorted(len(grid) - 1 - cut for cut in cuts if cut >= 0)
        groups: dict[tuple, list[int]] = {}
        for rank, place in enumerate(np.ndindex(*grid)):
            groups.setdefault(tuple(place[axis] for axis in cutting), []).append(initial_rank + rank)
        result[name] = tuple(tuple(group) for group in groups.values())
    return result


def remove_param_redundancy(param_redundancy_dict, keep_redundancy=1):
    """Chooses who saves what, so that every part is saved and the work is spread.

    Args:
        param_redundancy_dict (dict): As :func:`get_parameter_redundancy` gives it.
        keep_redundancy (int): How many devices save each part. Default: ``1``.

    Returns:
        dict, by number of device the set of names that it saves.
    """
    ranks = sorted({rank for groups in param_redundancy_dict.values() for group in groups for rank in group})
    saved: dict[int, set] = {rank: set() for rank in ranks}
    for name, groups in param_redundancy_dict.items():
        for group in groups:
            least_busy = sorted(group, key=lambda rank: (len(saved[rank]), rank))
            for rank in least_busy[:keep_redundancy]:
                saved[rank].add(name)
    return {rank: names for rank, names in saved.items() if names}
