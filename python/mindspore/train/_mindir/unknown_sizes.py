# SPDX-License-Identifier: Apache-2.0
"""Networks whose inputs have axes of unknown size.

The network is written for three sizes; where the files say the same, or differ only in sizes that a file may
leave open, they are one file for all sizes.
"""

from __future__ import annotations

import copy
import functools
from collections import defaultdict

from mindspore.train._export.open_inputs import described_inputs, filled_inputs, has_unknown_sizes
from mindspore.train._export.size_one import warn_if_one_differs
from mindspore.train._mindir.exporter import written_network
from mindspore.train._mindir.model_writer import ModelWriter

__all__ = ["has_unknown_sizes", "model_for_all_sizes", "written_for_sizes"]

# Small first, as the network runs; larger where windows do not fit. The third is the first that the network
# takes of some even sizes, as what is put around images may depend on that, and much larger if it can be:
# layers that halve images soon make the small ones equal.
_TRIED = ((5, 7, (34, 8)), (61, 67, (68,)))
_REFERENCE = "REF::"
_TO_THE_END = 2**31 - 1


def written_for_sizes(net, inputs: tuple, names: list[str]) -> tuple[ModelWriter, ...]:
    """The network written for three sizes of the unknown axes."""
    shapes = described_inputs(net, inputs)

    def written(*sizes: int) -> ModelWriter:
        """For the first of some sizes that the network takes."""
        try:
            filled = filled_inputs(shapes, lambda number, axis: sizes[0])
            return written_network(net, filled, names, is_for_all_sizes=True)
        except ValueError:
            if len(sizes) == 1:
                raise
            return written(*sizes[1:])

    failure: Exception | None = None
    for first, second, even in _TRIED:
        try:
            writers = written(first), written(second), written(*even)
        except ValueError as error:
            failure = error
        else:
            warn_if_one_differs(net, inputs, first)
            return writers
    raise failure


def model_for_all_sizes(writers: tuple[ModelWriter, ...], places: dict | None) -> dict:
    """One message for all.

    Raises:
        RuntimeError: What the network does depends on the size.
    """
    first, *others = writers
    try:
        one = first.model(places)
        models = [_model_of_two(one, other) for other in others]
        return functools.reduce(lambda model, again: _merged(model, again, ""), models)
    except _DiffersError as failure:
        raise RuntimeError(
            f"'{first.network.name}' cannot be exported for inputs of unknown size: {failure}. Give inputs "
            "with all sizes."
        ) from None


def _model_of_two(one: dict, writer: ModelWriter) -> dict:
    weights = one["graph"]["parameter"]
    one = copy.deepcopy(one, {id(weights): weights})  # sizes are opened in place
    other = writer.model(defaultdict(dict))
    other["graph"]["parameter"] = weights
    _open_sizes(one, other)
    return _merged(one, other, "")


class _DiffersError(Exception):
    """The files for two sizes say different things."""


def _merged(one, other, key: str):
    """What both say; sizes in which they differ are left open."""
    if one is other or one == other:
        return one
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        try:
            return {name: _merged(value, other[name], name) for name, value in one.items()}
        except _DiffersError:
            if "op_type" in one:
                kind = one["op_type"].removeprefix(_REFERENCE).partition(":")[0]
                what = "a value it uses" if kind == "Constant" else f"an argument of '{kind}'"
                raise _DiffersError(f"{what} depends on the size") from None
            raise
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        if key == "dims":
            return [a if a == b else -1 for a, b in zip(one, other, strict=True)]
        return [_merged(a, b, key) for a, b in zip(one, other, strict=True)]
    raise _DiffersError("the number of its operators depends on the size")


# ---- sizes in arguments -------------------------------------------------------------------------------


def _open_sizes(one: dict, other: dict) -> None:
    """Replaces sizes in arguments by what means the same for every size, in both messages."""
    pairs = list(zip(_nodes(one), _nodes(other), strict=False))
    constants = {
        a["name"]: (a["attribute"][0], b["attribute"][0])
        for a, b in pairs
        if a["op_type"] == b["op_type"] == "Constant" and a != b
    }
    shapes = _shapes(one)
    shapes_of_other = _shapes(other)
    for node, _ in pairs:
        kind = node["op_type"].removeprefix(_REFERENCE).partition(":")[0]
        for position, used in enumerate(node.get("input", ())):
            if used not in constants:
                continue
            if kind == "Reshape":
                _open_one(*constants[used])
            elif kind == "StridedSlice" and position == 2:
                cut = node["input"][0]
                _open_ends(*constants[used], shapes.get(cut, ()), shapes_of_other.get(cut, ()))
    _open_stretching(one, other, shapes)


def _open_stretching(one: dict, other: dict, shapes: dict[str, list[int]]) -> None:
    """Axes that are not stretched may have the size of the input."""
    stretched = {
        a["name"]: (a["attribute"][0], b["attribute"][0])
        for a, b in zip(one["primitives"], other["primitives"], strict=False)
        if a["op_type"] == b["op_type"] == "BroadcastTo" and a != b
    }
    for node in _nodes(one):
        primitive = node["op_type"].removeprefix(_REFERENCE)
        if primitive in stretched:
            before, entries = shapes.get(node["input"][0], []), _entries(*stretched[primitive])
            kept = zip(entries, before, strict=False)
            if len(before) != len(entries) or any(a != b and size != a["ints"][0] for (a, b), size in kept):
                del stretched[primitive]
    for found in stretched.values():
        for a, b in _entries(*found):
            if a != b:
                a["ints"], b["ints"] = [-1], [-1]


def _shapes(model: dict) -> dict[str, list[int]]:
    """The shapes of inputs and of what is computed, by name."""
    shapes = {
        entry["name"]: entry["tensor"][0]["dims"] for graph in _graphs(model) for entry in graph["input"]
    }
    return shapes | {node["name"]: _dims(node) for node in _nodes(model) if node["op_type"] != "Constant"}


def _graphs(model: dict) -> list[dict]:
    return [model["graph"], *model["functions"]]


def _nodes(model: dict) -> list[dict]:
    return [node for graph in _graphs(model) for node in graph["node"]]


def _dims(node: dict) -> list[int]:
    tensors = node["attribute"][0].get("tensors") if node["attribute"] else None
    return tensors[0]["dims"] if tensors else []


def _entries(one: dict, other: dict):
    """Numbers of two tuples, side by side, as (entry, entry)."""
    return list(zip(one.get("values", ()), other.get("values", ()), strict=False))


def _open_one(one: dict, other: dict) -> None:
    """One size of a shape may be left to be computed."""
    differing = [(a, b) for a, b in _entries(one, other) if a != b]
    if len(differing) == 1:
        for entry in differing[0]:
            entry["ints"] = [-1]


def _open_ends(one: dict, other: dict, shape, other_shape) -> None:
    """Ends that stand at the same distance from the end of the axis."""
    for (a, b), size, other_size in zip(_entries(one, other), shape, other_shape, strict=False):
        distance = a["ints"][0] - size
        if a != b and distance == b["ints"][0] - other_size:
            end = distance if distance < 0 else _TO_THE_END
            a["ints"], b["ints"] = [end], [end]
