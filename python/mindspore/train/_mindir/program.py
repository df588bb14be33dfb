# SPDX-License-Identifier: Apache-2.0
"""Graphs in the form the interpreter runs."""

from __future__ import annotations

from typing import NamedTuple

from mindspore.train._mindir.errors import refuse
from mindspore.train._mindir.graph import Constant, Graph, GraphValue, ParameterOf, Slot

# Kinds of sources: (kind, first, second).
CONSTANT = 0  # the value
LOCAL = 1  # number of the slot
OUTER = 2  # how many frames up, number of the slot
CLOSURE = 3  # the graph, how many frames up its parent's frame is; -1: it needs none
PARAMETER = 4  # number of the parameter


class Step(NamedTuple):
    """A call: what is called with what, where the result goes, which slots are not needed afterwards."""

    name: str
    callee: tuple
    operands: tuple
    slot: int
    released: tuple
    is_last: bool  # the result is the graph's


class Program:
    """Steps of a graph and where its result is; no result: the last step gives it."""

    __slots__ = ("graph", "input_count", "is_tuple", "name", "result", "size", "steps")

    def __init__(self, graph: Graph, steps: tuple, result: tuple):
        self.graph, self.name, self.steps, self.result = graph, graph.name, steps, result
        self.size, self.input_count = graph.size, len(graph.inputs)
        self.is_tuple = len(result) > 1


def _distance(graph: Graph, outer: Graph) -> int:
    """How many frames up the frame of a graph around is."""
    distance, around = 0, graph
    while around is not outer:
        around = around.parent
        distance += 1
        if around is None:
            refuse(f"The graph '{graph.name}' uses names of '{outer.name}', in which it does not lie.")
    return distance


def compile_operand(operand, graph: Graph) -> tuple:
    """The source of an operand as seen from a graph."""
    if isinstance(operand, Constant):
        return (CONSTANT, operand.value, None)
    if isinstance(operand, ParameterOf):
        return (PARAMETER, operand.index, None)
    if isinstance(operand, GraphValue):
        parent = operand.graph.parent
        return (CLOSURE, operand.graph, -1 if parent is None else _distance(graph, parent))
    if isinstance(operand, Slot) and operand.graph is graph:
        return (LOCAL, operand.index, None)
    return (OUTER, _distance(graph, operand.graph), operand.index)
