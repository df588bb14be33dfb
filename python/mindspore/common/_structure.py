# SPDX-License-Identifier: Apache-2.0
"""Tensors inside nested tuples, lists, dicts and sparse tensors; how many arguments functions take."""

from __future__ import annotations

import inspect

from mindspore._c_expression import Tensor
from mindspore.common.sparse_tensor import StoredForm


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
    elif isinstance(structure, StoredForm):
        found += structure.tensors()


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
    if isinstance(structure, StoredForm):
        return structure.with_tensors([function(part) for part in structure.tensors()])
    return structure


def argument_counts(signature: inspect.Signature) -> tuple[int, int | None]:
    """(positional arguments that must be given, most that may be, None for any number)."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [parameter for parameter in signature.parameters.values() if parameter.kind in kinds]
    needed = sum(parameter.default is inspect.Parameter.empty for parameter in positional)
    is_open = any(
        parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in signature.parameters.values()
    )
    return needed, None if is_open else len(positional)
