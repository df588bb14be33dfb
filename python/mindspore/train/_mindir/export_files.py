# SPDX-License-Identifier: Apache-2.0
"""MindIR files on disk: one file, or a file and a folder of weights beside it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore.common.tensor import Tensor
from mindspore.train._export.atomic_file import DataFiles, atomic_file, remove
from mindspore.train._export.inference_mode import inference_mode
from mindspore.train._export.request import cipher, input_names, network_inputs
from mindspore.train._mindir.exporter import written_network
from mindspore.train._mindir.folded_inputs import folded_in
from mindspore.train._mindir.message import changed_by
from mindspore.train._mindir.model_parts import FRONT_BYTES, ModelInParts, front_of_data
from mindspore.train._mindir.preprocessing import preprocessor_of

LARGEST_IN_ONE_FILE = 1 << 30  # bytes of weights; more are written to files of their own
LARGEST_DATA_FILE = 1 << 40
_ALIGNMENT = 64  # of every weight in a data file
_READ_ONLY = 0o400
_OPTIONS = ("enc_key", "enc_mode", "dataset", "obf_config", "incremental", "custom_func")

Encrypt = Callable[[bytes], bytes]
Places = dict[str, tuple[str, int, int]]  # of a weight: a file, where it begins there, its length


def export_mindir(net, inputs: tuple, path: str, options: dict) -> None:
    """Writes a network, as it is after training, to a MindIR file.

    Args:
        net (Union[Cell, function]): The network.
        inputs (tuple): Its inputs.
        path (str): The file.
        options (dict): As `export` takes them.
    """
    encrypt = cipher(options, "MINDIR")
    _check_options(options)
    head = {"preprocessor": preprocessor_of(inputs, options.get("dataset"))}
    inputs = network_inputs(inputs)
    head["user_info"] = folded_in(inputs) or None
    head = {name: value for name, value in head.items() if value is not None}
    with inference_mode(net):
        model = written_network(net, inputs, input_names(net, inputs))
    change = options.get("custom_func")
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    parts = ModelInParts(path)
    if sum(tensor.nbytes for _, tensor in model.weights) <= LARGEST_IN_ONE_FILE:
        with parts.replaced():
            _write_model(path, model, {}, head, change, encrypt)
        return
    if encrypt is not None and callable(options.get("enc_mode")):
        raise ValueError("For 'export', a network this large cannot be encrypted by a function.")
    os.makedirs(parts.folder, mode=0o700, exist_ok=True)
    with parts.data_files() as files:
        places = _write_weights(parts.folder, files, model.weights, encrypt)
        _write_model(parts.graph, model, places, head, change, encrypt)
    remove(path)  # the same model as it was when it was smaller


def _check_options(options: dict) -> None:
    for name in options:
        if name not in _OPTIONS:
            raise ValueError(f"For 'export', there is no option '{name}'; there are {list(_OPTIONS)}.")
    if options.get("obf_config"):
        raise NotImplementedError("For 'export', 'obf_config' is not available: networks are not obfuscated.")
    for name, is_right, wanted in (
        ("custom_func", callable, "a function"),
        ("incremental", lambda value: isinstance(value, bool), "a bool"),
    ):
        value = options.get(name)
        if value is not None and not is_right(value):
            raise TypeError(f"For 'export', '{name}' must be {wanted}, but got {type(value).__name__}.")


def _write_model(
    path: str, model: _c.WrittenMindir, places: Places, head: dict, change, encrypt: Encrypt | None
) -> None:
    extra = _c.encode_message("mindir", head)
    if change is None and encrypt is None:
        with atomic_file(path, _READ_ONLY) as file:
            model.write(file.write, places, extra)
        return
    content = model.encode(places, extra)
    if change is not None:
        message = _c.decode_message("mindir", content, "the model cannot be read back")
        changed_by(change, message)
        content = _c.encode_message("mindir", message)
    with atomic_file(path, _READ_ONLY) as file:
        file.write(encrypt(content) if encrypt else content)


# ---- weights in files of their own ----------------------------------------------------------------------


def _write_weights(
    folder: str, files: DataFiles, weights: list[tuple[str, Tensor]], encrypt: Encrypt | None
) -> Places:
    """Writes the weights to files of the folder; returns where each of them is."""
    places: Places = {}
    for group in _groups(weights):
        offset = FRONT_BYTES
        name = files.add()
        with atomic_file(os.path.join(folder, name), _READ_ONLY) as file:
            front = front_of_data(sys.byteorder)
            file.write(encrypt(front) if encrypt else front)
            for parameter, tensor in group:
                content = _padded(tensor.get_bytes())
                file.write(encrypt(content) if encrypt else content)
                location = f"{os.path.basename(folder)}/{name}"
                places[parameter] = (location, offset, tensor.nbytes)
                offset += len(content)
    return places


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _ALIGNMENT)


def _groups(weights: list[tuple[str, Tensor]]) -> list[list[tuple[str, Tensor]]]:
    """Weights by name, in as many groups as files are needed."""
    groups: list[list] = []
    total = 0
    for name, tensor in sorted(weights, key=lambda entry: entry[0]):
        size = tensor.nbytes + -tensor.nbytes % _ALIGNMENT
        if not groups or total + size > LARGEST_DATA_FILE:
            groups.append([])
            total = FRONT_BYTES
        groups[-1].append((name, tensor))
        total += size
    return groups
