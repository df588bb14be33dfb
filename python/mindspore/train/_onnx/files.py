# SPDX-License-Identifier: Apache-2.0
"""ONNX files on disk."""

from __future__ import annotations

import os
import re

from mindspore import ops
from mindspore.nn import GraphCell
from mindspore.train._export.atomic_file import DataFiles, atomic_file
from mindspore.train._export.inference_mode import inference_mode
from mindspore.train._export.request import cipher, input_names, network_inputs
from mindspore.train._mindir.model_file import load_func_graph
from mindspore.train._onnx.exporter import written_network
from mindspore.train._onnx.model_writer import ModelWriter

LARGEST_IN_ONE_FILE = 3 << 29  # bytes of weights; readers of such files end at 2 GiB


def export_onnx(net, inputs: tuple, path: str, options: dict) -> None:
    """Writes a network, as it is after training, to an ONNX file.

    Weights that are too large for it lie in a second file of the same name with ".data" at the end (and a
    number before it where an older model has that file), which is complete before the first one appears.

    Args:
        net (Union[Cell, function]): The network.
        inputs (tuple): Its inputs.
        path (str): The file.
        options (dict): As `export` takes them.
    """
    encrypt = cipher(options, "ONNX")
    inputs = network_inputs(inputs)
    with inference_mode(net):
        writer = written_network(net, inputs, input_names(net, inputs))
    _write(writer, path, encrypt)


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


def _write(writer: ModelWriter, path: str, encrypt) -> None:
    folder, name = os.path.split(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    if writer.bytes_of_weights() <= LARGEST_IN_ONE_FILE:
        content = writer.model()
        with atomic_file(path) as file:
            file.write(encrypt(content) if encrypt else content)
        return
    if encrypt is not None:
        raise ValueError("For 'export', a network this large cannot be encrypted.")

    def name_of(number: int) -> str:
        return f"{name}.{number}.data" if number else f"{name}.data"

    with DataFiles(folder, name_of, re.escape(name) + r"(\.\d+)?\.data") as files:
        data = files.add()
        with atomic_file(os.path.join(folder, data)) as file:
            writer.write_data(file)
        with atomic_file(path) as file:
            file.write(writer.model(data))
