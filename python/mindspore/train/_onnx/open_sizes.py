# SPDX-License-Identifier: Apache-2.0
"""ONNX models of networks whose inputs have axes of unknown size.

The network is written for three sizes. Whole numbers in which the models differ, sizes in shapes or ends of
slices, are explained by the sizes of the inputs from two of them, checked with the third, and computed in the
model; whatever else differs cannot be written for all sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.common._structure import tensors_in
from mindspore.train._export.open_inputs import described_inputs, filled_inputs
from mindspore.train._export.size_one import warn_if_one_differs
from mindspore.train._onnx.model_writer import ModelWriter

# Sizes of the first axis, the second and so on: small first, as the network runs; larger where windows do not
# fit. Each in three models, one of them with an even size: what is put around images may depend on that.
_TRIED = (((5, 7, 12), (13, 17, 20), (23, 29, 32)), ((61, 67, 72), (73, 79, 84), (89, 97, 102)))
_MODELS = 3

Axis = tuple[int, int]  # number of the input, number of the axis


def with_open_sizes(net, inputs: tuple, write: Callable[[tuple], ModelWriter]) -> ModelWriter:
    """A model for all sizes.

    Args:
        net (Union[Cell, function]): The network.
        inputs (tuple): Its inputs.
        write (Callable): Writes the network for inputs of certain sizes.

    Raises:
        RuntimeError: What the network does depends on the size.
    """
    shapes = described_inputs(net, inputs)
    axes = [
        (number, axis)
        for number, tensor in enumerate(tensors_in(shapes))
        for axis, size in enumerate(tensor.shape)
        if size == -1
    ]
    failure: Exception | None = None
    for tried in _TRIED:
        for group in (lambda axis: axis, lambda axis: axis[1], lambda axis: 0):
            groups = list(dict.fromkeys(map(group, axes)))
            if len(groups) > len(tried):
                continue
            sizes = {axis: tried[groups.index(group(axis))] for axis in axes}
            try:
                models = [
                    write(filled_inputs(shapes, lambda *axis, i=i, sizes=sizes: sizes[axis][i]))
                    for i in range(_MODELS)
                ]
            except ValueError as error:
                failure = error
            else:
                merged = _Merger(models, sizes).merged()
                warn_if_one_differs(net, inputs, sizes[axes[0]][0])
                return merged
    raise failure


class _Merger:
    """Makes the first of some models one for all sizes.

    Args:
        models (list[ModelWriter]): The models.
        sizes (dict): For each axis of unknown size, its size in every model.
    """

    def __init__(self, models: list[ModelWriter], sizes: dict[Axis, tuple[int, ...]]):
        self._models, self._model = models, models[0]
        first: dict[tuple[int, ...], Axis] = {}
        for axis, given in sizes.items():
            first.setdefault(given, axis)
        self._axes = first
        self._names = {given: self._axis_name(axis) for given, axis in first.items()}
        self._made: list[dict] = []  # nodes that compute sizes
        self._computed: dict[tuple, str] = {}

    def _axis_name(self, axis: Axis) -> str:
        return f"{self._model.inputs[axis[0]]['name']}_{axis[1]}"

    def merged(self) -> ModelWriter:
        """The first model, for all sizes."""
        self._merge_nodes([model.nodes for model in self._models])
        self._open_types([[model.inputs, model.outputs] for model in self._models])
        initializers = [model.initializers for model in self._models]
        if len({len(one) for one in initializers}) > 1:
            self._refuse("the number of its constants")
        replaced: dict[str, str] = {}
        for i, (name, tensor) in enumerate(list(self._model.initializers)):
            tensors = [one[i][1] for one in initializers]
            if any(one is not tensor and not _is_same(one, tensor) for one in tensors):
                replaced[name] = self._computed_numbers(name, tensors)
        for node in _every_node(self._model.nodes):
            node["input"] = [replaced.get(name, name) for name in node["input"]]
        count = len(self._made)
        self._model.nodes[:] = (
            [*self._model.nodes[-count:], *self._model.nodes[:-count]] if count else (self._model.nodes)
        )
        return self._model

    def _merge_nodes(self, lists: list[list[dict]]) -> None:
        """Nodes must be the same; sizes in types of graphs inside them are opened."""
        for nodes in itertools.zip_longest(*lists):
            if any(node is None for node in nodes):
                self._refuse("the number of its operators")
            graphs = [_graphs_in(node) for node in nodes]
            plain = [
                {**node, "attribute": [entry for entry in node.get("attribute", ()) if "g" not in entry]}
                for node in nodes
            ]
            if any(node != plain[0] for node in plain) or len(set(map(len, graphs))) > 1:
                self._refuse(f"what '{nodes[0]['op_type']}' does")
            for inner in zip(*graphs, strict=True):
                self._merge_nodes([graph["node"] for graph in inner])
                self._open_types([[graph.get("input", []), graph["output"]] for graph in inner])

    def _refuse(self, what: str):
        raise RuntimeError(
            f"'{self._model.network.name}' cannot be exported for inputs of unknown size: {what} depends on "
            "the size. Give inputs with all sizes."
        )

    # ---- numbers that follow from sizes ------------------------------------------------------------------

    def _computed_numbers(self, name: str, tensors: list) -> str:
        """The name of what computes a list of whole numbers."""
        readers = [node for node in _every_node(self._model.nodes) if name in node["input"]]
        what = f"a value that '{readers[0]['op_type']}' uses" if readers else "a value"
        shapes = {tuple(tensor.shape) for tensor in tensors}
        if len(shapes) > 1 or tensors[0].dtype != mstype.int64 or tensors[0].ndim > 1:
            self._refuse(what)
        rows = list(zip(*(tensor.asnumpy().reshape(-1).tolist() for tensor in tensors), strict=True))
        differing = [row for row in rows if len(set(row)) > 1]
        is_shape = all(node["op_type"] == "Reshape" and node["input"][1] == name for node in readers)
        if is_shape and len(differing) == 1 and all(row[0] >= 0 for row in rows):
            opened = [-1 if row is differing[0] else row[0] for row in rows]
            return self._model.constant(np.array(opened, np.int64))
        parts = [self._number(row, what) for row in rows]
        whole = self._add("Concat", *parts, axis=0) if len(parts) > 1 else parts[0]
        return whole if tensors[0].ndim else self._add("Squeeze", whole)

    def _number(self, row: tuple[int, ...], what: str) -> str:
        """The name of a list of one number, which has some value in every model."""
        if len(set(row)) == 1:
            return self._model.constant(np.array(row[:1], np.int64))
        if row in self._computed:
            return self._computed[row]
        found = self._explained(row)
        if found is None:
            self._refuse(what)
        axes, factor, rest = found
        made = self._size(axes[0])
        for axis in axes[1:]:
            made = self._add("Mul", made, self._size(axis))
        if factor != 1:
            made = self._add("Mul", made, self._model.constant(np.array([factor], np.int64)))
        if rest:
            made = self._add("Add", made, self._model.constant(np.array([rest], np.int64)))
        self._computed[row] = made
        return made

    def _explained(self, row: tuple[int, ...]) -> tuple[list, int, int] | None:
        """Sizes whose product, times a factor and plus a rest, is the number; no rest is better."""
        found = []
        for count in range(1, len(self._axes) + 1):
            for axes in itertools.combinations(self._axes, count):
                products = [int(np.prod([sizes[i] for sizes in axes])) for i in range(_MODELS)]
                factor, left = divmod(row[1] - row[0], products[1] - products[0])
                rest = row[0] - factor * products[0]
                if left == 0 and row[2] == factor * products[2] + rest:
                    found.append((list(axes), factor, rest))
        return min(found, key=lambda entry: (entry[2] != 0, len(entry[0])), default=None)

    def _size(self, sizes: tuple[int, ...]) -> str:
        """The size of an axis of an input, as a list of one number."""
        if sizes not in self._computed:
            number, axis = self._axes[sizes]
            shape = self._add("Shape", self._model.inputs[number]["name"])
            index = self._model.constant(np.array([axis], np.int64))
            self._computed[sizes] = self._add("Gather", shape, index, axis=0)
        return self._computed[sizes]

    def _add(self, kind: str, *inputs: str, **attributes) -> str:
        name = self._model.add_one(kind, *inputs, **attributes)
        self._made.append(self._model.nodes[-1])
        return name

    # ---- types -------------------------------------------------------------------------------------------

    def _open_types(self, graphs: list[list[list[dict]]]) -> None:
        """Sizes of inputs and outputs of a graph, which is given from every model, get names."""
        for kinds in zip(*graphs, strict=True):
            for values in zip(*kinds, strict=True):
                described = [value["type"]["tensor_type"]["shape"]["dim"] for value in values]
                for axis, dims in enumerate(zip(*described, strict=True)):
                    sizes = tuple(dim["dim_value"] for dim in dims)
                    if len(set(sizes)) > 1:
                        name = self._names.get(sizes, f"{values[0]['name']}_{axis}")
                        described[0][axis] = {"dim_param": name}


def _graphs_in(node: dict) -> list[dict]:
    return [entry["g"] for entry in node.get("attribute", ()) if "g" in entry]


def _every_node(nodes: list[dict]) -> list[dict]:
    """Nodes, and those in graphs inside them."""
    inner = [graph["node"] for node in nodes for graph in _graphs_in(node)]
    return [*nodes, *(node for each in inner for node in _every_node(each))]


def _is_same(one, other) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.get_bytes() == other.get_bytes()
