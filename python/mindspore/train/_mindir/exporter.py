# SPDX-License-Identifier: Apache-2.0
"""Writes a network as a MindIR model."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore.nn.cell import Cell
from mindspore.train._export.inference_mode import unchanged_parameters
from mindspore.train._export.open_inputs import described_inputs, filled_inputs, has_unknown_sizes
from mindspore.train._export.recording import capture_network
from mindspore.train._export.size_one import warn_if_one_differs
from mindspore.version import __version__

# Sizes for axes of unknown size. Small first, as the network runs; larger where windows do not fit. The third
# is the first that the network takes of some even sizes, as what is put around images may depend on that, and
# much larger if it can be: layers that halve images soon make the small ones equal.
_TRIED = ((5, 7, (34, 8)), (61, 67, (68,)))


def written_network(net, inputs: tuple, input_names: list[str]) -> _c.WrittenMindir:
    """The network's forward pass as a model, which gives its message when it is told where the weights are.

    Raises:
        RuntimeError: The network cannot be written as one graph, or what it does depends on a size that was
            left open.
        TypeError: An operator has no primitive; the text names it and the user's line.
        ValueError: The network uses a parameter that does not belong to it.
    """
    if not has_unknown_sizes(net, inputs):
        return _written(net, inputs, input_names)
    failure: Exception | None = None
    for first, second, even in _TRIED:
        try:
            models = [_for_size(net, inputs, input_names, sizes) for sizes in ((first,), (second,), even)]
        except ValueError as error:
            failure = error
        else:
            warn_if_one_differs(net, inputs, first)
            return _c.mindir_for_all_sizes(models)
    raise failure


def _for_size(net, inputs: tuple, input_names: list[str], sizes: tuple[int, ...]) -> _c.WrittenMindir:
    """For the first of some sizes that the network takes."""
    size, *others = sizes
    filled = filled_inputs(described_inputs(net, inputs), lambda number, axis: size)
    try:
        return _written(net, filled, input_names, is_for_all_sizes=True)
    except ValueError:
        if not others:
            raise
        return _for_size(net, inputs, input_names, tuple(others))


def _written(net, inputs: tuple, input_names: list[str], is_for_all_sizes: bool = False) -> _c.WrittenMindir:
    with unchanged_parameters(net):
        network = capture_network(net, inputs)
    own = {parameter.name for parameter in net.get_parameters()} if isinstance(net, Cell) else None
    return _c.write_mindir(network, input_names, own, is_for_all_sizes, __version__.partition("+")[0])
