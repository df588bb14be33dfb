# SPDX-License-Identifier: Apache-2.0
"""Turns weights of one format into another, for a given network where names differ.

python -m mindspore.tools.convert resnet50.pth resnet50.ckpt --net my_nets:ResNet50
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys

import numpy as np

from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.tools._matching import Matching, match_weights
from mindspore.tools._weights import FORMATS, read_weights, write_weights


def convert(source, target=None, net=None, name_map=None, source_format=None, target_format=None) -> Matching:
    """Reads weights, gives them the names of a network's parameters, and writes them.

    Args:
        source (str): File with weights: .ckpt, .safetensors, .npz, .pth, .pt, .bin or .onnx.
        target (str): File to write, .ckpt, .safetensors or .npz; None: nothing is written. Default: ``None``.
        net (Cell): The network the weights are for; None: names stay. Default: ``None``.
        name_map (Union[str, dict]): Names in the file by names of the network, or a JSON file with them.
            Default: ``None``.
        source_format (str): Format of `source`, if its name does not tell. Default: ``None``.
        target_format (str): Format of `target`, if its name does not tell. Default: ``None``.

    Returns:
        Matching, what became of every array and every parameter.

    Raises:
        ValueError: A file is damaged, or of an unknown format.
    """
    weights = read_weights(source, source_format)
    mapping = _mapping(name_map)
    if net is None:
        back = {name: new for new, name in mapping.items()}
        targets = {back.get(name, name): tuple(value.shape) for name, value in weights.items()}
    else:
        targets = {name: tuple(parameter.shape) for name, parameter in net.parameters_dict().items()}
    matching = match_weights(weights, targets, mapping)
    if target is not None:
        write_weights(target, matching.weights(), target_format)
    return matching


def load_weights_into(net, source, name_map=None) -> Matching:
    """Gives a network the weights of a file of any format.

    Args:
        net (Cell): The network.
        source (str): The file.
        name_map (Union[str, dict]): See :func:`convert`. Default: ``None``.

    Returns:
        Matching.
    """
    matching = convert(source, net=net, name_map=name_map)
    parameters = net.parameters_dict()
    for match in matching.matches:
        parameter = parameters[match.target]
        parameter.set_data(match.value.astype(parameter.dtype))
    return matching


def report(matching: Matching) -> str:
    """A table of what matched, what did not, and why."""
    rows = [("parameter", "in the file", "matched by", "shape or reason")]
    for match in matching.matches:
        rows.append((match.target, match.source, match.how, str(tuple(match.value.shape))))
    rows += [(name, "-", "MISSING", reason) for name, reason in matching.missing.items()]
    rows += [("-", name, "unused", reason) for name, reason in matching.unused.items()]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[3]]))
    counts = (len(matching.matches), len(matching.missing), len(matching.unused))
    return "\n".join([*lines, "{} matched, {} missing, {} unused".format(*counts)])


def verify(net: Cell, path: str, tolerance: float = 1e-4) -> float:
    """Runs a network on stored inputs and compares with stored outputs.

    Args:
        net (Cell): The network, with its weights.
        path (str): An .npz file with `input_0`, `input_1`, ... and `output_0`, ...
        tolerance (float): Largest difference that counts as equal, relative to the largest output.
            Default: ``1e-4``.

    Returns:
        float, the largest difference, relative to the largest output.

    Raises:
        ValueError: The outputs differ by more.
    """
    from mindspore.common._structure import tensors_in

    arrays = read_weights(path, "npz")
    inputs = [arrays[name] for name in sorted(arrays) if name.startswith("input")]
    expected = [arrays[name].asnumpy() for name in sorted(arrays) if name.startswith("output")]
    found = [tensor.asnumpy() for tensor in tensors_in(net.set_train(False)(*inputs))]
    shapes = [array.shape for array in found], [array.shape for array in expected]
    if shapes[0] != shapes[1]:
        raise ValueError(f"The network gives shapes {shapes[0]}, but '{path}' has {shapes[1]}.")
    worst = 0.0
    for ours, wanted in zip(found, expected, strict=True):
        if ours.size:
            worst = max(worst, float(np.abs(ours - wanted).max() / max(1, np.abs(wanted).max())))
    if not worst <= tolerance:
        raise ValueError(f"The outputs differ by up to {worst:g}, more than {tolerance:g}.")
    return worst


def _mapping(name_map) -> dict[str, str]:
    if name_map is None or isinstance(name_map, dict):
        return name_map or {}
    with open(name_map, encoding="utf-8") as file:
        mapping = json.load(file)
    if not isinstance(mapping, dict) or not all(isinstance(value, str) for value in mapping.values()):
        raise ValueError(f"'{name_map}' must hold a JSON object from names to names.")
    return mapping


def _network(text: str) -> Cell:
    module, _, name = text.partition(":")
    sys.path.insert(0, os.getcwd())
    made = getattr(importlib.import_module(module), name or "network")()
    if not isinstance(made, Cell):
        raise TypeError(f"'{text}' gave a {type(made).__name__}, not a Cell.")
    return made


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m mindspore.tools.convert", description=__doc__.split("\n")[0]
    )
    parser.add_argument("source", help="file with weights")
    parser.add_argument("target", help="file to write: .ckpt, .safetensors or .npz")
    parser.add_argument("--net", help="module:function that makes the network the weights are for")
    parser.add_argument("--map", help="JSON file: names of the network to names in the file")
    parser.add_argument("--from", dest="source_format", choices=FORMATS, help="format of the source")
    parser.add_argument("--to", dest="target_format", choices=FORMATS[:3], help="format of the target")
    parser.add_argument("--verify", help=".npz with input_0 ... and output_0 ...: the network must agree")
    parser.add_argument("--partial", action="store_true", help="write also when parameters get nothing")
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except (ValueError, TypeError, OSError, ImportError, AttributeError) as error:
        print(f"convert: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    net = _network(options.net) if options.net else None
    matching = convert(options.source, None, net, options.map, options.source_format)
    print(report(matching))
    if matching.missing and not options.partial:
        print("convert: nothing was written; --partial writes what there is", file=sys.stderr)
        return 1
    write_weights(options.target, matching.weights(), options.target_format)
    if options.verify:
        if net is None:
            raise ValueError("--verify needs --net.")
        _set(net, matching)
        print(f"outputs agree, the largest difference is {verify(net, options.verify):g}")
    return 0


def _set(net: Cell, matching: Matching) -> None:
    parameters = net.parameters_dict()
    for match in matching.matches:
        parameters[match.target].set_data(Tensor(match.value, parameters[match.target].dtype))


if __name__ == "__main__":
    sys.exit(main())
