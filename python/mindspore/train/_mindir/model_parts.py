# SPDX-License-Identifier: Apache-2.0
"""MindIR models in parts: ``net_graph.mindir`` and the folder ``net_variables`` instead of ``net.mindir``."""

from __future__ import annotations

import contextlib
import os

from mindspore import _c_expression as _c
from mindspore.train._export.atomic_file import DataFiles, remove

FRONT_BYTES = 64  # what stands in front of the first weight of a data file


def front_of_data(byte_order: str) -> bytes:
    """What a data file begins with."""
    return bytes([byte_order == "little"]).ljust(FRONT_BYTES, b"\0")


class ModelInParts:
    """The files of a model in parts.

    Args:
        path (str): The file that it would be if it were smaller.
    """

    def __init__(self, path: str):
        stem = path.removesuffix(".mindir")
        self.graph, self.folder = f"{stem}_graph.mindir", f"{stem}_variables"

    def data_files(self) -> DataFiles:
        """New data files; older ones go when the graph that refers to the new ones is in place."""
        return DataFiles(self.folder, lambda number: f"data_{number}", r"data_\d+", _is_data)

    @contextlib.contextmanager
    def replaced(self):
        """The one file is put in place in this block; after it, the parts of the model before are removed.

        They stay if the graph is encrypted, or another model of that name: then it may need the data.
        """
        has_graph = os.path.lexists(self.graph)
        if not os.path.isdir(self.folder) or (has_graph and not self._is_graph_of_folder()):
            yield
            return
        with self.data_files():
            yield
            remove(self.graph)
        with contextlib.suppress(OSError):  # there is more in it
            os.rmdir(self.folder)

    def _is_graph_of_folder(self) -> bool:
        """Whether the graph refers to data of the folder."""
        try:
            with open(self.graph, "rb") as file:
                graph = _c.decode_message("mindir", file.read(), self.graph).get("graph", {})
        except (OSError, ValueError, RuntimeError):
            return False
        places = [tensor.get("external_data", {}) for tensor in graph.get("parameter", [])]
        start = os.path.basename(self.folder) + "/"
        return bool(places) and all(place.get("location", "").startswith(start) for place in places)


def _is_data(path: str) -> bool:
    """Whether a file begins as data files do, encrypted or not."""
    try:
        with open(path, "rb") as file:
            start = file.read(FRONT_BYTES)
    except OSError:
        return False
    is_plain = start[:FRONT_BYTES] in (front_of_data("little"), front_of_data("big"))
    return is_plain or _c.starts_with_envelope(start)
