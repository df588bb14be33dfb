# SPDX-License-Identifier: Apache-2.0
"""Which objects may be made while a graph is recorded."""

from __future__ import annotations

import sys

from mindspore import _c_expression as _c


def _is_part_of_something() -> bool:
    """Whether the package itself, or an ``__init__`` inside the recorded function, makes the object."""
    frame = sys._getframe(3)
    if frame.f_globals.get("__name__", "").startswith("mindspore."):
        return True
    while frame is not None and frame.f_globals.get("__name__") != "mindspore._capture.function":
        if frame.f_code.co_name == "__init__":
            return True
        frame = frame.f_back
    return False


def refuse_in_graph(name: str) -> None:
    """Raises a ValueError if the object under construction belongs into ``__init__``, not into a graph.

    Args:
        name (str): Its class, with the module.
    """
    if _c.is_capturing() and not _is_part_of_something():
        raise ValueError(
            f"Failed to compile in GRAPH_MODE because creating class '{name}' instances is not supported in "
            "'construct' or @jit decorated function. Every call would make a new one: create it in "
            "'__init__', or outside the function."
        )
