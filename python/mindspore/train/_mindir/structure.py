# SPDX-License-Identifier: Apache-2.0
"""Which graph lies in which, in what order nodes are computed, and which calls end a graph."""

from __future__ import annotations

from mindspore.train._mindir.errors import refuse
from mindspore.train._mindir.graph import Graph, GraphValue, Node, Slot
from mindspore.train._mindir.program import Program, Step, compile_operand

_DEEPEST = 200  # graphs around a graph


def arrange(graphs: list[Graph]) -> None:
    """Finds parents and programs of all graphs."""
    _find_free_slots(graphs)
    _find_parents(graphs)
    captured = {slot for graph in graphs for slot in graph.free}
    for graph in graphs:
        graph.program = _program_of(graph, captured)


def _operands(node: Node):
    yield node.callee
    yield from node.operands


def _all_operands(graph: Graph):
    for node in graph.nodes.values():
        yield from _operands(node)
    yield from graph.outputs


def _find_free_slots(graphs: list[Graph]) -> None:
    users: dict[Graph, set[Graph]] = {graph: set() for graph in graphs}
    for graph in graphs:
        for operand in _all_operands(graph):
            if isinstance(operand, Slot) and operand.graph is not graph:
                graph.free.add(operand)
            elif isinstance(operand, GraphValue) and operand.graph is not graph:
                users[operand.graph].add(graph)
    waiting = list(graphs)
    while waiting:
        graph = waiting.pop()
        for user in users[graph]:
            fresh = {slot for slot in graph.free if slot.graph is not user} - user.free
            if fresh:
                user.free |= fresh
                waiting.append(user)


def _find_parents(graphs: list[Graph]) -> None:
    """The parent of a graph is the innermost of those whose values it needs."""
    around = {graph: {slot.graph for slot in graph.free} for graph in graphs}
    owners = {graph: frozenset(found) for graph, found in around.items()}
    has_changed = True
    while has_changed:
        has_changed = False
        for graph in graphs:
            fresh = set().union(*(around[owner] for owner in around[graph])) - around[graph]
            around[graph] |= fresh
            if len(around[graph]) > _DEEPEST:
                refuse(f"The graph '{graph.name}' lies in more than {_DEEPEST} others.")
            has_changed |= bool(fresh)
    for graph in graphs:
        if graph in around[graph]:
            refuse(f"The graph '{graph.name}' lies in itself.")
        if not around[graph]:
            continue
        graph.parent = max(owners[graph], key=lambda owner: len(around[owner]))
        if not owners[graph] <= around[graph.parent] | {graph.parent}:
            names = ", ".join(sorted(owner.name for owner in owners[graph]))
            refuse(f"The graph '{graph.name}' uses names of {names}, which do not lie in each other.")


class _Order:
    """Nodes of a graph, each after those it needs."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._state: dict[Node, bool] = {}  # False: being visited
        self.nodes: list[Node] = []

    def needs(self, node: Node) -> tuple[list[Node], list[Node]]:
        """Nodes whose values are arguments, and those that functions among the arguments use."""
        direct, through = [], []
        for operand in _operands(node):
            if isinstance(operand, Slot):
                if operand.graph is self._graph and operand.index in self._graph.nodes:
                    direct.append(self._graph.nodes[operand.index])
            elif isinstance(operand, GraphValue):
                through += self._used_by(operand.graph)
        return direct, through

    def _used_by(self, other: Graph) -> list[Node]:
        nodes = self._graph.nodes
        found = [slot.index for slot in other.free if slot.graph is self._graph and slot.index in nodes]
        return [nodes[index] for index in sorted(found)]

    def visit(self, first: Node) -> None:
        """Adds a node and all it needs."""
        if first in self._state:
            return
        self._state[first] = False
        stack = [(first, iter(self._following(first)))]
        while stack:
            node, following = stack[-1]
            for needed, is_direct in following:
                state = self._state.get(needed)
                if state is None:
                    self._state[needed] = False
                    stack.append((needed, iter(self._following(needed))))
                    break
                if state is False and is_direct:
                    refuse(f"The node '{needed.name}' of the graph '{self._graph.name}' needs itself.")
            else:
                stack.pop()
                self._state[node] = True
                self.nodes.append(node)

    def _following(self, node: Node) -> list[tuple[Node, bool]]:
        direct, through = self.needs(node)
        return [(one, True) for one in direct] + [(one, False) for one in through]

    def visit_outputs(self) -> None:
        """Adds everything the result needs."""
        for operand in self._graph.outputs:
            if isinstance(operand, Slot) and operand.graph is self._graph:
                node = self._graph.nodes.get(operand.index)
                if node is not None:
                    self.visit(node)
            elif isinstance(operand, GraphValue):
                for node in self._used_by(operand.graph):
                    self.visit(node)


def _last_call(graph: Graph, order: _Order) -> tuple[Node | None, set[Node]]:
    """The call of a function whose result is the graph's, and what only passes it on."""
    node = _node_of(graph, graph.outputs[0]) if len(graph.outputs) == 1 else None
    while node is not None and node.is_structural and node.callee.value.is_depend and node.operands:
        node = _node_of(graph, node.operands[0])
    if node is None or not isinstance(node.callee, (Slot, GraphValue)):
        return None, set()
    passing = {node}
    for later in order.nodes:
        direct, through = order.needs(later)
        if later is not node and not passing.isdisjoint(direct + through):
            if not later.is_structural:
                return None, set()
            passing.add(later)
    return node, passing - {node}


def _node_of(graph: Graph, operand) -> Node | None:
    is_own = isinstance(operand, Slot) and operand.graph is graph
    return graph.nodes.get(operand.index) if is_own else None


def _program_of(graph: Graph, captured: set[Slot]) -> Program:
    order = _Order(graph)
    order.visit_outputs()
    last, passing = _last_call(graph, order)
    nodes = [node for node in order.nodes if node is not last and node not in passing]
    if last is not None:
        nodes.append(last)
    results = [] if last is not None else graph.outputs
    kept = {slot.index for slot in captured if slot.graph is graph}
    kept |= {slot.index for slot in results if isinstance(slot, Slot) and slot.graph is graph}
    steps: list[Step] = []
    for node in reversed(nodes):
        mine = {one.index for one in _operands(node) if isinstance(one, Slot) and one.graph is graph}
        steps.append(
            Step(
                node.name,
                compile_operand(node.callee, graph),
                tuple(compile_operand(operand, graph) for operand in node.operands),
                node.slot.index,
                tuple(sorted(mine - kept)),
                node is last,
            )
        )
        kept |= mine
    result = tuple(compile_operand(operand, graph) for operand in results)
    return Program(graph, tuple(reversed(steps)), result)
