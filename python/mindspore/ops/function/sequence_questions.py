# SPDX-License-Identifier: Apache-2.0
"""What a function that is being compiled knows about a sequence, as `mindspore.ops.functional` has it."""

from __future__ import annotations

from mindspore.common.mutable import has_open_length
from mindspore.ops.function.values import isconstant

__all__ = ["is_dynamic_sequence_element_unknown", "is_sequence_shape_unknown", "is_sequence_value_unknown"]


def _check(name: str, sequence: object) -> None:
    if not isinstance(sequence, (tuple, list)):
        raise TypeError(
            f"For '{name}', the input must be a tuple or list, but got {type(sequence).__name__}."
        )


def is_sequence_value_unknown(sequence: tuple | list) -> bool:
    """Whether an element may be another one in another call of the compiled function."""
    _check("is_sequence_value_unknown", sequence)
    return has_open_length(sequence) or not isconstant(sequence)


def is_sequence_shape_unknown(sequence: tuple | list) -> bool:
    """Whether the length may be another one: `mutable` has said so, here or of what it was computed from."""
    _check("is_sequence_shape_unknown", sequence)
    return has_open_length(sequence)


def is_dynamic_sequence_element_unknown(sequence: tuple | list) -> bool:
    """Whether nothing tells the type of the elements: the length may change, and there is none yet.

    Raises:
        TypeError: The length of the sequence cannot change.
    """
    _check("is_dynamic_sequence_element_unknown", sequence)
    if not has_open_length(sequence):
        raise TypeError(
            "For 'is_dynamic_sequence_element_unknown', the input should be variable length sequence: "
            "mutable(sequence, dynamic_len=True) makes one."
        )
    return not sequence
