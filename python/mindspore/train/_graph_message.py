# SPDX-License-Identifier: Apache-2.0
"""Description of a network in the form of the graph messages of event and ``.meta`` files."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.train import _protobuf as pb
from mindspore.train._export.atomic_file import atomic_file

_VERSION_FIELD, _GRAPH_FIELD = 1, 4
DATA_TYPES = {
    mstype.bool_: 1,
    mstype.int8: 2,
    mstype.int16: 3,
    mstype.int32: 4,
    mstype.int64: 5,
    mstype.uint8: 6,
    mstype.uint16: 7,
    mstype.uint32: 8,
    mstype.uint64: 9,
    mstype.float16: 10,
    mstype.float32: 11,
    mstype.float64: 12,
    mstype.complex64: 43,
    mstype.complex128: 44,
    mstype.bfloat16: 46,
}
_TENSOR = 14


def _tensor_type(dtype, shape) -> bytes:
    dimensions = b"".join(pb.block(1, pb.integer(1, length)) for length in shape)
    tensor = pb.integer(1, DATA_TYPES.get(dtype, 0)) + (pb.block(2, dimensions) if shape else b"")
    return pb.integer(1, _TENSOR) + pb.block(2, tensor)


def graph_message(network) -> bytes:
    """A graph of the parameters of a network and its cells, without the steps of the computation.

    Args:
        network (Cell): The network.

    Returns:
        bytes, a GraphProto: a node for each cell, named by its path, fed by its own parameters.
    """
    parts = []
    for path, cell in network.cells_and_names():
        inputs = b"".join(pb.block(1, pb.block(1, p.name)) for p in cell.get_parameters(expand=False))
        node = inputs + pb.block(2, path or type(network).__name__) + pb.block(3, type(cell).__name__)
        scope = "Default" + ("/" + path.replace(".", "/") if path else "")
        parts.append(pb.block(1, node + pb.block(4, scope) + pb.block(8, f"{scope}/{type(cell).__name__}")))
    parts.append(pb.block(2, type(network).__name__))
    for parameter in network.get_parameters():
        entry = pb.block(1, parameter.name) + pb.block(2, _tensor_type(parameter.dtype, parameter.shape))
        parts.append(pb.block(3, entry))
    return b"".join(parts)


def write_graph_file(network, file_name) -> None:
    """Writes the description as a ``.meta`` file that only its owner may read.

    Args:
        network (Cell): The network.
        file_name (str): The file.
    """
    content = pb.integer(_VERSION_FIELD, 1) + pb.block(_GRAPH_FIELD, graph_message(network))
    with atomic_file(file_name) as file:
        file.write(content)
