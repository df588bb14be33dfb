# SPDX-License-Identifier: Apache-2.0
"""A recorded graph with branches and loops, as the graphs that writers of files write one by one."""

from __future__ import annotations

from mindspore.train._export.captured_network import CapturedNetwork, Loop, Node, Value, Way


class Regions:
    """Cuts one recording into straight graphs.

    Args:
        name (str): Name of the network.
        arguments (list[Node]): Its arguments.
        nodes (list[dict]): What was recorded, in order.
        chosen (set[Value]): What marks choose by: a mark passes a value on.
    """

    def __init__(self, name: str, arguments: list[Node], nodes: list[dict], chosen: set[Value]):
        self._name, self._chosen = name, chosen
        self._by_id: dict[int, Node] = {}
        self._inner: dict[int, list[dict]] = {}  # regions of nodes that have some
        self._home: dict[int, int] = {}  # which region a node stands in
        self._same: dict[Value, Value] = {}  # values that are passed on, and what they are
        self._count = 0
        self._enter(arguments, nodes, 0)

    def _enter(self, arguments: list[Node], entries: list[dict], home: int) -> None:
        for node in arguments:
            self._by_id[node.id], self._home[node.id] = node, home
        for entry in entries:
            regions = entry["regions"]
            node = node_of(entry)
            node.operands = [self._resolved(value) for value in node.operands]
            self._by_id[node.id], self._home[node.id] = node, home
            if _is_mark(node, self._chosen):
                self._same[node.id, 0] = node.operands[1]
            for region in regions:
                self._count += 1
                region["home"] = self._count
                region["arguments"] = [node_of(one) for one in region["arguments"]]
                self._enter(region["arguments"], region["nodes"], self._count)
            if regions:
                self._inner[node.id] = regions
            if node.kind == "while":
                # Both parts of a loop are written with the same variables.
                pairs = zip(regions[0]["arguments"], regions[1]["arguments"], strict=True)
                self._same.update(((one.id, 0), (other.id, 0)) for one, other in pairs)
                self._rename(regions[0]["nodes"])

    def _rename(self, entries: list[dict]) -> None:
        for entry in entries:
            node = self._by_id[entry["id"]]
            node.operands = [self._resolved(value) for value in node.operands]
            for region in entry["regions"]:
                self._rename(region["nodes"])

    def _resolved(self, value: Value | None) -> Value | None:
        while value in self._same:
            value = self._same[value]
        return value

    def way(self, arguments: list[Node], results: list[Value]) -> Way:
        """What the network does."""
        way = self._way(0, results)
        way.network.arguments = arguments
        return way

    def _result(self, value: Value) -> Value:
        """A result of a graph is a node of its own."""
        if value in self._same:
            node = self._by_id[value[0]]
            if _is_mark(node, self._chosen):
                node.pass_on()
                node.operands = [self._resolved(one) for one in node.operands]
                del self._same[value]
        return self._resolved(value)

    def _way(self, home: int, results: list[Value]) -> Way:
        """The graphs of a region: one that ends with a decision, or gives its results."""
        final = self._final_decision(home, results)
        if final is None:
            results = [self._result(value) for value in results]
            return Way(self._graph(results, home), results)
        return self._decision(final, home)

    def _final_decision(self, home: int, results: list[Value]) -> Node | None:
        """The decision by which a region ends, if all that it gives is what that gives."""
        values = [self._resolved(value) for value in results]
        node = self._by_id[values[0][0]] if values else None
        if node is None or node.kind != "if" or self._home[node.id] != home:
            return None
        return node if values == [(node.id, i) for i in range(len(node.types))] else None

    def _decision(self, node: Node, home: int) -> Way:
        both = [self._way(region["home"], region["results"]) for region in self._inner[node.id]]
        question = node.operands[0]
        used = dict.fromkeys(value for way in both for value in way.network.outer)
        own = [value for value in used if self._home[value[0]] == home and self._is_computed(value)]
        network = self._graph([question, *own], home)
        network.outer += [value for value in used if value not in own and value not in network.outer]
        network.outer = [value for value in network.outer if not self._is_argument_of(value, home)]
        return Way(network, network.results[1:], question, *both)

    def _is_computed(self, value: Value) -> bool:
        return self._by_id[value[0]].kind in ("operator", "if", "while", "loop")

    def _is_argument_of(self, value: Value, home: int) -> bool:
        return self._by_id[value[0]].kind == "argument" and self._home[value[0]] == home

    def _graph(self, results: list[Value], home: int) -> CapturedNetwork:
        """What results are computed from in a region; constants and parameters stand where they are used."""
        nodes: dict[int, Node] = {}
        outer: dict[Value, None] = {}
        waiting = list(results)
        while waiting:
            value = waiting.pop()
            node = self._by_id[value[0]]
            if node.kind in ("if", "while"):
                self._make_loop(node)
            is_own = self._home[node.id] == home
            if is_own and node.kind == "argument":
                continue
            if not is_own and node.kind not in ("constant", "parameter"):
                outer[value] = None
            elif node.id not in nodes:
                nodes[node.id] = node
                waiting += [operand for operand in node.operands if operand is not None]
        order = {identity: place for place, identity in enumerate(self._by_id)}
        ordered = sorted(nodes.values(), key=lambda node: order[node.id])
        return CapturedNetwork(self._name, [], ordered, list(results), self._by_id, list(outer))

    def _make_loop(self, node: Node) -> None:
        """A loop, or a decision after which the graph goes on: a turn that is made once."""
        regions, begins = self._inner[node.id], node.operands
        ends = [(node.id, i) for i in range(len(node.types))]
        if node.kind == "while":
            ways = [self._way(region["home"], region["results"]) for region in regions]
            starts = [(one.id, 0) for one in regions[1]["arguments"]]
            for way in ways:
                way.network.arguments = regions[1]["arguments"]
                way.network.outer = [value for value in way.network.outer if value not in starts]
            loop = Loop(*ways, begins, starts, ends)
            outer = dict.fromkeys(value for way in ways for value in way.network.outer)
        else:
            body = self._decision(node, -1)
            body.network.results = [*begins]
            loop, outer = Loop(None, body, [], [], ends), list(body.network.outer)
            begins = []
        node.kind = node.name = "loop"
        node.loop, node.operands = loop, [*begins, *outer]


def node_of(entry: dict) -> Node:
    """A recorded node."""
    return Node(**{key: value for key, value in entry.items() if key != "regions"})


def _is_mark(node: Node, chosen: set[Value]) -> bool:
    return node.name == "where" and node.operands[0] in chosen
