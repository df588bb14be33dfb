# SPDX-License-Identifier: Apache-2.0
"""Cuts what was recorded on all ways through a network into one graph per way, and its loops out of these."""

from __future__ import annotations

from mindspore.common.tensor import Tensor
from mindspore.train._export.captured_network import CapturedNetwork, Loop, Node, Value, Way
from mindspore.train._export.decisions import Choice
from mindspore.train._export.folding import is_random, is_writing
from mindspore.train._export.loops.turns import LoopRecord

_FIRST_LOOP = -(10**6)  # numbers of nodes that are loops go down from here
_MOST_BYTES_COMPARED = 4096


class Cutter:
    """Cuts one recording.

    Args:
        name (str): Name of the network.
        arguments (list[Node]): Its arguments.
        nodes (list[Node]): All that was recorded, in order.
        values (dict): For `id` of a tensor of choices and records, the value that it is.
        records (list[LoopRecord]): Loops that were written down.
    """

    def __init__(
        self,
        name: str,
        arguments: list[Node],
        nodes: list[Node],
        values: dict[int, Value],
        records: list[LoopRecord],
    ):
        self._name, self._arguments, self._values = name, arguments, values
        self._by_id = {node.id: node for node in [*arguments, *nodes]}
        self._position = {node.id: i for i, node in enumerate(nodes)}
        self._position.update((node.id, -1) for node in arguments)
        self._records = records
        self._ends = {self._raw(tensor)[0]: record for record in records for tensor in record.ends}
        self._begins: dict[int, Value] = {}  # for the node of a start, the variable before the first turn
        self._loops: dict[int, Node] = {}
        self._same: dict[
            Value, Value
        ] = {}  # values that are computed twice, and those that are only passed on

    def way(self, root: Choice) -> Way:
        """What the network does.

        Raises:
            RuntimeError: It returns other types on other ways, or a value leaves a loop unseen.
        """
        self._check_effects()
        self._check_scopes(root)
        self._find_same(root)
        for record in self._records:
            for tensor in (*record.starts, *record.ends):
                node = self._by_id[self._raw(tensor)[0]]
                self._begins[node.id] = node.operands[1]
                node.kind, node.operands = "argument", []
        own = {node.id for node in self._arguments}
        result = self._way(root, -1, own, set(), {})
        result.network.arguments = self._arguments
        kinds = {tuple(map(str, map(leaf.network.type_of, leaf.results))) for leaf in result.leaves()}
        if len(kinds) > 1:
            raise RuntimeError(
                f"'{self._name}' cannot be exported: what it returns has another type or shape when an "
                "'if' is answered otherwise."
            )
        return result

    def _raw(self, tensor: Tensor) -> Value:
        return self._values[id(tensor)]

    def _value(self, tensor: Tensor) -> Value:
        value = self._raw(tensor)
        return self._same.get(value, value)

    def _check_effects(self) -> None:
        for node in self._by_id.values():
            target = node
            while target.kind == "operator" and is_writing(target.name):
                target = self._by_id[target.operands[0][0]]
            if target is not node and target.kind == "parameter":
                raise RuntimeError(
                    f"'{self._name}' cannot be exported: it writes to parameters ({node.place()}) and "
                    "decides by values."
                )

    # ---- what may be used where --------------------------------------------------------------------------

    def _scope(self, node: Node) -> tuple[int, ...]:
        """The loops in whose turns a node was recorded, outermost first."""
        position = self._position[node.id]
        return tuple(i for i, (first, last) in enumerate(self._intervals) if first <= position < last)

    def _check_scopes(self, root: Choice) -> None:
        """What is computed in a turn must not be used outside but through variables."""
        self._intervals = [
            (self._position[self._raw(one.starts[0])[0]], self._position[self._raw(one.ends[0])[0]])
            for one in self._records
        ]
        waiting = [self._by_id[self._raw(tensor)[0]] for tensor in root.every_tensor()]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node.id in seen:
                continue
            seen.add(node.id)
            if node.id in self._ends:
                waiting += [
                    self._by_id[self._raw(tensor)[0]] for tensor in self._ends[node.id].every_tensor()
                ]
                continue
            if node.kind == "operator" and is_writing(node.name):
                self._check_write(node)
            for value in node.operands if node.kind == "operator" else ():
                if value is not None and value[0] in self._by_id:
                    self._check_use(node, self._by_id[value[0]])
                    waiting.append(self._by_id[value[0]])

    def _check_write(self, node: Node) -> None:
        """A turn may write into what it has made, or got as a variable."""
        copy = self._by_id[node.operands[0][0]]
        if copy.kind != "operator" or copy.name != "copy":
            return
        target = self._by_id[copy.operands[0][0]]
        inside = set(self._scope(node)) - set(self._scope(target))
        if target.kind in ("operator", "argument") and inside:
            raise RuntimeError(
                f"'{self._name}' cannot be exported: the loop at {self._records[min(inside)].place} writes "
                f"into a tensor from outside at {node.place()}. Make it a variable of the loop: assign to "
                "it, or to items of it, in the function where the loop stands."
            )

    def _check_use(self, user: Node, used: Node) -> None:
        if used.kind != "operator" or used.id in self._ends:
            return
        inside = set(self._scope(used)) - set(self._scope(user))
        if inside:
            record = self._records[min(inside)]
            raise RuntimeError(
                f"'{self._name}' cannot be exported: what the loop at {record.place} computes at "
                f"{used.place()} is used at {user.place()} without being a variable of the loop. Assign it "
                "to a variable that has a value before the loop."
            )

    # ---- what is computed twice --------------------------------------------------------------------------

    def _find_same(self, root: Choice) -> None:
        """Ways begin with the same computations; each is written once, where the first of them needs it."""
        kept = self._results(root)
        variables: set[int] = set()  # nodes where variables of loops start and end
        for record in self._records:
            kept = kept.union(*map(self._results, record.choices()))
            variables.update(self._raw(tensor)[0] for tensor in (*record.starts, *record.ends))
        chosen = {self._by_id[i].operands[0] for i in (*kept, *variables)}
        last_starts = {self._raw(record.starts[-1])[0]: record for record in self._records}
        first: dict[tuple, object] = {}
        for node in sorted(self._by_id.values(), key=lambda node: self._position[node.id]):
            node.operands = [self._same.get(value, value) for value in node.operands]
            if node.id in kept:
                node.pass_on()
                continue
            if node.id in last_starts:
                self._find_same_loop(last_starts[node.id], first)
            if node.id in variables:
                continue
            if node.name == "where" and node.operands[0] in chosen:
                self._same[node.id, 0] = node.operands[1]
                continue
            key = _key(node)
            if key is not None and first.setdefault(key, node.id) != node.id:
                self._same.update(((node.id, i), (first[key], i)) for i in range(len(node.types)))

    def _find_same_loop(self, record: LoopRecord, first: dict) -> None:
        """A loop that was reached on several ways with the same variables is one loop."""
        begins = (self._by_id[self._raw(tensor)[0]].operands[1] for tensor in record.starts)
        known = first.setdefault((record.label, *begins), record)
        if known is not record:
            pairs = zip((*record.starts, *record.ends), (*known.starts, *known.ends), strict=True)
            self._same.update((self._raw(one), self._raw(other)) for one, other in pairs)

    def _results(self, choice: Choice) -> set[int]:
        return {self._raw(tensor)[0] for leaf in choice.leaves() for tensor in leaf.tensors}

    # ---- graphs --------------------------------------------------------------------------------------------

    def _way(
        self, choice: Choice, begin: int, own: set[int], known: set[Value], answers: dict[Value, bool]
    ) -> Way:
        """The graph of a piece.

        Args:
            choice (Choice): What was recorded.
            begin (int): Position from which on nodes belong to the piece.
            own (set[int]): Arguments of its graph.
            known (set[Value]): What the graphs around have computed.
            answers (dict): Questions that are answered on this way.
        """
        if choice.question is None:
            results = [self._raw(tensor) for tensor in choice.tensors]
            return Way(self._graph(results, begin, own, known), results)
        question = self._value(choice.question)
        if question in answers:
            chosen = choice.if_true if answers[question] else choice.if_false
            return self._way(chosen, begin, own, known, answers)
        network = self._graph([question], begin, own, known)
        nodes = [node for node in network.nodes if node.kind in ("operator", "loop")]
        computed = {value for node in nodes for value in node.outputs()}
        both = [
            self._way(one, begin, set(), known | computed, {**answers, question: answer})
            for one, answer in ((choice.if_true, True), (choice.if_false, False))
        ]
        for value in dict.fromkeys(value for way in both for value in way.network.outer):
            if value in computed:
                network.results.append(value)
            elif value[0] not in own and value not in network.outer:
                network.outer.append(value)
        return Way(network, network.results[1:], question, *both)

    def _graph(self, results: list[Value], begin: int, own: set[int], known: set[Value]) -> CapturedNetwork:
        """What results are computed from, as far as the graphs around have not done so."""
        nodes: dict[int, Node] = {}
        outer: dict[Value, None] = {}
        waiting = list(results)
        while waiting:
            value = waiting.pop()
            node = self._by_id[value[0]]
            if node.id in own:
                continue
            is_before = self._position[node.id] < begin
            if node.id in self._ends and not is_before and value not in known:
                node = self._loop(node)
            elif value in known or node.kind == "argument" or (node.kind == "operator" and is_before):
                outer[value] = None
                continue
            if node.id not in nodes:
                nodes[node.id] = node
                waiting += [operand for operand in node.operands if operand is not None]
        ordered = sorted(nodes.values(), key=lambda node: self._position[node.id])
        return CapturedNetwork(self._name, [], ordered, list(results), self._by_id, list(outer))

    def _loop(self, end: Node) -> Node:
        """The node of the loop that ends here."""
        record = self._ends[end.id]
        first = self._value(record.ends[0])[0]
        if first in self._loops:
            return self._loops[first]
        starts, ends = ([self._value(one) for one in both] for both in (record.starts, record.ends))
        begin, own = self._position[starts[0][0]], {value[0] for value in starts}
        if record.condition is None:
            starts = []
        ways = [self._way(one, begin, own, set(), {}) for one in record.choices()]
        for way in ways:
            way.network.arguments = [self._by_id[value[0]] for value in starts]
        begins = [self._begins[value[0]] for value in starts]
        outer = dict.fromkeys(value for way in ways for value in way.network.outer)
        types = [self._by_id[value[0]].types[0] for value in ends]
        file, _, line = record.place.rpartition(":")
        node = Node("loop", _FIRST_LOOP - len(self._loops), "loop", [*begins, *outer], {}, types)
        node.file, node.line = file, int(line)
        node.loop = Loop(ways[0] if record.condition else None, ways[-1], begins, starts, ends)
        self._by_id[node.id], self._position[node.id] = node, self._position[first]
        self._loops[first] = node
        return node


def _key(node: Node) -> tuple | None:
    """The same for nodes that compute the same; None: it computes something of its own."""
    if node.kind == "constant":
        tensor = node.tensor
        if tensor.nbytes > _MOST_BYTES_COMPARED:
            return None
        return ("constant", str(tensor.dtype), tuple(tensor.shape), node.is_number, tensor.get_bytes())
    if node.kind != "operator" or is_writing(node.name) or is_random(node.name):
        return None
    return (node.name, tuple(node.operands), repr(node.attributes), repr(node.types))
