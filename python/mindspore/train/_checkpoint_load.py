# SPDX-License-Identifier: Apache-2.0
"""Reads checkpoint files, and gives networks the parameters of them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from mindspore import _c_expression as _c
from mindspore import _checkparam as check
from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.nn.cell import Cell
from mindspore.train._checkpoint_save import check_cipher_arguments, check_isinstance

_FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)
_INTS = (mstype.int8, mstype.int16, mstype.int32, mstype.int64)
_KEY_MARK = ".__param_key__"


def load_checkpoint(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
    crc_check=False,
):
    """Reads a checkpoint file.

    Args:
        ckpt_file_name (str): Path of the file, which ends with ".ckpt".
        net (Cell): Network that gets the parameters too. Default: ``None``.
        strict_load (bool): As for :func:`load_param_into_net`. Default: ``False``.
        filter_prefix (Union[str, list[str], tuple[str]]): Leaves out names that start so; `choice_func` is
            the better way. Default: ``None``.
        dec_key (Union[None, bytes]): Key of an encrypted file. Default: ``None``.
        dec_mode (str): How it was encrypted. Default: ``"AES-GCM"``.
        specify_prefix (Union[str, list[str], tuple[str]]): Takes only names that start so. Default: ``None``.
        choice_func (function): Called with each name; those for which it returns False are left out.
            Default: ``None``.
        crc_check (bool): Compares the file with its checksum. Default: ``False``.

    Returns:
        dict, in the order of the file: Parameters by name; text where text was saved.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The file is not there, damaged, or encrypted otherwise; or nothing is left of it.
    """
    if net is not None:
        check.check_bool(strict_load, "strict_load", "load_checkpoint")
    path = _checked_path(ckpt_file_name)
    is_wanted = _selection(filter_prefix, specify_prefix, choice_func)
    check_isinstance("crc_check", crc_check, bool)
    file = _opened(path, dec_key, dec_mode, crc_check)
    parameters = {}
    for number, (name, type_name, is_map) in enumerate(file.entries()):
        if _is_chosen(is_wanted, name, path):
            try:
                name, value = _loaded(file, number, name, type_name, is_map)
            except (UnicodeError, TypeError) as failure:
                raise ValueError(
                    f"Failed to read the checkpoint file {path}, it may be damaged: {failure}"
                ) from failure
            parameters[name] = value
    if not parameters:
        raise ValueError(
            "The loaded parameter dict is empty after filter or specify, please check whether "
            "'filter_prefix' or 'specify_prefix' are set correctly."
        )
    if net is not None:
        load_param_into_net(net, parameters, strict_load)
    return parameters


class ParamDictFuture:
    """What :func:`load_checkpoint_async` gives: parameters that are still being read."""

    def __init__(self, executor, future, net, strict_load):
        self._executor, self._future, self._net, self._strict_load = executor, future, net, strict_load

    def result(self):
        """Waits for the parameters, and gives them to the network if there is one.

        Returns:
            dict, as :func:`load_checkpoint` gives it.
        """
        parameters = self._future.result()
        if self._net is not None:
            load_param_into_net(self._net, parameters, self._strict_load)
            self._net = None
        self._executor.shutdown(wait=False)
        return parameters


def load_checkpoint_async(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
):
    """Reads a checkpoint file in a thread of its own.

    Args:
        ckpt_file_name (str): As for :func:`load_checkpoint`.
        net (Cell): As there; it gets the parameters when they are asked for. Default: ``None``.
        strict_load (bool): As there. Default: ``False``.
        filter_prefix (Union[str, list[str], tuple[str]]): As there. Default: ``None``.
        dec_key (Union[None, bytes]): As there. Default: ``None``.
        dec_mode (str): As there. Default: ``"AES-GCM"``.
        specify_prefix (Union[str, list[str], tuple[str]]): As there. Default: ``None``.
        choice_func (function): As there. Default: ``None``.

    Returns:
        ParamDictFuture, whose method `result` gives the dict.
    """
    executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="load_checkpoint")
    future = executor.submit(
        load_checkpoint,
        ckpt_file_name,
        filter_prefix=filter_prefix,
        dec_key=dec_key,
        dec_mode=dec_mode,
        specify_prefix=specify_prefix,
        choice_func=choice_func,
    )
    return ParamDictFuture(executor, future, net, strict_load)


def check_checkpoint(ckpt_file_name):
    """Whether a file is a checkpoint that can be read and, where it has a checksum, fits it.

    Args:
        ckpt_file_name (str): Path of the file.

    Returns:
        bool.
    """
    if not ckpt_file_name.endswith(".ckpt"):
        return False
    if not os.path.exists(ckpt_file_name):
        raise FileNotFoundError(2, "No such file or directory", ckpt_file_name)
    try:
        file = _c.CheckpointFile(ckpt_file_name, b"", "AES-GCM")
        file.entries()
    except (ValueError, OSError) as failure:
        logger.warning("For 'check_checkpoint', the ckpt parse is failed. %s", failure)
        return False
    if not file.is_intact():
        logger.warning("For 'check_checkpoint', the crc check of %s is failed.", ckpt_file_name)
        return False
    return True


def _checked_path(name) -> str:
    if not isinstance(name, str):
        raise TypeError(
            f"For 'load_checkpoint', the argument 'ckpt_file_name' must be string, but got {type(name)}."
        )
    if not name.endswith(".ckpt"):
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file should end with '.ckpt', but got '{name}'. Please "
            "input the correct 'ckpt_file_name'."
        )
    path = os.path.realpath(name)
    if not os.path.exists(path):
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file: {path} does not exist, please check whether the "
            "'ckpt_file_name' is correct."
        )
    return path


def _checked_prefix(prefix) -> tuple[str, ...]:
    if not isinstance(prefix, (str, list, tuple)):
        raise TypeError(
            "For 'load_checkpoint', the type of 'specify_prefix' or 'filter_prefix' must be string, "
            f"list[string] or tuple[string], but got {type(prefix)}."
        )
    if isinstance(prefix, str):
        prefix = (prefix,)
    if not prefix:
        raise ValueError(
            "For 'load_checkpoint', the argument 'specify_prefix' or 'filter_prefix' can't be empty when "
            "'specify_prefix' or 'filter_prefix' is list or tuple."
        )
    for index, part in enumerate(prefix):
        if not isinstance(part, str):
            raise TypeError(
                "For 'load_checkpoint', when 'specify_prefix' or 'filter_prefix' is list or tuple, the "
                f"element in it must be string, but got {type(part)} at index {index}."
            )
        if not part:
            raise ValueError(
                "For 'load_checkpoint', the value of 'specify_prefix' or 'filter_prefix' can't include ''."
            )
    return tuple(prefix)


def _selection(filter_prefix, specify_prefix, choice_func):
    """Tells which names are wanted."""
    if filter_prefix is None and specify_prefix is None:
        return choice_func if choice_func is not None else lambda name: True
    for name, prefix in (("specify_prefix", specify_prefix), ("filter_prefix", filter_prefix)):
        if prefix is not None:
            logger.warning(
                "For load_checkpoint, this parameter `%s` will be deprecated, please use `choice_func` "
                "instead.",
                name,
            )
    dropped = _checked_prefix(filter_prefix) if filter_prefix is not None else ()
    wanted = _checked_prefix(specify_prefix) if specify_prefix is not None else ("",)
    return lambda name: name.startswith(wanted) and not name.startswith(dropped)


def _is_chosen(is_wanted, name: str, path: str) -> bool:
    try:
        return bool(is_wanted(name))
    except Exception as failure:
        raise ValueError(
            f"{failure}\nFor 'load_checkpoint', failed to load the checkpoint file {path}: 'choice_func' "
            f"failed for '{name}'."
        ) from failure


def _opened(path: str, key, mode, crc_check: bool):
    check_cipher_arguments(key, mode, "dec")
    try:
        file = _c.CheckpointFile(path, key or b"", mode)
    except RuntimeError as failure:  # the key does not suit the mode
        raise ValueError(f"For 'load_checkpoint', {failure}") from None
    except OSError as failure:
        raise ValueError(
            f"Failed to read the checkpoint file {path}. May not have permission to read it, please check "
            "the correct of the file."
        ) from failure
    if crc_check and not file.has_checksum():
        logger.warning(
            "For 'load_checkpoint', the ckpt file do not contain the crc code, please check the file."
        )
    elif crc_check and not file.is_intact():
        raise ValueError(
            f"Failed to read the checkpoint file {path}. For 'load_checkpoint', the crc check is failed, "
            "please check whether the ckpt file is damaged."
        )
    return file


def _loaded(file, number: int, name: str, type_name: str, is_map: bool):
    """Name and value of an entry."""
    if is_map:
        return name, [
            np.frombuffer(content, np.dtype(kind)).reshape(dims).copy()
            for kind, dims, content in file.arrays(number)
        ]
    if type_name == "str":
        text = file.arrays(number)[0][2].decode("utf-32-le", "surrogatepass")
        return name, "" if text == "\0" else text
    name, mark, key = name.partition(_KEY_MARK)
    parameter = Parameter._adopt(file.tensor(number), name)
    if mark and key.isdigit():
        parameter.key = int(key)
    return name, parameter


def load_param_into_net(net, parameter_dict, strict_load=False):
    """Gives a network the values of a dict of parameters.

    Args:
        net (Cell): The network.
        parameter_dict (dict): Parameters by name, as :func:`load_checkpoint` gives them.
        strict_load (bool): Types are not converted, and prefixes of names not removed. Default: ``False``.

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
    missing, used = [], set()
    for parameter in net.get_parameters():
        value = parameter_dict.get(parameter.name)
        if isinstance(value, Parameter):
            _update(parameter, value, parameter.name, strict_load)
            used.add(parameter.name)
        else:
            missing.append(parameter)
    if missing and not strict_load:
        missing = _load_with_prefix(missing, parameter_dict)
    names = [parameter.name for parameter in missing]
    if names:
        logger.warning(
            "For 'load_param_into_net', %s parameters in the 'net' are not loaded, because they are not in "
            "the 'parameter_dict', please check whether the network structure is consistent when training "
            "and loading checkpoint.",
            len(names),
        )
        logger.warning("%s are not loaded.", names)
    return names, [name for name in parameter_dict if name not in used]


def _load_with_prefix(missing, parameter_dict):
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
            if isinstance(value, Parameter):
                _update(parameter, value, prefix + parameter.name, False)
            else:
                rest.append(parameter)
        missing = rest


def _prefix_of_any(missing, parameter_dict, tried) -> str | None:
    for parameter in missing:
        for name, value in parameter_dict.items():
            prefix = name[: -len(parameter.name)]
            if isinstance(value, Parameter) and name.endswith(parameter.name) and prefix not in tried:
                return prefix
    return None


def _update(parameter, value, name: str, strict_load: bool) -> None:
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
