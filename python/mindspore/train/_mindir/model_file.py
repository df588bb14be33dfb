# SPDX-License-Identifier: Apache-2.0
"""Reading MindIR files: encryption, checks, and the split forms."""

from __future__ import annotations

import os
import sys

from mindspore import _c_expression as _c
from mindspore.train._mindir.builder import build
from mindspore.train._mindir.errors import MindIRError, refuse
from mindspore.train._mindir.func_graph import FuncGraph
from mindspore.train._mindir.tensors import TensorReader

_NEWEST_FORM = 3
_GRAPH_SUFFIX, _DATA_SUFFIX = "_graph.mindir", "_variables"
_MODES = ("AES-GCM", "AES-CBC", "SM4-CBC")
_NOT_DECRYPTED = (
    "The file may be encrypted and decrypt failed, you can check whether the values of the arguments "
    "'dec_key' and 'dec_mode' are the same as when exported MindIR file, or check the file integrity."
)


def load_func_graph(path: str, key: bytes | None = None, mode="AES-GCM") -> FuncGraph:
    """Reads a MindIR file.

    Args:
        path (str): The file.
        key (bytes): Key of an encrypted file. Default: ``None``.
        mode (Union[str, Callable]): How it was encrypted, or a function of path and key that gives the
            plain content. Default: ``"AES-GCM"``.

    Returns:
        FuncGraph.

    Raises:
        RuntimeError: The file is damaged, encrypted otherwise, or of a form that is not known.
    """
    content = _plain_content(path, key, mode)
    decrypt = None if key is None or callable(mode) else lambda data: _decrypted(data, key, mode)
    try:
        model = _model(content, path) if decrypt is None else _decrypted_model(content, path)
        reader = TensorReader(os.path.dirname(path) or ".", decrypt)
        _add_split_parameters(model, path, decrypt)
        graph = build(model, reader)
        reader.forget_files()
        return graph
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError, MemoryError) as failure:
        raise MindIRError(
            f"Load MindIR failed. The file '{path}' is damaged: {type(failure).__name__}: {failure}"
        ) from failure


def _plain_content(path: str, key, mode) -> bytes:
    if key is not None and callable(mode):
        content = mode(path, key)
        if not isinstance(content, bytes):
            refuse(f"'dec_mode' should return bytes, but returned {type(content).__name__}.")
        return content
    content = _read(path)
    if key is not None:
        return _decrypted(content, key, mode)
    if _c.starts_with_envelope(content[:4]):
        refuse(_NOT_DECRYPTED)
    return content


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as failure:
        refuse(f"The file '{path}' cannot be read: {failure.strerror}.")


def _decrypted(content: bytes, key: bytes, mode: str) -> bytes:
    if mode not in _MODES:
        refuse(f"{_NOT_DECRYPTED} 'dec_mode' should be one of {list(_MODES)}, but got '{mode}'.")
    try:
        plain = _c.decrypt_envelope(content, key, mode)
    except RuntimeError as failure:  # the key does not suit the mode
        refuse(f"{_NOT_DECRYPTED} {failure}")
    if plain is None:
        refuse(_NOT_DECRYPTED)
    return plain


def _model(content: bytes, path: str) -> dict:
    model = _decoded("mindir", content, path)
    _check_head(model)
    return model


def _decrypted_model(content: bytes, path: str) -> dict:
    """The same of decrypted content: a wrong key goes unnoticed once in 256 times where there is no tag."""
    try:
        return _model(content, path)
    except MindIRError as failure:
        raise MindIRError(_NOT_DECRYPTED) from failure


def _decoded(form: str, content: bytes, path: str) -> dict:
    try:
        return _c.decode_message(form, content, f"The file '{path}' is not a MindIR file or is damaged")
    except ValueError as failure:
        refuse(str(failure))


def _check_head(model: dict) -> None:
    for field in ("producer_name", "model_version"):
        if not model.get(field):
            refuse(f"The file does not tell its '{field}'; it is no MindIR file, or damaged.")
    form = model.get("mind_ir_version", 0)
    if not 0 <= form <= _NEWEST_FORM:
        refuse(f"The file has the form {form} of MindIR, but only forms up to {_NEWEST_FORM} are known.")
    if "little_endian" in model and model["little_endian"] != (sys.byteorder == "little"):
        refuse("The file has another byte order than this machine.")
    if "graph" not in model:
        refuse("The file has no graph.")


def _add_split_parameters(model: dict, path: str, decrypt) -> None:
    """Takes the parameters of the older split form, which stand in files of their own."""
    graph = model["graph"]
    if not path.endswith(_GRAPH_SUFFIX) or graph.get("parameter") or graph.get("map_parameter"):
        return
    folder = path[: -len(_GRAPH_SUFFIX)] + _DATA_SUFFIX
    if not os.path.isdir(folder):
        return
    found: list[dict] = []
    inside = os.path.realpath(folder)
    for name in sorted(os.listdir(folder)):
        file = os.path.realpath(os.path.join(folder, name))
        if not os.path.isfile(file):
            continue
        if os.path.dirname(file) != inside:
            refuse(f"The file '{name}' of '{folder}' is a link to another folder.")
        content = _read(file)
        part = _decoded("mindir graph", decrypt(content) if decrypt else content, file)
        found += part.get("parameter", [])
    graph["parameter"] = found
