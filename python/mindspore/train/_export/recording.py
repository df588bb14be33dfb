# SPDX-License-Identifier: Apache-2.0
"""Runs a network under a recorder and gives its forward pass as graphs."""

from __future__ import annotations

import contextlib
import threading
import weakref

from mindspore import _c_expression as _c
from mindspore._capture.function import Captured
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op
from mindspore.train._export.captured_network import (
    CapturedNetwork,
    DependsOnValuesError,
    Node,
    Value,
    Way,
)
from mindspore.train._export.cutting import Cutter
from mindspore.train._export.decisions import Choice, Decisions, TooManyWaysError
from mindspore.train._export.loops.current import working
from mindspore.train._export.loops.running import LoopRunner

_CHANGING_CELLS = threading.RLock()


def capture_network(net, inputs: tuple) -> Way:
    """Runs a network and writes down what it computes, on every way it may take.

    It is run as it is first. If it asks questions or looks at values, it is run again with its loops as
    calls, so that they can be written down as loops; where that does not work, they stay rows of turns. If
    it asks so much that there are too many ways, its decisions are calls as well, after which ways meet.

    Raises:
        RuntimeError: What it does depends on values in a way that no graph can tell, or it calls Python.
    """
    straight = first = None
    try:
        straight = _captured(net, inputs, with_loops=False)
        if straight.question is None:
            return straight
    except RuntimeError as failure:
        first = failure
    try:
        return _captured(net, inputs, with_loops=True)
    except RuntimeError as failure:
        if straight is not None:
            return straight
        second = failure
    if not isinstance(second, TooManyWaysError):
        raise second from first
    try:
        return _captured(net, inputs, with_loops=True, with_choices=True)
    except RuntimeError as failure:
        if str(failure) == str(second):
            raise second from first
        raise type(second)(f"{second} Nor can they be written one by one: {failure}") from failure


def _captured(net, inputs: tuple, with_loops: bool, with_choices: bool = False) -> Way:
    name = type(net).__name__ if isinstance(net, Cell) else getattr(net, "__name__", "function")
    chosen = Tensor(True)

    def mark(tensor: Tensor) -> Tensor:
        # A node of its own, also for an input, for one value twice, or for what is made from nothing: the
        # recorder does not leave out what reads a tensor from outside.
        return op.where(chosen, tensor, tensor)

    run = _Run(name, mark, with_choices)
    with contextlib.ExitStack() as stack:
        if with_loops:
            stack.enter_context(run.making_loops())
            net = stack.enter_context(run.with_loops_as_calls(net))
        function = net._cell_run if isinstance(net, Cell) else net

        def flat(*arguments):
            assert chosen is not None  # what this function refers to is watched
            return run(function, arguments)

        captured = _Recorded(flat, name, roots=(weakref.ref(net),) if isinstance(net, Cell) else ())
        graph = _only_graph(captured, inputs, name, stack, run)
    return run.way(graph, tensors_in(inputs))


class _Recorded(Captured):
    """A network that is recorded to be written, not to be run."""

    __slots__ = ()
    writes_failures = False


def _only_graph(captured: Captured, inputs: tuple, name: str, stack, run: _Run) -> dict:
    graphs: list[dict] = []
    before = _c.exchange_capture_listener(graphs.append)
    stack.callback(_c.exchange_capture_listener, before)
    stack.enter_context(run.decisions.answering())
    captured(*inputs)
    if captured.reasons:
        raise RuntimeError(f"'{name}' cannot be exported: {captured.reasons[0]}.")
    if len(graphs) != 1:
        raise DependsOnValuesError(f"'{name}' cannot be exported: {_look_at_values(graphs)}.")
    return graphs[0]


def _look_at_values(graphs: list[dict]) -> str:
    """What happens between two graphs, and after which line of the user's."""
    nodes = map(_node, graphs[0]["nodes"]) if graphs else ()
    places = [node.place() for node in nodes if node.file and not _is_mark(node)]
    where = f", the first of them at {places[-1]}" if places else ""
    return f"what it does depends on values it computes{where}"


class _Run:
    """A network that is run once under a recorder, on all its ways.

    Args:
        name (str): Its name.
        mark (Callable): Makes a node of its own that gives a tensor.
        with_choices (bool): Decisions are calls too, where loops are.
    """

    def __init__(self, name: str, mark, with_choices: bool = False):
        self._name, self._mark = name, mark
        self._is_as_it_is = True
        self.decisions = Decisions(mark)
        self._loops = LoopRunner(name, self.decisions, mark, with_choices)
        self._root: Choice | None = None
        self._found: list[Tensor] = []

    def _copied(self, tensor: Tensor) -> Tensor:
        return tensor if isinstance(tensor, Parameter) else self._mark(tensor)

    def __call__(self, function, arguments: tuple) -> tuple:
        """Every tensor that matters, marked."""
        given = map_tensors(self._copied, arguments)  # as they are before anything writes to them
        runs = iter([arguments])
        self._root = self.decisions.explore(
            lambda: tensors_in(function(*(next(runs, None) or map_tensors(self._copied, given))))
        )
        for leaf in self._root.leaves():
            leaf.tensors = [self._mark(tensor) for tensor in leaf.outcome]
        self._found = self._root.every_tensor()
        for record in self._loops.records:
            self._found += record.every_tensor()
        return tuple(self._mark(tensor) for tensor in self._found)

    def making_loops(self):
        """Loops that are no code, like those of loaded graphs, are made here until the block ends."""
        return working(self._loops)

    @contextlib.contextmanager
    def with_loops_as_calls(self, net):
        """The network, whose functions have loops as calls on this thread until the block ends."""
        self._is_as_it_is = False
        if not isinstance(net, Cell):
            yield self._loops.callee(net)
            return
        with _CHANGING_CELLS:  # other threads may run cells meanwhile, but not export them
            changed = self._changed_cells(net, threading.get_ident())
            try:
                yield net
            finally:
                for cell in changed:
                    del cell.__dict__["construct"]

    def _changed_cells(self, net: Cell, thread: int) -> list[Cell]:
        """Cells that have another `construct` on a thread now."""
        changed = []
        for _, cell in net.cells_and_names():
            own = type(cell).construct
            made = self._loops.callee(own)
            if made is not own and "construct" not in cell.__dict__:
                cell.__dict__["construct"] = _on_thread(thread, made, own, weakref.ref(cell))
                changed.append(cell)
        return changed

    def way(self, graph: dict, inputs: list[Tensor]) -> Way:
        """What was written down, as graphs."""
        arguments = _arguments(graph, inputs)
        nodes = [_node(entry) for entry in graph["nodes"]]
        for node in nodes:
            if node.kind not in ("constant", "parameter", "operator"):
                raise RuntimeError(
                    f"'{self._name}' cannot be exported: it calls Python ('{node.name}') at {node.place()}."
                )
        by_id = {node.id: node for node in nodes}
        count = len(self._found)
        ends = [by_id[value[0]] for value in graph["results"][-count:]] if count else []
        if any(node.kind != "operator" or node.name != "where" for node in ends):
            raise RuntimeError(
                "The network cannot be exported: its results are not found among what it computes."
            )
        values = {id(tensor): node.operands[1] for tensor, node in zip(self._found, ends, strict=True)}
        chosen = {node.operands[0] for node in ends}
        left_out = {node.id for node in ends} | {value[0] for value in chosen}
        kept = [node for node in nodes if node.id not in left_out]
        if self._root.question is None and self._is_as_it_is:
            results = [values[id(one)] for one in self._root.tensors]
            return _straight(graph["name"], arguments, kept, results, chosen)
        return Cutter(graph["name"], arguments, kept, values, self._loops.records).way(self._root)


def _on_thread(thread: int, made, own, cell):
    """Calls one function on a thread, another one elsewhere."""

    def construct(*args, **kwargs):
        return (made if threading.get_ident() == thread else own)(cell(), *args, **kwargs)

    return construct


def _arguments(graph: dict, inputs: list[Tensor]) -> list[Node]:
    places = {int(entry["name"][1:]): _node(entry) for entry in graph["arguments"]}
    for i, tensor in enumerate(inputs):
        if i not in places:  # nobody reads it
            places[i] = Node("argument", -1 - i, f"x{i}", [], {}, [(tensor.dtype, tuple(tensor.shape))])
    return [places[i] for i in range(len(inputs))]


def _is_mark(node: Node) -> bool:
    return node.name == "where" and node.operands[1] == node.operands[2]


def _straight(
    name: str, arguments: list[Node], nodes: list[Node], results: list[Value], chosen: set[Value]
) -> Way:
    """The graph of a network that asks nothing, without copies of its arguments that nobody needed."""
    last = {value[0] for value in results}
    nodes = [
        node for node in nodes if node.id in last or node.name != "where" or node.operands[0] not in chosen
    ]
    network = CapturedNetwork(name, arguments, nodes, results)
    network.by_id = {node.id: node for node in [*arguments, *nodes]}
    for value in results:
        network.node(value).pass_on()
    return Way(network, results)


def _node(entry: dict) -> Node:
    return Node(**entry)
