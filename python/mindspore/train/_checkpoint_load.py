# SPDX-License-Identifier: Apache-2.0
"""Reads checkpoint files."""

from __future__ import annotations

import os
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor

from mindspore import _c_expression as _c
from mindspore import _checkparam as check
from mindspore import log as logger
from mindspore.train._checkpoint_formats import BY_EXTENSION, check_format, entries_in
from mindspore.train._checkpoint_into_net import load_param_into_net
from mindspore.train._checkpoint_save import check_cipher_arguments, check_isinstance


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
    remove_redundancy=False,
    format="ckpt",
):
    """Reads a file of weights.

    Besides ``.ckpt`` these are ``.safetensors``, ``.npz``, and ``.pth``, ``.pt`` and ``.bin`` of PyTorch,
    of which only tensors and plain containers are read: nothing in a file is ever executed.

    Args:
        ckpt_file_name (str): Path of the file, whose ending tells the format.
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
        remove_redundancy (bool): Accepted for compatibility. Default: ``False``.
        format (str): ``"safetensors"``: the file must be one. Default: ``"ckpt"``, by its ending.

    Returns:
        dict, in the order of the file: Parameters by name; text where text was saved.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The file is not there, damaged, or encrypted otherwise; or nothing is left of it.
    """
    if net is not None:
        check.check_bool(strict_load, "strict_load", "load_checkpoint")
    check_format(format, "load_checkpoint")
    path, kind = _checked_path(ckpt_file_name, format)
    is_wanted = _selection(filter_prefix, specify_prefix, choice_func)
    check_isinstance("crc_check", crc_check, bool)
    check_isinstance("remove_redundancy", remove_redundancy, bool)
    check_cipher_arguments(dec_key, dec_mode, "dec")
    begun = time.perf_counter()
    parameters = {}
    for name, read in entries_in(path, kind, dec_key, dec_mode, crc_check):
        if _is_chosen(is_wanted, name, path):
            name, value = read()
            parameters[name] = value
    if not parameters:
        raise ValueError(
            "The loaded parameter dict is empty after filter or specify, please check whether "
            "'filter_prefix' or 'specify_prefix' are set correctly."
        )
    taken = (time.perf_counter() - begun) * 1e3
    logger.info("%s is loaded: %d entries in %.1f ms.", path, len(parameters), taken)
    if net is not None:
        load_param_into_net(net, parameters, strict_load)
    return parameters


class ParamDictFuture:
    """What :func:`load_checkpoint_async` gives: parameters that are still being read."""

    def __init__(self, executor: Executor, future: Future, net, strict_load):
        self._executor, self._future, self._net, self._strict_load = executor, future, net, strict_load

    def result(self):
        """Waits for the parameters, and gives them to the network if there is one.

        Returns:
            dict, as :func:`load_checkpoint` gives it.
        """
        try:
            parameters = self._future.result()
        finally:
            self._executor.shutdown(wait=False)
        if self._net is not None:
            load_param_into_net(self._net, parameters, self._strict_load)
            self._net = None
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


def _checked_path(name, file_format: str) -> tuple[str, str]:
    """The real path of a file, and its format."""
    if not isinstance(name, str):
        raise TypeError(
            f"For 'load_checkpoint', the argument 'ckpt_file_name' must be string, but got {type(name)}."
        )
    kind = BY_EXTENSION.get(os.path.splitext(name)[1])
    if kind is None or file_format not in ("ckpt", kind):
        others = ", ".join(BY_EXTENSION)
        wanted = f"'.{file_format}'" + (f" (or one of {others})" if file_format == "ckpt" else "")
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file should end with {wanted}, but got '{name}'. Please "
            "input the correct 'ckpt_file_name'."
        )
    path = os.path.realpath(name)
    if not os.path.exists(path):
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file: {path} does not exist, please check whether the "
            "'ckpt_file_name' is correct."
        )
    return path, kind


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
