# SPDX-License-Identifier: Apache-2.0
"""Writes a network as an ONNX model."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore.common._structure import tensors_in
from mindspore.train._export.inference_mode import unchanged_parameters
from mindspore.train._export.open_inputs import described_inputs, filled_inputs, has_unknown_sizes
from mindspore.train._export.recording import capture_network
from mindspore.train._export.size_one import warn_if_one_differs
from mindspore.version import __version__

# Sizes of the first axis, the second and so on: small first, as the network runs; larger where windows do not
# fit. Each in three models, one of them with an even size: what is put around images may depend on that.
_TRIED = (((5, 7, 12), (13, 17, 20), (23, 29, 32)), ((61, 67, 72), (73, 79, 84), (89, 97, 102)))
_MODELS = 3


def written_network(net, inputs: tuple, input_names: list[str]) -> _c.WrittenOnnx:
    """The network's forward pass as a model, which gives its message when it is told where the weights are.

    Raises:
        RuntimeError: The network cannot be written as one graph, or what it does depends on a size that was
            left open.
        TypeError: An operator has no counterpart in ONNX; the text names it and the user's line.
    """
    if not has_unknown_sizes(net, inputs):
        return _written(net, inputs, input_names)
    shapes = described_inputs(net, inputs)
    axes = [
        (number, axis)
        for number, tensor in enumerate(tensors_in(shapes))
        for axis, size in enumerate(tensor.shape)
        if size == -1
    ]
    failure: Exception | None = None
    for sizes in _sizes_to_try(axes):
        try:
            models = [
                _written(
                    net,
                    filled_inputs(shapes, lambda *axis, i=i, sizes=sizes: sizes[axis][i]),
                    input_names,
                    is_for_all_sizes=True,
                )
                for i in range(_MODELS)
            ]
        except ValueError as error:
            failure = error
        else:
            merged = _c.onnx_for_all_sizes(models, [(*axis, tried) for axis, tried in sizes.items()])
            warn_if_one_differs(net, inputs, sizes[axes[0]][0])
            return merged
    raise failure


def _sizes_to_try(axes: list[tuple[int, int]]):
    """Sizes for the axes: each its own, one per position of the axis, or the same for all."""
    for tried in _TRIED:
        for group in (lambda axis: axis, lambda axis: axis[1], lambda axis: 0):
            groups = list(dict.fromkeys(map(group, axes)))
            if len(groups) <= len(tried):
                yield {axis: tried[groups.index(group(axis))] for axis in axes}


def _written(net, inputs: tuple, input_names: list[str], is_for_all_sizes: bool = False) -> _c.WrittenOnnx:
    with unchanged_parameters(net):
        network = capture_network(net, inputs)
    return _c.write_onnx(network, input_names, is_for_all_sizes, __version__)
