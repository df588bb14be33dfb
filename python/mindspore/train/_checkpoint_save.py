# SPDX-License-Identifier: Apache-2.0
"""Writes checkpoint files."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time

from mindspore import _c_expression as _c
from mindspore import _checkparam as check
from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.common.generator import Generator
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op
from mindspore.train._checkpoint_formats import RESERVED_METADATA, check_format
from mindspore.train._checkpoint_maps import StoredMap, with_maps_exported
from mindspore.train._export.atomic_file import check_place

_THREAD_NAME = "asyn_save_ckpt"
_one_writer = threading.RLock()


def async_ckpt_thread_status():
    """Whether a checkpoint is being written by a thread of its own.

    Returns:
        bool.
    """
    return any(thread.name == _THREAD_NAME for thread in threading.enumerate())


def wait_for_async_save() -> None:
    """Returns when no checkpoint is being written by a thread of its own."""
    for thread in threading.enumerate():
        if thread.name == _THREAD_NAME and thread is not threading.current_thread():
            thread.join()


def save_checkpoint(
    save_obj,
    ckpt_file_name,
    integrated_save=True,
    async_save=False,
    append_dict=None,
    enc_key=None,
    enc_mode="AES-GCM",
    choice_func=None,
    crc_check=False,
    format="ckpt",
    **kwargs,
):
    """Saves parameters to a checkpoint file.

    The file is written under another name and then put in place: whatever happens in between, an older
    file of the name stays as it is.

    Args:
        save_obj (Union[Cell, list, dict]): A network; a list of Parameters; a list of dicts with the keys
            "name" and "data"; or a dict of Parameters by name.
        ckpt_file_name (str): Path of the file. ".ckpt", or with `format` ".safetensors", is added if it is
            missing; a name that ends with ".safetensors" means that format.
        integrated_save (bool): Merges slices in parallel modes. Default: ``True``.
        async_save (Union[bool, str]): Writes in a thread of its own; ``"thread"`` and ``"process"`` mean
            the same, since the thread does not hold up the program. Default: ``False``.
        append_dict (dict): More entries: str, int, float, bool, Tensor, Parameter or Generator by name.
            Default: ``None``.
        enc_key (Union[None, bytes]): Key, 16, 24 or 32 bytes, to encrypt the file. Default: ``None``.
        enc_mode (str): ``"AES-GCM"``, ``"AES-CBC"`` or ``"SM4-CBC"``. Default: ``"AES-GCM"``.
        choice_func (function): Called with the name of each parameter; those for which it returns False
            are left out. Default: ``None``.
        crc_check (bool): Adds a checksum; not together with `enc_key`. Default: ``False``.
        format (str): ``"ckpt"`` or ``"safetensors"``, which cannot be encrypted and sorts the parameters by
            name. Default: ``"ckpt"``.
        kwargs (dict): ``remove_redundancy`` (bool), which a safetensors file tells its readers;
            ``incremental`` (bool), which saves of map parameters only what has changed since they were last
            saved; ``global_step_num``, accepted for compatibility.

    Raises:
        TypeError: `save_obj`, or another argument, has the wrong type.
        ValueError: The key does not suit the mode, or the format cannot hold what is asked for.
        OSError: The file cannot be written: ``FileNotFoundError`` when there is no such folder,
            ``IsADirectoryError``, ``PermissionError``, or OSError when the disk is full.
    """
    entries = _entries_of(save_obj)
    check_format(format, "save_checkpoint")
    path, kind = _checked_path(ckpt_file_name, format)
    check.check_bool(integrated_save, "integrated_save", "save_checkpoint")
    _check_async_save(async_save)
    check_cipher_arguments(enc_key, enc_mode, "enc")
    check_format_options(kind, enc_key, enc_mode, "save_checkpoint")
    notes = _notes(kind, **kwargs)
    check_isinstance("crc_check", crc_check, bool)
    if enc_key is not None and crc_check:
        raise ValueError(
            "For 'save_checkpoint', 'crc_check' must be False when 'enc_key' is given: an encrypted file has "
            "no checksum."
        )
    if choice_func is not None:
        entries = [entry for entry in entries if choice_func(entry[0])]
    entries = [*entries, *_appended(append_dict)]
    entries = with_maps_exported(entries, kind, kwargs.get("incremental", False))
    if kind == "ckpt":
        write = functools.partial(_write_ckpt, path, enc_key or b"", enc_mode, crc_check)
    else:
        write = functools.partial(_write_safetensors, path, notes, crc_check)
    if not async_save:
        _write(entries, path, write)
        return
    with _reported(path):
        check_place(path)
    copies = [(name, _snapshot(value)) for name, value in entries]
    threading.Thread(target=_write, args=(copies, path, write), name=_THREAD_NAME).start()


def _check_async_save(value) -> None:
    if not isinstance(value, (bool, str)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter 'async_save' must be bool or str, but got {type(value)}."
        )
    if isinstance(value, str) and value not in ("process", "thread"):
        raise ValueError(
            "For 'save_checkpoint', the argument 'async_save' can only be 'process' or 'thread', but got "
            f"'{value}'."
        )


def _notes(kind: str, remove_redundancy=None, incremental=False, global_step_num=None, **_) -> dict[str, str]:
    """What a safetensors file tells of itself."""
    check_isinstance("remove_redundancy", remove_redundancy, (type(None), bool))
    check_isinstance("incremental", incremental, bool)
    if kind == "safetensors" and (incremental or global_step_num is not None):
        raise ValueError(
            "For 'save_checkpoint', 'incremental' and 'global_step_num' must have their defaults when the "
            "format is 'safetensors'."
        )
    return {} if remove_redundancy is None else {"remove_redundancy": str(remove_redundancy)}


def check_isinstance(name: str, value, kinds) -> None:
    """ValueError when `value` is of none of the types."""
    if not isinstance(value, kinds):
        raise ValueError(f"The parameter '{name}' must be isinstance of {kinds}, but got {value}.")


def check_cipher_arguments(key, mode, prefix: str) -> None:
    """ValueError when a key and the mode of its use are not of the right types, or the key is empty."""
    check_isinstance(f"{prefix}_key", key, (type(None), bytes))
    check_isinstance(f"{prefix}_mode", mode, str)
    if key is not None and not key:
        raise ValueError(f"The parameter '{prefix}_key' must be 16, 24 or 32 bytes, but got 0.")


def check_format_options(kind: str, key, mode, owner: str) -> None:
    """ValueError when a file of the format cannot be encrypted but should be."""
    if kind == "safetensors" and (key is not None or mode != "AES-GCM"):
        raise ValueError(
            f"For '{owner}', 'enc_key' and 'enc_mode' must have their defaults when the format is "
            "'safetensors', which cannot be encrypted."
        )


def _checked_path(name, file_format: str) -> tuple[str, str]:
    """The real path of a file, with its ending, and its format."""
    if not isinstance(name, str):
        raise TypeError(
            f"For 'save_checkpoint', the parameter {name} for checkpoint file name is invalid, "
            f"'ckpt_file_name' must be string, but got {type(name)}."
        )
    path = os.path.realpath(name)
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"For 'save_checkpoint', the parameter `ckpt_file_name`: {path} is a directory, "
            "it must be a file name."
        )
    kind = "safetensors" if path.endswith(".safetensors") else file_format
    return (path if path.endswith(f".{kind}") else f"{path}.{kind}"), kind


def _entries_of(save_obj) -> list[tuple[str, object]]:
    if isinstance(save_obj, Cell):
        return list({p.name: p for p in save_obj.get_parameters()}.items())
    if isinstance(save_obj, dict):
        for name, value in save_obj.items():
            if not isinstance(name, str) or not isinstance(value, (Parameter, str)):
                raise TypeError(
                    "For save_checkpoint, when save_obj is made up by dict, the key should be str and "
                    f"value should be Parameter, but got the type of key is {type(name)} and "
                    f"the type of value is {type(value)}"
                )
        return list(save_obj.items())
    if not isinstance(save_obj, list):
        raise TypeError(
            "For 'save_checkpoint', the parameter 'save_obj' must be nn.Cell, list or dict, but got "
            f"{type(save_obj)}."
        )
    if save_obj and isinstance(save_obj[0], dict):
        return [_entry_of_dict(item) for item in save_obj]
    for item in save_obj:
        if not isinstance(item, Parameter):
            raise TypeError(
                "For save_checkpoint, when save_obj is made up by list of Parameter, "
                f"the param should be parameter, but got {type(item)}"
            )
    return [(parameter.name, parameter) for parameter in save_obj]


def _entry_of_dict(item) -> tuple[str, object]:
    if not isinstance(item, dict) or "name" not in item or "data" not in item:
        raise TypeError(
            "For save_checkpoint, save_obj should be a list of dict items, and the dict should have key "
            f"values 'name' and 'data', but got {type(item)} and {item}."
        )
    name, data = item["name"], item["data"]
    if not isinstance(name, str):
        raise TypeError(
            "For save_checkpoint, when save_obj is a list of dict items, the name in dict should be string, "
            f"but got {type(name)}."
        )
    if not isinstance(data, (Tensor, str)):
        raise TypeError(
            "For save_checkpoint, when save_obj is a list of dict items, the data in dict should be "
            f"parameter, but got {type(data)}."
        )
    return name, data


def _appended(append_dict) -> list[tuple[str, object]]:
    if append_dict is None:
        return []
    if not isinstance(append_dict, dict):
        raise TypeError(
            f"For 'save_checkpoint', the argument 'append_dict' must be dict, but got {type(append_dict)}."
        )
    return [(name, _appended_value(name, value)) for name, value in append_dict.items()]


def _appended_value(name, value):
    if isinstance(name, str):
        if isinstance(value, (Tensor, str)):
            return value
        if isinstance(value, Generator):
            return value.get_state()
        for kind, dtype in ((bool, mstype.bool_), (int, mstype.int64), (float, mstype.float32)):
            if isinstance(value, kind):
                return Tensor(value, dtype)
    raise TypeError(
        "For 'save_checkpoint', the type of dict 'append_info' must be key: string, value: int, float, bool, "
        f"str, Tensor, Parameter or Generator, but got key: {type(name)}, value: {type(value)}"
    )


def _snapshot(value):
    if isinstance(value, StoredMap):
        return value.snapshot()
    return value if isinstance(value, str) else op.copy(_c.detach(value))


def _stored_name(name: str, value) -> str:
    if getattr(value, "cache_enable", False):
        return f"{name}.__param_key__{value.key}"
    return name


@contextlib.contextmanager
def _reported(path: str):
    """An error goes to the log too: a program may wait long before it tells of it."""
    try:
        yield
    except BaseException:
        logger.critical(
            "Failed to save the checkpoint file %s. Maybe don't have the permission to write files, or "
            "the disk space is insufficient and so on.",
            path,
        )
        raise


def _write(entries, path: str, write) -> None:
    begun = time.perf_counter()
    with _one_writer, _reported(path):
        check_place(path)
        write(entries)
    logger.info(
        "%s is saved: %d entries, %d bytes, in %.1f ms.",
        path,
        len(entries),
        os.path.getsize(path),
        (time.perf_counter() - begun) * 1e3,
    )


def _write_ckpt(path: str, key: bytes, mode: str, crc_check: bool, entries) -> None:
    try:
        writer = _c.CheckpointWriter(path, key, mode, crc_check)
    except RuntimeError as failure:  # the key does not suit the mode
        raise ValueError(f"For 'save_checkpoint', {failure}") from None
    try:
        values = dict(entries)  # of one name, the last counts
        for name, value in values.items():
            if isinstance(value, StoredMap):
                writer.add_map(name, value.arrays())
            elif isinstance(value, str):
                # A file has no empty text: NumPy's text arrays have at least one place.
                writer.add_bytes(name, "str", [0], (value or "\0").encode("utf-32-le", "surrogatepass"))
            else:
                writer.add_tensor(_stored_name(name, value), value)
        writer.commit()
        for value in values.values():
            if isinstance(value, StoredMap):
                value.note_saved()
    finally:
        del writer  # an unfinished file goes now, also when somebody keeps the exception


def _write_safetensors(path: str, notes: dict[str, str], crc_check: bool, entries) -> None:
    tensors = {_stored_name(name, value): value for name, value in entries if not isinstance(value, str)}
    texts = {name: value for name, value in entries if isinstance(value, str)}
    for name in texts:
        if name in RESERVED_METADATA or name in tensors:
            raise ValueError(
                f"For 'save_checkpoint', a safetensors file cannot hold a text called '{name}': the name "
                f"belongs to {'a parameter' if name in tensors else 'the format'}."
            )
    pairs = list(tensors.items())
    metadata = {"format": "ms", **notes, **texts} if pairs or texts else {}
    if crc_check and pairs:
        metadata["crc_num"] = str(_c.safetensors_checksum(pairs))
    _c.write_safetensors(path, pairs, list(metadata.items()))
