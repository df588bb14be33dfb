# SPDX-License-Identifier: Apache-2.0
"""Tensors inside nested tuples, lists and dicts."""

from __future__ import annotations

from mindspore._c_expression import Tensor


def tensors_in(structure) -> list[Tensor]:
    """Every tensor, in order."""
    if isinstance(structure, Tensor):
        return [structure]
    found: list[Tensor] = []
    _collect(structure, found)
    return found


def _collect(structure, found: list) -> None:
    if isinstance(structure, Tensor):
        found.append(structure)
    elif isinstance(structure, (tuple, list)):
        for part in structure:
            _collect(part, found)
    elif isinstance(structure, dict):
        for part in structure.values():
            _collect(part, found)


def map_tensors(function, structure):
    """The same structure with `function` applied to every tensor."""
    if isinstance(structure, Tensor):
        return function(structure)
    if isinstance(structure, tuple):
        parts = [map_tensors(function, part) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    if isinstance(structure, list):
        return [map_tensors(function, part) for part in structure]
    if isinstance(structure, dict):
        return {key: map_tensors(function, part) for key, part in structure.items()}
    return structure
