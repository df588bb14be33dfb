# SPDX-License-Identifier: Apache-2.0
"""Finds loops among graphs that call each other: a graph that is called again where a turn ends."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mindspore.train._mindir.graph import Constant, Graph, GraphValue, Node, Operand, Slot

_CHANGES = -1  # the argument is not always the same one of the head's
_SWITCHES = ("Switch", "switch")
_PARTIALS = ("Partial", "partial")


@dataclass(frozen=True)
class LoopHead:
    """A graph that every turn of a loop begins with.

    Attributes:
        graph (Graph): The graph.
        is_asking (bool): It ends with the choice between a turn and the end of the loop; otherwise the turn
            itself finds out.
        turn_if (bool): The answer for which there is a turn.
        varying (tuple[int]): Its arguments that a turn may change.
    """

    graph: Graph
    is_asking: bool
    turn_if: bool
    varying: tuple[int, ...]


def head_of(graph: Graph, around: Collection[Graph]) -> LoopHead | None:
    """The loop that begins with a graph, or None.

    Args:
        graph (Graph): The graph.
        around (Collection[Graph]): Heads of the loops in whose turns it is called.
    """
    inside = _reached(_used(graph), around)
    if graph not in inside:
        return None
    varying = _varying(graph, inside)
    branches = _branches(graph)
    if branches is not None:
        returning = [graph in _reached([branch], around) for branch in branches]
        if returning[0] != returning[1]:
            return LoopHead(graph, True, returning[0], varying)
    return LoopHead(graph, False, True, varying)


def _operands(graph: Graph) -> Iterator[Operand]:
    for node in graph.nodes.values():
        yield node.callee
        yield from node.operands
    yield from graph.outputs


def _used(graph: Graph) -> list[Graph]:
    return [operand.graph for operand in _operands(graph) if isinstance(operand, GraphValue)]


def _reached(first: list[Graph], around: Collection[Graph]) -> set[Graph]:
    """Graphs that may be called, without those that only the loops around call again."""
    found: set[Graph] = set()
    waiting = list(first)
    while waiting:
        graph = waiting.pop()
        if graph not in found and graph not in around:
            found.add(graph)
            waiting += _used(graph)
    return found


def _is_call_of(node: Node | None, names: tuple[str, ...]) -> bool:
    return (
        node is not None
        and isinstance(node.callee, Constant)
        and getattr(node.callee.value, "name", None) in names
    )


def _node(graph: Graph, operand: Operand) -> Node | None:
    is_own = isinstance(operand, Slot) and operand.graph is graph
    return graph.nodes.get(operand.index) if is_own else None


def _branches(graph: Graph) -> list[Graph] | None:
    """The graphs between which the last call of a graph chooses."""
    steps = graph.program.steps
    if len(steps) < 2 or not steps[-1].is_last:
        return None
    switch = graph.nodes.get(steps[-2].slot)
    if not _is_call_of(switch, _SWITCHES) or graph.nodes[steps[-1].slot].callee is not switch.slot:
        return None
    found = []
    for operand in switch.operands[1:3]:
        partial = _node(graph, operand)
        if _is_call_of(partial, _PARTIALS):
            operand = partial.operands[0]
        if not isinstance(operand, GraphValue):
            return None
        found.append(operand.graph)
    return found


# ---- what changes ---------------------------------------------------------------------------------------


def _varying(head: Graph, inside: set[Graph]) -> tuple[int, ...]:
    """Arguments of the head that are not passed on unchanged by every call of it from inside the loop."""
    # For every argument of a graph, the argument of the head that it always is; absent: not known yet.
    origins: dict[tuple[Graph, int], int] = {(head, i): i for i in range(len(head.inputs))}
    back: set[int] = set()
    has_changed = True
    while has_changed:
        has_changed = False
        for graph in inside:
            for target, place, operand in _arguments(graph):
                if target not in inside:
                    continue
                origin = _origin(operand, origins)
                if target is head:
                    if origin not in (place, None):
                        back.add(place)
                    continue
                before = origins.get((target, place))
                after = origin if before in (None, origin) else _CHANGES
                if origin is not None and after != before:
                    origins[target, place] = after
                    has_changed = True
    return tuple(sorted(back))


def _origin(operand: Operand | None, origins: dict[tuple[Graph, int], int]) -> int | None:
    """The argument of the head that an operand is; None while that is not known."""
    if not isinstance(operand, Slot) or operand.index >= len(operand.graph.inputs):
        return _CHANGES
    return origins.get((operand.graph, operand.index))


def _arguments(graph: Graph) -> Iterator[tuple[Graph, int, Operand | None]]:
    """(graph, which argument, what is given), for all graphs that a graph mentions; None: not known."""
    for node in graph.nodes.values():
        targets: list[tuple[Graph, list]] = []
        if isinstance(node.callee, GraphValue):
            targets.append((node.callee.graph, node.operands))
        first, *rest = node.operands or [None]
        is_partial = _is_call_of(node, _PARTIALS)
        if is_partial and isinstance(first, GraphValue):
            targets.append((first.graph, rest))
        others = rest if is_partial else node.operands
        targets += [(one.graph, []) for one in others if isinstance(one, GraphValue)]
        for target, given in targets:
            for place in range(len(target.inputs)):
                yield target, place, given[place] if place < len(given) else None
    for operand in graph.outputs:
        if isinstance(operand, GraphValue):
            yield from ((operand.graph, place, None) for place in range(len(operand.graph.inputs)))
