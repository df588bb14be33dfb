# SPDX-License-Identifier: Apache-2.0
"""Runs a network under a recorder and gives its forward pass, for writers of model files."""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref

from mindspore import _c_expression as _c
from mindspore._capture.code import position_of
from mindspore._capture.decisions import Decisions, DependsOnValuesError, TooManyWaysError
from mindspore._capture.function import Captured
from mindspore._capture.loops.current import working
from mindspore._capture.loops.running import LoopRunner
from mindspore._capture.loops.variables import flatten
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

_CHANGING_CELLS = threading.RLock()


def capture_network(net, inputs: tuple) -> _c.RecordedNetwork:
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
        if not straight.decides:
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


def _captured(net, inputs: tuple, with_loops: bool, with_choices: bool = False) -> _c.RecordedNetwork:
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
        stack.enter_context(run.decisions.answering())
        graph = captured.graph_for(inputs)
    return run.network(graph, tensors_in(inputs))


class _Recorded(Captured):
    """A network that is recorded to be written, not to be run."""

    __slots__ = ("_graph", "_look")
    writes_failures = learns_sizes = False

    def graph_for(self, inputs: tuple) -> _c.RecordedGraph:
        """What it computes from inputs like these.

        Raises:
            RuntimeError: It does something else as values are, or what no graph can do.
        """
        self._look = None
        try:
            self(*inputs)
        except _c.Declined as declined:
            raise RuntimeError(
                f"'{self.name}' cannot be exported: a loop or decision in it {declined}."
            ) from declined
        if self._look is not None:  # somebody has caught it
            raise self._look
        if self.reasons:
            raise RuntimeError(f"'{self.name}' cannot be exported: {self.reasons[0]}.")
        return self._graph

    def _begun(self, session) -> None:
        session.check_looks(self._refuse_look)
        session.forbid_runs()

    def _finished(self, session, result, was_there):
        if not session.refusal:
            self._graph = session.take_draft()
        session.discard()
        return result

    def _refuse_look(self) -> None:
        where = f", the first of them at {position_of(sys._getframe(1))}"
        self._look = DependsOnValuesError(
            f"'{self.name}' cannot be exported: what it does depends on values it computes{where}."
        )
        raise self._look


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
        self.decisions = Decisions()
        self._loops = LoopRunner(name, self.decisions, mark, with_choices)
        self._count = 0  # of results
        self._numbers: list[list] = []  # what it returns besides them, on every way

    def _copied(self, tensor: Tensor) -> Tensor:
        return tensor if isinstance(tensor, Parameter) else self._mark(tensor)

    def __call__(self, function, arguments: tuple) -> tuple:
        """Every tensor that matters, marked."""
        given = map_tensors(self._copied, arguments)  # as they are before anything writes to them
        runs = iter([arguments])
        results = self.decisions.explore(
            lambda: function(*(next(runs, None) or map_tensors(self._copied, given))),
            self._tensors_of,
        )
        self._check_numbers()
        self._count = len(results)
        return tuple(self._mark(tensor) for tensor in results)

    def _tensors_of(self, outcome) -> list[Tensor]:
        """What a way gives, marked."""
        leaves: list = []
        flatten(outcome, leaves)
        self._numbers.append([leaf for leaf in leaves if not isinstance(leaf, Tensor)])
        return [self._mark(tensor) for tensor in tensors_in(outcome)]

    def _check_numbers(self) -> None:
        """RuntimeError if ways give other numbers, which are no results of a file."""
        for found in zip(*self._numbers, strict=False):
            kinds = dict.fromkeys(map(repr, found))
            if len(kinds) > 1:
                raise RuntimeError(
                    f"'{self._name}' cannot be exported: it returns the number {' or '.join(kinds)}, as "
                    "values are. Return a tensor instead."
                )

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

    def network(self, graph: _c.RecordedGraph, inputs: list[Tensor]) -> _c.RecordedNetwork:
        """What was written down, as straight graphs, decisions and loops."""
        return _c.recorded_network(graph, inputs, self._count, self._is_as_it_is)


def _on_thread(thread: int, made, own, cell):
    """Calls one function on a thread, another one elsewhere."""

    def construct(*args, **kwargs):
        return (made if threading.get_ident() == thread else own)(cell(), *args, **kwargs)

    return construct
