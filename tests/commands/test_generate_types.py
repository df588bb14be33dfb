# SPDX-License-Identifier: Apache-2.0
"""How the generator of stubs reads docstrings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "generate"))

from typed.docstrings import argument_words, referred, result_words  # noqa: E402
from typed.wording import type_of_words  # noqa: E402


def _type(words: str) -> str | None:
    return type_of_words(words, lambda name: f"<{name}>" if name in ("Tensor", "Cell") else None)


@pytest.mark.parametrize("words", ["", "whatever fits", "Union[int, whatever]", "list[whatever]", "Tensor["])
def test_words_that_are_not_understood(words):
    assert _type(words) is None


@pytest.mark.parametrize(
    "words, kind",
    [
        ("int", "int"),
        ("int, optional", "int"),
        ("Tensor", "<Tensor>"),
        (":class:`mindspore.Tensor`", "<Tensor>"),
        ("Tensors", "<Tensor>"),
        ("Union[int, tuple[int]]", "int | tuple[int, ...]"),
        ("Union(Tensor, tuple(int))", "<Tensor> | tuple[int, ...]"),
        ("Union[None, int, list(int)], optional", "int | list[int] | None"),
        ("Optional[int]", "int | None"),
        ("Tuple[float, int]", "tuple[float, int]"),
        ("int, tuple or list of int", "int | tuple[int, ...] | list[int]"),
        ("list of Tensors", "list[<Tensor>]"),
        ("Union[str, Cell, 'fro', inf]", "str | <Cell> | float"),
        ("Tensor[int32]", "<Tensor>"),
        ("dict[str, Tensor]", "dict[str, <Tensor>]"),
        ("number", "int | float"),
    ],
)
def test_words_as_types(words, kind):
    assert _type(words) == kind


_TEXT = """Adds.

    Args:
        x (Tensor): The first one, whose description
            goes on in another line (Tensor).
        y, z (Union[int, tuple(int)]): Two at once.
        *rest (Tensor): More.

    Inputs:
        - **mask** (Tensor) - Which of them.

    Returns:
        tuple[Tensor], the sums. See `add`.
    """


def test_arguments_of_a_docstring():
    words = argument_words(_TEXT, "Args", "Inputs")
    numbers = "Union[int, tuple(int)]"
    assert words == {"x": "Tensor", "y": numbers, "z": numbers, "rest": "Tensor", "mask": "Tensor"}


def test_result_of_a_docstring():
    assert result_words(_TEXT, "Returns") == "tuple[Tensor]"
    assert result_words("Returns nothing.", "Returns") == ""


def test_references_in_a_docstring():
    assert referred("Smallest elements; see `amax`.") == ["amax"]
