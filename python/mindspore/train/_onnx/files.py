# SPDX-License-Identifier: Apache-2.0
"""ONNX files on disk."""

from __future__ import annotations

import os
import re

from mindspore import _c_expression as _c
from mindspore import ops
from mindspore.common.tensor import Tensor
from mindspore.nn import GraphCell
from mindspore.train._export.atomic_file import DataFiles, atomic_file
from mindspore.train._export.inference_mode import inference_mode
from mindspore.train._export.request import cipher, input_names, network_inputs
from mindspore.train._mindir.model_file import load_func_graph
from mindspore.train._onnx.exporter import written_network

LARGEST_IN_ONE_FILE = 3 << 29  # bytes of weights; readers of such files end at 2 GiB
_SMALLEST_ELSEWHERE = 1024  # bytes of a weight
_ALIGNMENT = 64  # of every weight in a data file
# Ends a file of weights, where nobody reads: we may remove it when its model is gone.
DATA_MARK = b"Mycel: weights of the ONNX file of this name\n"

Places = dict[str, tuple[str, int, int]]  # of a weight: a file, where it begins there, its length


def export_onnx(net, inputs: tuple, path: str, options: dict) -> None:
    """Writes a network, as it is after training, to an ONNX file.

    Weights that are too large for it lie in a second file of the same name with ".data" at the end (and a
    number before it where an older model has that file), which is complete before the first one appears. When
    it has, files with weights of the model that was there before are removed.

    Args:
        net (Union[Cell, function]): The network.
        inputs (tuple): Its inputs.
        path (str): The file.
        options (dict): As `export` takes them.
    """
    encrypt = cipher(options, "ONNX")
    inputs = network_inputs(inputs)
    with inference_mode(net):
        model = written_network(net, inputs, input_names(net, inputs))
    _write(model, path, encrypt)


def convert_mindir(mindir_file: str, path: str) -> None:
    """Writes the network of a MindIR file to an ONNX file.

    Args:
        mindir_file (str): The MindIR file.
        path (str): The ONNX file.

    Raises:
        ValueError: An input has no fixed shape.
    """
    graph = load_func_graph(mindir_file)
    for one in graph.inputs:
        if one.kind != "Tensor" or one.dims is None or any(dim < 0 for dim in one.dims):
            raise ValueError(
                "For 'convert_model', the inputs of the network must be tensors of fixed shapes, but "
                f"'{one.name}' is of kind '{one.kind}' and shape {one.dims}."
            )
    inputs = tuple(ops.zeros(tuple(one.dims), one.dtype) for one in graph.inputs)
    _write(written_network(GraphCell(graph), inputs, [one.name for one in graph.inputs]), path, None)


def _write(model: _c.WrittenOnnx, path: str, encrypt) -> None:
    folder, name = os.path.split(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    is_large = sum(tensor.nbytes for _, tensor in model.weights) > LARGEST_IN_ONE_FILE
    if is_large and encrypt is not None:
        raise ValueError("For 'export', a network this large cannot be encrypted.")

    def name_of(number: int) -> str:
        return f"{name}.{number}.data" if number else f"{name}.data"

    pattern = re.escape(name) + r"(\.\d+)?\.data"
    with DataFiles(folder, name_of, pattern, _OldData(path).has) as files:
        places = _write_weights(folder, files.add(), model.weights) if is_large else {}
        with atomic_file(path) as file:
            if encrypt is None:
                model.write(file.write, places, b"")
            else:
                file.write(encrypt(model.encode(places, b"")))


def _write_weights(folder: str, name: str, weights: list[tuple[str, Tensor]]) -> Places:
    """Writes the large ones to a file; returns where each of them is."""
    places: Places = {}
    with atomic_file(os.path.join(folder, name)) as file:
        for weight, tensor in weights:
            if tensor.nbytes >= _SMALLEST_ELSEWHERE:
                file.write(bytes(-file.tell() % _ALIGNMENT))
                places[weight] = (name, file.tell(), tensor.nbytes)
                file.write(tensor.get_bytes())
        file.write(DATA_MARK)
    return places


class _OldData:
    """What is known of data files beside an ONNX file that is about to be replaced.

    Args:
        path (str): The ONNX file.
    """

    def __init__(self, path: str):
        self._path = path
        self._named: set[str] | None = None  # files it refers to

    def has(self, path: str) -> bool:
        """Whether a file of data was written by us, or the ONNX file refers to it."""
        try:
            with open(path, "rb") as file:
                file.seek(-min(len(DATA_MARK), os.path.getsize(path)), os.SEEK_END)
                if file.read() == DATA_MARK:
                    return True
        except OSError:
            return False
        if self._named is None:
            self._named = _files_named_by(self._path)
        return os.path.basename(path) in self._named


def _files_named_by(path: str) -> set[str]:
    """Files that an ONNX file refers to; none if it is no such file."""
    try:
        with open(path, "rb") as file:
            graph = _c.decode_message("onnx", file.read(), path).get("graph", {})
    except (OSError, ValueError, RuntimeError):
        return set()
    places = [entry for tensor in graph.get("initializer", []) for entry in tensor.get("external_data", [])]
    return {entry.get("value", "") for entry in places if entry.get("key") == "location"}
