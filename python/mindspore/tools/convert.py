# SPDX-License-Identifier: Apache-2.0
"""Turns weights of one format into another, for a given network where names differ.

python -m mindspore.tools.convert resnet50.pth resnet50.ckpt --net my_nets:ResNet50
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import json
import os
import re
import sys

import numpy as np

from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.tools._matching import Matching, match_weights
from mindspore.tools._weights import (
    FORMATS,
    WRITTEN,
    read_weights,
    target_of,
    without_place,
    write_weights,
)


def convert(source, target=None, net=None, name_map=None, source_format=None, target_format=None) -> Matching:
    """Reads weights, gives them the names of a network's parameters, and writes them.

    Args:
        source (str): File with weights: .ckpt, .safetensors, .npz, .pth, .pt, .bin, .onnx or
            .mindir.
        target (str): File to write, .ckpt, .safetensors, .npz or .pth; None: nothing is written.
            Default: ``None``.
        net (Cell): The network the weights are for; None: names stay. Default: ``None``.
        name_map (Union[str, dict]): Names in the file by names of the network, or a JSON file with them.
            Default: ``None``.
        source_format (str): Format of `source`, if its name does not tell. Default: ``None``.
        target_format (str): Format of `target`, if its name does not tell. Default: ``None``.

    Returns:
        Matching, what became of every array and every parameter.

    Raises:
        ValueError: A file is damaged, or of an unknown format; or `name_map` has names that do not exist.
        OSError: `target` cannot be written.
    """
    if target is not None:
        target_of(target, target_format)
    mapping = _mapping(name_map)
    weights = read_weights(source, source_format)
    _check_names(mapping.values(), weights, f"'{source}'")
    if net is not None:
        _check_names(mapping, net.parameters_dict(), "the network")
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
    inputs = _numbered(arrays, "input_", path)
    expected = [tensor.asnumpy() for tensor in _numbered(arrays, "output_", path)]
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


def _numbered(arrays: dict[str, Tensor], start: str, path: str) -> list[Tensor]:
    found = {name: re.fullmatch(start + r"(\d+)", name) for name in arrays}
    order = sorted((int(match[1]), name) for name, match in found.items() if match)
    if not order:
        raise ValueError(
            f"'{path}' must hold arrays called '{start}0', '{start}1', ..., but has "
            f"{', '.join(map(repr, arrays)) or 'none'}."
        )
    return [arrays[name] for _, name in order]


def _check_names(names, known, where: str) -> None:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; is it '{near[0]}'?" if near else "."
            raise ValueError(f"The map has the name '{name}', which {where} does not have{hint}")


def _mapping(name_map) -> dict[str, str]:
    if name_map is None or isinstance(name_map, dict):
        return name_map or {}
    with open(name_map, encoding="utf-8") as file:
        try:
            mapping = json.load(file)
        except ValueError as error:
            raise ValueError(f"'{name_map}' is no JSON: {error}") from error
    if not isinstance(mapping, dict) or not all(isinstance(value, str) for value in mapping.values()):
        raise ValueError(f"'{name_map}' must hold a JSON object from names to names.")
    return mapping


def _network(text: str) -> Cell:
    module, _, name = text.partition(":")
    name = name or "network"
    sys.path.insert(0, os.getcwd())
    try:
        make = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ValueError(
            f"--net {text}: the module '{module}' cannot be imported: {error}. It is looked for in this "
            "folder and where Python looks."
        ) from error
    except AttributeError as error:
        raise ValueError(f"--net {text}: the module '{module}' has no '{name}'.") from error
    made = make()
    if not isinstance(made, Cell):
        raise TypeError(f"'{text}' gave a {type(made).__name__}, not a Cell.")
    return made


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mindspore.tools.convert",
        description=__doc__.split("\n")[0],
        epilog="Arrays find their parameters by name, by what other frameworks call the same thing, without "
        "a prefix, and at last by kind, shape and order; a table tells how. Nothing in a file is ever "
        "executed. Exit status: 0, or 1 when nothing was written.",
    )
    parser.add_argument(
        "source", help="file of weights: .ckpt, .safetensors, .npz, .pth, .pt, .bin, .onnx or .mindir"
    )
    parser.add_argument(
        "target", help="file to write: .ckpt, .safetensors, .npz or .pth; an old one is replaced"
    )
    parser.add_argument(
        "--net",
        metavar="MODULE:FUNCTION",
        help="what makes the network the weights are for; default: names stay",
    )
    parser.add_argument(
        "--map", metavar="FILE", help="JSON object: names of the network to names in the file"
    )
    parser.add_argument("--from", dest="source_format", choices=FORMATS, help="format of the source")
    parser.add_argument("--to", dest="target_format", choices=WRITTEN, help="format of the target")
    parser.add_argument(
        "--verify",
        metavar="FILE",
        help=".npz with input_0 ... and output_0 ...: the network must agree, or nothing is written",
    )
    parser.add_argument("--partial", action="store_true", help="write also when parameters get nothing")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        print(f"convert: {without_place(error)}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    if options.verify and not options.net:
        raise ValueError("--verify needs --net, the network that is run.")
    target_of(options.target, options.target_format)
    net = _network(options.net) if options.net else None
    matching = convert(options.source, None, net, options.map, options.source_format)
    print(report(matching))
    if not matching.matches and not matching.missing:
        raise ValueError(f"'{options.source}' has no weights that could be written.")
    if matching.missing and not options.partial:
        print("convert: nothing was written; --partial writes what there is", file=sys.stderr)
        return 1
    if options.verify:
        _set(net, matching)
        print(f"outputs agree, the largest difference is {verify(net, options.verify):g}")
    path = write_weights(options.target, matching.weights(), options.target_format)
    print(f"wrote {len(matching.matches)} arrays to {path}")
    return 0


def _set(net: Cell, matching: Matching) -> None:
    parameters = net.parameters_dict()
    for match in matching.matches:
        parameters[match.target].set_data(Tensor(match.value, parameters[match.target].dtype))


if __name__ == "__main__":
    sys.exit(main())
