# SPDX-License-Identifier: Apache-2.0
"""Parameters that were saved in parts, one on each device."""

from __future__ import annotations

import numpy as np

from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor


def merge_sliced_parameter(sliced_parameters, strategy=None):
    """Puts the slices of a parameter together.

    Args:
        sliced_parameters (list[Parameter]): The slices, in the order of the devices.
        strategy (dict): How they were cut, by name of the parameter: the grid of devices, and for each
            dimension which dimension of that grid cuts it, counted from the last, or -1. Default: ``None``,
            along the first dimension.

    Returns:
        Parameter, with the name and attributes of the slices.

    Raises:
        TypeError: The slices are not a list of Parameters, or `strategy` is not a dict.
        ValueError: The names of the slices differ, or there are none.
        KeyError: The strategy does not tell of the parameter.
    """
    if not isinstance(sliced_parameters, list):
        raise TypeError(
            "For 'merge_sliced_parameter', the 'sliced_parameters' should be list, but got "
            f"{type(sliced_parameters)}."
        )
    if not sliced_parameters:
        raise ValueError("For 'merge_sliced_parameter', the 'sliced_parameters' should not be empty.")
    if strategy is not None and not isinstance(strategy, dict):
        raise TypeError(
            f"For 'merge_sliced_parameter', the 'strategy' should be dict, but got {type(strategy)}."
        )
    for index, parameter in enumerate(sliced_parameters):
        if not isinstance(parameter, Parameter):
            raise TypeError(
                "For 'merge_sliced_parameter', the element in 'sliced_parameters' should be 'Parameter', but "
                f"got {type(parameter)} at index {index}."
            )
    first = sliced_parameters[0]
    if any(parameter.name != first.name for parameter in sliced_parameters):
        raise ValueError(
            "For 'merge_sliced_parameter', the names of the slices should be the same, but got "
            f"{[parameter.name for parameter in sliced_parameters]}."
        )
    arrays = [parameter.asnumpy() for parameter in sliced_parameters]
    if not strategy:
        merged = np.concatenate(arrays)
    elif first.name not in strategy:
        raise KeyError(f"For 'merge_sliced_parameter', 'strategy' does not contain '{first.name}'.")
    else:
        grid, cuts = strategy[first.name][:2]
        merged = _merged(arrays, list(grid), list(cuts))
    return Parameter(Tensor(merged), first.name, first.requires_grad, first.layerwise_parallel)


def _merged(arrays, grid: list[int], cuts: list[int]):
    if int(np.prod(grid)) != len(arrays):
        raise ValueError(
            f"For 'merge_sliced_parameter', a grid of {grid} devices needs {int(np.prod(grid))} slices, but "
            f"got {len(arrays)}."
        )
    # For every dimension of the array, how many slices it has and the dimension of the grid that cuts it.
    axes = [len(grid) - 1 - cut if cut >= 0 else None for cut in cuts]
    lengths = arrays[0].shape
    shape = [length * (1 if axis is None else grid[axis]) for length, axis in zip(lengths, axes, strict=True)]
    result = np.empty(shape, arrays[0].dtype)
    for place, array in zip(np.ndindex(*grid), arrays, strict=True):
        starts = [0 if axis is None else place[axis] * n for axis, n in zip(axes, lengths, strict=True)]
        result[tuple(slice(s, s + n) for s, n in zip(starts, lengths, strict=True))] = array
    return result


def load_distributed_checkpoint(
    network,
    checkpoint_filenames,
    predict_strategy=None,
    train_strategy_filename=None,
    strict_load=False,
    dec_key=None,
    dec_mode="AES-GCM",
):
    """Gives a network the parameters of checkpoints that hold a slice of each; not available.

    Args:
        network (Cell): The network.
        checkpoint_filenames (list[str]): Paths of the files, in the order of the devices.
        predict_strategy (dict): How the network is cut. Default: ``None``.
        train_strategy_filename (str): File that tells how the parameters were cut. Default: ``None``.
        strict_load (bool): As for `load_param_into_net`. Default: ``False``.
        dec_key (Union[None, bytes]): Key of encrypted files. Default: ``None``.
        dec_mode (str): How they were encrypted. Default: ``"AES-GCM"``.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError("'load_distributed_checkpoint' needs several devices, which are not available.")


def build_searched_strategy(strategy_filename):
    """Reads a file that tells how parameters are cut; not available.

    Args:
        strategy_filename (str): Path of the file.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError("'build_searched_strategy' needs several devices, which are not available.")


def restore_group_info_list(group_info_file_name):
    """Reads a file that tells which devices belong together; not available.

    Args:
        group_info_file_name (str): Path of the file.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError("'restore_group_info_list' needs several devices, which are not available.")
