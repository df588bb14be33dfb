# SPDX-License-Identifier: Apache-2.0
"""Docstrings that are completed by what a family says, and properties of one line."""

from __future__ import annotations

import inspect

import pytest

from mindspore._kept import Kept
from mindspore._wording import Wording

FAMILY = Wording(
    """
    Args:
        rate (float): How fast.
        name (str): Its name.
        step (int): Number of the step.

    Inputs:
        - **x** (Tensor) - Data.
        - **y** (Tensor) - Labels.

    Raises:
        ValueError: Something is out of range.
    """,
    clear="Forgets everything.",
)


@FAMILY
class Member:
    """What it does.

    Args:
        depth (int): How deep.
    """

    def __init__(self, depth, rate=0.5, *, name="member"):
        self._depth = depth

    depth = Kept("int", "How deep.")

    def clear(self):
        pass

    def move(self, step=1):
        """Moves on."""

    def turn(self, step, angle):
        """Turns."""

    def construct(self, x):
        return x


def test_the_docstring_follows_the_signature():
    assert Member.__doc__.splitlines() == [
        "What it does.",
        "",
        "Args:",
        "    depth (int): How deep.",
        "    rate (float): How fast. Default: ``0.5``.",
        "",
        "Keyword Args:",
        '    name (str): Its name. Default: ``"member"``.',
        "",
        "Inputs:",
        "    - **x** (Tensor) - Data.",
        "",
        "Raises:",
        "    ValueError: Something is out of range.",
    ]
    assert inspect.getdoc(Member(1)) == Member.__doc__


def test_methods_are_explained_if_all_arguments_are():
    assert Member.clear.__doc__ == "Forgets everything."
    assert Member.move.__doc__ == "Moves on.\n\nArgs:\n    step (int): Number of the step. Default: ``1``."
    assert Member.turn.__doc__ == "Turns."


def test_sections_of_the_member_go_first():
    @FAMILY
    class Other(Member):
        """Another.

        Args:
            rate (float): How often.
            depth (int): How deep.

        Raises:
            TypeError: Always.
        """

    assert "How often. Default: ``0.5``." in Other.__doc__ and "How fast" not in Other.__doc__
    assert "TypeError" in Other.__doc__ and "ValueError" not in Other.__doc__


def test_a_class_derived_from_a_member_has_no_docstring_of_it():
    class Derived(Member):
        pass

    assert Derived.__doc__ is None


def test_functions_are_completed():
    @Wording("Args:\n    step (int): Number of the step.")
    def moved(step=1):
        """Moves."""

    assert moved.__doc__ == "Moves.\n\nArgs:\n    step (int): Number of the step. Default: ``1``."


def test_an_argument_that_nobody_explains_is_an_error():
    @FAMILY
    class Silent:
        """Says nothing."""

        def __init__(self, unknown):
            pass

    with pytest.raises(KeyError, match="unknown"):
        str(Silent.__doc__)


def test_what_is_kept_can_be_read_only():
    member = Member(3)
    assert member.depth == 3 and Member.depth.__doc__ == "How deep."
    with pytest.raises(AttributeError):
        member.depth = 4
