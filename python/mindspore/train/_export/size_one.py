# SPDX-License-Identifier: Apache-2.0
"""Networks that do something else where an axis of unknown size has one element."""

from __future__ import annotations

from mindspore import log as logger
from mindspore.train._export.inference_mode import unchanged_parameters
from mindspore.train._export.open_inputs import described_inputs, filled_inputs
from mindspore.train._export.recording import capture_network

# What only arranges elements may be left out where there is one.
_ARRANGING = {
    *("broadcast_to", "cast", "copy", "expand_dims", "flatten", "identity", "index_view", "reshape"),
    *("slice", "squeeze", "strided_view", "tile", "transpose", "where"),
}


def warn_if_one_differs(net, inputs: tuple, size: int) -> None:
    """Says that the file is not right for axes of one element, where that is so.

    Such axes are often asked for (``if x.shape[0] == 1``), and files are written for larger ones.

    Args:
        net (Union[Cell, function]): The network.
        inputs (tuple): Its inputs.
        size (int): What was tried instead.
    """
    shapes = described_inputs(net, inputs)
    try:
        with unchanged_parameters(net):
            networks = [
                capture_network(net, filled_inputs(shapes, lambda *_, s=s: s))  # noqa: B023
                for s in (1, size)
            ]
    except (RuntimeError, TypeError, ValueError):
        return  # it takes no such input
    one, other = map(_computing, networks)
    if one != other:
        changed = next((a or b for a, b in zip(one + [None], other + [None], strict=False) if a != b), None)
        logger.warning(
            f"'{networks[0].name}' computes something else if axes of unknown size have one element (the "
            f"first operator that differs is '{changed}'): the exported file has what it computes with more. "
            "Export it with all sizes for such inputs."
        )


def _computing(network) -> list[str]:
    """Operators that compute, in order."""
    return [name for name in network.operators if name not in _ARRANGING]
