# SPDX-License-Identifier: Apache-2.0
"""What a loaded network consists of: graphs, their nodes, and where values come from."""

from __future__ import annotations

from dataclasses import dataclass, field


class Operand:
    """Where a value comes from; one of the classes below."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Constant(Operand):
    """A value of the file, or a primitive."""

    __slots__ = ("value",)
    value: object


@dataclass(frozen=True, eq=False)
class ParameterOf(Operand):
    """A parameter, by its number."""

    __slots__ = ("index",)
    index: int


@dataclass(frozen=True, eq=False)
class Slot(Operand):
    """An input or a node's result of a graph.

    Attributes:
        graph (Graph): The graph.
        index (int): Number in its frames.
    """

    __slots__ = ("graph", "index")
    graph: Graph
    index: int


@dataclass(frozen=True, eq=False)
class GraphValue(Operand):
    """A graph used as a function."""

    __slots__ = ("graph",)
    graph: Graph


@dataclass(eq=False)
class Node:
    """A call.

    Attributes:
        name (str): Name in the file.
        callee (Operand): What is called.
        operands (list): Arguments.
        slot (Slot): Where the result goes.
        is_structural (bool): Passes values on and computes nothing.
    """

    name: str
    callee: Operand
    operands: list
    slot: Slot
    is_structural: bool = False


@dataclass(eq=False)
class Graph:
    """One graph of the file.

    Attributes:
        name (str): Its name.
        inputs (list): What is known of each input.
        nodes (dict): Nodes by the numbers of their slots.
        size (int): How many slots a frame has.
        outputs (list): Operands of the result.
        free (set): Slots of other graphs that it, or a graph it uses, needs.
        parent (Graph): The graph whose frame it needs; None if it needs none.
        program (Program): What the interpreter runs.
    """

    name: str
    inputs: list = field(default_factory=list)
    nodes: dict = field(default_factory=dict)
    size: int = 0
    outputs: list = field(default_factory=list)
    free: set = field(default_factory=set)
    parent: Graph | None = None
    program: object = None

    def new_slot(self) -> Slot:
        """A slot for one more value."""
        slot = Slot(self, self.size)
        self.size += 1
        return slot
