# SPDX-License-Identifier: Apache-2.0
"""Entries of weight files of every format: a name, and a function that reads its value."""

from __future__ import annotations

import functools
import os
import zipfile
from collections.abc import Callable

import numpy as np

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

BY_EXTENSION = {
    ".ckpt": "ckpt",
    ".safetensors": "safetensors",
    ".npz": "npz",
    ".pth": "torch",
    ".pt": "torch",
    ".bin": "torch",
}
WRITTEN = ("ckpt", "safetensors")
# What the metadata of a safetensors file says of the file itself.
RESERVED_METADATA = ("format", "remove_redundancy", "crc_num")
_KEY_MARK = ".__param_key__"
_MAP_TYPES = frozenset(
    [
        "bool",
        "float16",
        "float32",
        "float64",
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    ]
)
# Where training scripts keep a network's weights, the likeliest first.
_STATE_KEYS = ("state_dict", "model_state_dict", "model", "net", "network", "weights", "params", "ema")

# Name of an entry, and what reads it: (name, value).
Entry = tuple[str, Callable[[], tuple[str, object]]]


def check_format(value, owner: str) -> None:
    """ValueError when `format` is not one that can be asked for."""
    if value not in WRITTEN:
        raise ValueError(
            f"For '{owner}', the argument 'format' must be one of {list(WRITTEN)}, but got {value!r}."
        )


def entries_in(path: str, kind: str, key, mode: str, crc_check: bool) -> list[Entry]:
    """The entries of a file, none of them read yet.

    Args:
        path (str): The file.
        kind (str): Its format, a value of `BY_EXTENSION`.
        key (Union[None, bytes]): Key of an encrypted ``.ckpt``.
        mode (str): How it was encrypted.
        crc_check (bool): Compares the file with its checksum.

    Raises:
        ValueError: The file is damaged, of another format, or encrypted otherwise.
    """
    try:
        if kind == "ckpt":
            return _guarded(path, _ckpt_entries(path, key, mode, crc_check))
        if key is not None or mode != "AES-GCM":
            raise ValueError(
                f"For 'load_checkpoint', 'dec_key' and 'dec_mode' must have their defaults for '{path}': "
                "only .ckpt files are encrypted."
            )
        return _guarded(path, _READERS[kind](path, crc_check))
    except RuntimeError as failure:  # the key does not suit the mode
        raise ValueError(f"For 'load_checkpoint', {failure}") from None
    except OSError as failure:
        raise ValueError(
            f"Failed to read the checkpoint file {path}. May not have permission to read it, please check "
            "the correct of the file."
        ) from failure


def _guarded(path: str, entries: list[Entry]) -> list[Entry]:
    """The same entries; whatever is wrong with one is a ValueError that names the file."""

    def guarded(read):
        try:
            return read()
        except (UnicodeError, TypeError, OSError, MemoryError) as failure:
            raise ValueError(
                f"Failed to read the checkpoint file {path}, it may be damaged: {failure}"
            ) from failure

    return [(name, functools.partial(guarded, read)) for name, read in entries]


def _check_intact(path: str, crc_check: bool, has_checksum: bool, is_intact: Callable[[], bool]) -> None:
    if not crc_check:
        return
    if not has_checksum:
        logger.warning(
            "For 'load_checkpoint', the %s file do not contain the crc code, please check the file.",
            os.path.splitext(path)[1][1:],
        )
    elif not is_intact():
        raise ValueError(
            f"Failed to read the checkpoint file {path}. For 'load_checkpoint', the crc check is failed, "
            "please check whether the ckpt file is damaged."
        )


# ---- .ckpt --------------------------------------------------------------------------------------------


def _ckpt_entries(path: str, key, mode: str, crc_check: bool) -> list[Entry]:
    file = _c.CheckpointFile(path, key or b"", mode)
    _check_intact(path, crc_check, file.has_checksum(), file.is_intact)
    return [
        (entry[0], functools.partial(_read_record, file, number, *entry))
        for number, entry in enumerate(file.entries())
    ]


def _read_record(file, number: int, name: str, type_name: str, is_map: bool):
    """Name and value of a record."""
    if is_map:
        return name, [_map_array(*array) for array in file.arrays(number)]
    if type_name == "str":
        text = file.arrays(number)[0][2].decode("utf-32-le", "surrogatepass")
        return name, "" if text == "\0" else text
    name, mark, key = name.partition(_KEY_MARK)
    parameter = Parameter._adopt(file.tensor(number), name)
    if mark and key.isdigit():
        parameter.key = int(key)
    return name, parameter


def _map_array(kind: str, dims: list[int], content: bytes) -> np.ndarray:
    """Keys, values or states of a map parameter, whose types have the names they have in NumPy."""
    if kind not in _MAP_TYPES or any(length < 0 for length in dims):
        raise TypeError(f"a map parameter has an array of type '{kind}' and shape {dims}")
    return np.frombuffer(content, kind).reshape(dims).copy()


# ---- .safetensors -------------------------------------------------------------------------------------


def _safetensors_entries(path: str, crc_check: bool) -> list[Entry]:
    file = _c.SafetensorsFile(path)
    metadata = dict(file.metadata())
    expected = metadata.get("crc_num", "")
    _check_intact(
        path,
        crc_check,
        "crc_num" in metadata,
        lambda: expected in (str(file.checksum(like_others=True)), str(file.checksum())),
    )

    def read(number: int, name: str):
        return name, Parameter._adopt(file.tensor(number), name)

    names = file.names()
    entries = [(name, functools.partial(read, number, name)) for number, name in enumerate(names)]
    # Texts that were saved; what other programs note about their files is no content.
    if metadata.get("format") == "ms":
        known = {*names, *RESERVED_METADATA}
        entries += [
            (name, lambda name=name, text=text: (name, text))
            for name, text in metadata.items()
            if name not in known
        ]
    return entries


# ---- .npz, PyTorch ------------------------------------------------------------------------------------


def _npz_entries(path: str, crc_check: bool) -> list[Entry]:
    if not zipfile.is_zipfile(path):
        raise ValueError(f"'{path}' cannot be read as .npz: it is no archive of arrays.")
    file = _npz(path, lambda: np.load(path, allow_pickle=False))

    def read(name: str):
        return name, Parameter._adopt(Tensor(_npz(path, lambda: file[name])), name)

    return [(name, functools.partial(read, name)) for name in file.files]


def _npz(path: str, use: Callable):
    try:
        return use()
    except Exception as error:  # damaged headers make NumPy raise whatever its tokenizer does
        raise ValueError(f"'{path}' cannot be read as .npz: {error}") from error


def _torch_entries(path: str, crc_check: bool) -> list[Entry]:
    weights = state_dict_in(_c.read_torch_file(path), path)
    taken: set[int] = set()

    def read(name: str, tensor):
        # Two names of one tensor become two parameters.
        own = op.copy(tensor) if id(tensor) in taken else tensor
        taken.add(id(tensor))
        return name, Parameter._adopt(own, name)

    return [(name, functools.partial(read, name, tensor)) for name, tensor in weights.items()]


def state_dict_in(root, path: str) -> dict[str, Tensor]:
    """The weights of a network inside whatever a training script saved.

    Raises:
        ValueError: There are none.
    """
    found = _find_state(root, 0, set())
    if found is None:
        raise ValueError(f"'{path}' holds no weights by name, but {_described(root)}.")
    if all(name.startswith("module.") for name in found):
        found = {name.removeprefix("module."): value for name, value in found.items()}
    return found


def _is_state(value) -> bool:
    return (
        isinstance(value, dict)
        and any(isinstance(item, Tensor) for item in value.values())
        and all(isinstance(key, str) for key in value)
    )


def _find_state(value, depth: int, seen: set[int]) -> dict | None:
    if not isinstance(value, dict) or depth > 3 or id(value) in seen:
        return None
    seen.add(id(value))
    if _is_state(value):
        return {name: item for name, item in value.items() if isinstance(item, Tensor)}
    rest = [key for key in value if key not in _STATE_KEYS and "optim" not in str(key)]
    for key in [*(key for key in _STATE_KEYS if key in value), *rest]:
        found = _find_state(value[key], depth + 1, seen)
        if found is not None:
            return found
    return None


def _described(root) -> str:
    if isinstance(root, dict):
        return f"a dict of {', '.join(map(repr, list(root)[:8]))}"
    return f"a {type(root).__name__}"


_READERS = {"safetensors": _safetensors_entries, "npz": _npz_entries, "torch": _torch_entries}
