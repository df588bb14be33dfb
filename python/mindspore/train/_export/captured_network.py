# SPDX-License-Identifier: Apache-2.0
"""A network's forward pass as graphs, for writers of model files: straight ones, decisions and loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from mindspore.common.tensor import Tensor

Value = tuple[int, int]  # the node's number, which of its outputs


@dataclass
class Node:
    """An argument, a constant, a parameter, an operator or a loop."""

    kind: str
    id: int
    name: str  # of the operator, the parameter or the argument
    operands: list[Value | None]
    attributes: dict
    types: list[tuple]  # (dtype, shape) of each output
    tensor: Tensor | None = None
    is_number: bool = False
    file: str = ""
    line: int = 0
    loop: Loop | None = None

    @property
    def dtype(self):
        """Of the first output."""
        return self.types[0][0]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the first output."""
        return self.types[0][1]

    def place(self) -> str:
        """The user's line, for messages."""
        return f"{self.file}:{self.line}" if self.file else "an unknown line"

    def pass_on(self) -> None:
        """Turns a node that marks a tensor into one that passes it on."""
        self.name, self.operands = "identity", self.operands[1:2]


@dataclass
class CapturedNetwork:
    """A straight graph; results stand in the order of the tensors the network returned."""

    name: str
    arguments: list[Node]  # one per tensor of the inputs; in a loop, one per variable
    nodes: list[Node]  # constants, parameters, operators and loops, each after what it uses
    results: list[Value]
    by_id: dict[int, Node] = field(default_factory=dict)
    outer: list[Value] = field(default_factory=list)  # values of the graphs around that it uses

    def node(self, value: Value) -> Node:
        """What computes a value."""
        return self.by_id[value[0]]

    def type_of(self, value: Value) -> tuple:
        """(dtype, shape) of a value."""
        return self.by_id[value[0]].types[value[1]]

    def loops(self) -> list[Loop]:
        """The loops that stand in this graph."""
        return [node.loop for node in self.nodes if node.loop is not None]


@dataclass
class Way:
    """What a network, or a piece of it, does after some answers: it returns, or asks the next question."""

    network: CapturedNetwork
    results: list[Value]
    question: Value | None = None
    if_true: Way | None = None
    if_false: Way | None = None

    def ways(self) -> list[Way]:
        """This way and all that go on from it, loops not looked into."""
        further = [] if self.question is None else [*self.if_true.ways(), *self.if_false.ways()]
        return [self, *further]

    def networks(self) -> list[CapturedNetwork]:
        """Every graph, those of loops too."""
        found: list[CapturedNetwork] = []
        for way in self.ways():
            found.append(way.network)
            for loop in way.network.loops():
                found += loop.networks()
        return found

    def leaves(self) -> list[Way]:
        """The ways that return."""
        return [way for way in self.ways() if way.question is None]

    def types(self) -> list[tuple]:
        """(dtype, shape) of what is returned."""
        leaf = self.leaves()[0]
        return [leaf.network.type_of(value) for value in leaf.results]


@dataclass
class Loop:
    """Turns that are made as long as a condition holds.

    Attributes:
        condition (Way): From the variables to a mask without axes; None: one turn is made, which has no
            variables but uses what stands around.
        body (Way): From the variables before a turn to those after it.
        begins (list[Value]): Variables before the first turn, in the graph around.
        starts (list[Value]): Variables before a turn, the arguments of both.
        ends (list[Value]): Variables after the last turn, in the graph around.
    """

    condition: Way | None
    body: Way
    begins: list[Value]
    starts: list[Value]
    ends: list[Value]

    def networks(self) -> list[CapturedNetwork]:
        """Every graph of it."""
        ways = [self.body] if self.condition is None else [self.condition, self.body]
        return [network for way in ways for network in way.networks()]


class DependsOnValuesError(RuntimeError):
    """A network does one thing or another, as values it computes are."""
