# SPDX-License-Identifier: Apache-2.0
"""Gives networks the parameters of checkpoints."""

from __future__ import annotations

from mindspore import _checkparam as check
from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.experimental.map_parameter import MapParameter
from mindspore.nn.cell import Cell
from mindspore.train._checkpoint_hints import hints
from mindspore.train._checkpoint_maps import load_map

_FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)
_INTS = (mstype.int8, mstype.int16, mstype.int32, mstype.int64)


def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False):
    """Gives a network the values of a dict of parameters.

    Args:
        net (Cell): The network.
        parameter_dict (dict): Parameters by name, as :func:`load_checkpoint` gives them.
        strict_load (bool): Types are not converted, and prefixes of names not removed. Default: ``False``.
        remove_redundancy (bool): Only for parallel training, which must stay False here. Default: ``False``.

    Returns:
        tuple of two lists: names of the network that are not in the dict, and names of the dict that the
        network does not have.

    Raises:
        TypeError: An argument has the wrong type.
        RuntimeError: Shape or type of a value differ.
    """
    if not isinstance(net, Cell):
        raise TypeError(
            f"For 'load_param_into_net', the argument 'net' should be a Cell, but got {type(net)}."
        )
    if not isinstance(parameter_dict, dict):
        raise TypeError(
            "For 'load_param_into_net', the argument 'parameter_dict' should be a dict, but got "
            f"{type(parameter_dict)}."
        )
    for key, value in parameter_dict.items():
        if not isinstance(key, str) or not isinstance(value, (Parameter, str, list)):
            raise TypeError(
                "For 'parameter_dict', the element in the argument 'parameter_dict' should be a 'str' and "
                f"'Parameter' , but got {type(key)} and {type(value)}."
            )
    check.check_bool(strict_load, "strict_load", "load_param_into_net")
    if remove_redundancy:
        raise TypeError(
            "For 'load_param_into_net', 'remove_redundancy' must be False: it is for parallel training."
        )
    missing, used = [], set()
    for parameter in net.get_parameters():
        value = parameter_dict.get(parameter.name)
        if _suits(value, parameter):
            _update(parameter, value, parameter.name, strict_load)
            used.add(parameter.name)
        else:
            missing.append(parameter)
    if missing and not strict_load:
        missing = _load_with_prefix(missing, parameter_dict, strict_load)
    names = [parameter.name for parameter in missing]
    if names:
        logger.warning(
            "For 'load_param_into_net', %s parameters in the 'net' are not loaded, because they are not in "
            "the 'parameter_dict', please check whether the network structure is consistent when training "
            "and loading checkpoint.",
            len(names),
        )
        logger.warning("%s are not loaded.%s", names, hints(missing, parameter_dict, used))
    return names, [name for name in parameter_dict if name not in used]


def _load_with_prefix(missing, parameter_dict, strict_load):
    """Takes values whose names have more in front; gives back what is still missing."""
    tried = {""}
    while True:
        prefix = _prefix_of_any(missing, parameter_dict, tried)
        if prefix is None:
            return missing
        tried.add(prefix)
        logger.warning(
            "For 'load_param_into_net', remove parameter prefix name: %s, continue to load.", prefix
        )
        rest = []
        for parameter in missing:
            value = parameter_dict.get(prefix + parameter.name)
            if _suits(value, parameter):
                _update(parameter, value, prefix + parameter.name, strict_load)
            else:
                rest.append(parameter)
        missing = rest


def _prefix_of_any(missing, parameter_dict, tried) -> str | None:
    for parameter in missing:
        for name, value in parameter_dict.items():
            prefix = name[: -len(parameter.name)]
            if _suits(value, parameter) and name.endswith(parameter.name) and prefix not in tried:
                return prefix
    return None


def _suits(value, parameter) -> bool:
    """Whether a value is there that the parameter must take; texts, and maps for others, are none."""
    return isinstance(value, Parameter) or (isinstance(value, list) and isinstance(parameter, MapParameter))


def _update(parameter, value, name: str, strict_load: bool) -> None:
    if isinstance(parameter, MapParameter):
        value = value._export(False)[:3] if isinstance(value, MapParameter) else value
        load_map(parameter, value, name, strict_load)
        return
    if isinstance(value, MapParameter):
        raise RuntimeError(
            f"For 'load_param_into_net', {name} in the argument 'parameter_dict' is a map parameter, but "
            f"{parameter.name} in the argument 'net' is none."
        )
    shape, dtype = parameter.shape, parameter.dtype
    if value.shape != shape:
        extra = value.shape[len(shape) :]
        if value.shape[: len(shape)] != shape or any(length != 1 for length in extra):
            raise RuntimeError(
                f"For 'load_param_into_net', {parameter.name} in the argument 'net' should have the same "
                f"shape as {name} in the argument 'parameter_dict'. But got its shape {shape} in the "
                f"argument 'net' and shape {value.shape} in the argument 'parameter_dict'. May you need to "
                "check whether the checkpoint you loaded is correct or the batch size and so on in the 'net' "
                "and 'parameter_dict' are same."
            )
        value = value.reshape(shape)
    if value.dtype != dtype:
        convertible = any(dtype in kinds and value.dtype in kinds for kinds in (_FLOATS, _INTS))
        if strict_load or not convertible:
            raise RuntimeError(
                f"For 'load_param_into_net', {parameter.name} in the argument 'net' should have the same "
                f"type as {name} in the argument 'parameter_dict'. but got its type {dtype} in the argument "
                f"'net' and type {value.dtype} in the argument 'parameter_dict'. May you need to check "
                "whether the checkpoint you loaded is correct."
            )
        logger.warning(
            "The type of %s:%s in 'parameter_dict' is different from the type of it in 'net':%s, then the "
            "type convert from %s to %s in the network. May consume additional memory and time",
            *(name, value.dtype, dtype, value.dtype, dtype),
        )
        value = value.astype(dtype)
    parameter.set_data(value)
