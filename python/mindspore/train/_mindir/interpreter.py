# SPDX-License-Identifier: Apache-2.0
"""Runs loaded graphs. Calls do not nest in Python, and a call that ends a graph leaves nothing behind."""

from __future__ import annotations

from mindspore import context
from mindspore.train._mindir.program import CLOSURE, CONSTANT, LOCAL, OUTER, PARAMETER, Program


class Frame:
    """Values of one run of a graph."""

    __slots__ = ("end", "parent", "position", "program", "values")

    def __init__(self, program: Program, parent: Frame | None):
        self.program, self.parent = program, parent
        self.values = [None] * program.size
        self.position, self.end = 0, len(program.steps)


class Closure:
    """A graph with the frame it lies in and arguments it has already."""

    __slots__ = ("bound", "frame", "graph")

    def __init__(self, graph, frame: Frame | None, bound: tuple = ()):
        self.graph, self.frame, self.bound = graph, frame, bound

    def bind(self, arguments) -> Closure:
        """The same with more arguments."""
        return Closure(self.graph, self.frame, (*self.bound, *arguments))

    def enter(self, arguments) -> Frame:
        """A frame to run the graph in."""
        program = self.graph.program
        given = (*self.bound, *arguments)
        if len(given) != program.input_count:
            raise RuntimeError(
                f"The graph '{program.name}' takes {program.input_count} arguments, but got {len(given)}."
            )
        frame = Frame(program, self.frame)
        frame.values[: len(given)] = given
        return frame


def _above(frame: Frame, distance: int) -> Frame:
    for _ in range(distance):
        frame = frame.parent
    return frame


def fetch(source: tuple, frame: Frame, parameters):
    """A value as seen from a frame."""
    kind, first, second = source
    if kind == LOCAL:
        return frame.values[first]
    if kind == CONSTANT:
        return first
    if kind == PARAMETER:
        return parameters[first]
    if kind == OUTER:
        return _above(frame, first).values[second]
    assert kind == CLOSURE
    return Closure(first, None if second < 0 else _above(frame, second))


def _named(failure: Exception, step, program: Program) -> Exception:
    """The same error, which also tells where it was."""
    if hasattr(failure, "add_note"):
        failure.add_note(f"In the node '{step.name}' of the graph '{program.name}'.")
    return failure


def _next_frame(frame: Frame, stack: list, parameters) -> Frame | None:
    """Runs a frame until it calls a graph, whose frame is given, or is at its end."""
    program, values = frame.program, frame.values
    steps = program.steps
    while frame.position < frame.end:
        step = steps[frame.position]
        frame.position += 1
        callee = fetch(step.callee, frame, parameters)
        arguments = [fetch(source, frame, parameters) for source in step.operands]
        for slot in step.released:
            values[slot] = None
        if isinstance(callee, Closure):
            if not step.is_last:
                stack.append((frame, step.slot))
            return callee.enter(arguments)
        if not callable(callee):
            raise RuntimeError(
                f"The node '{step.name}' of the graph '{program.name}' calls {type(callee).__name__}, which "
                "is no function."
            )
        try:
            result = callee(arguments)
        except Exception as failure:
            raise _named(failure, step, program) from None
        values[step.slot] = result
    return None


def _result_of(frame: Frame, parameters):
    program = frame.program
    if frame.end < len(program.steps):
        return None
    if not program.result:
        return frame.values[program.steps[-1].slot]
    parts = tuple(fetch(source, frame, parameters) for source in program.result)
    return parts if program.is_tuple else parts[0]


def run_frame(frame: Frame, parameters, enter=None):
    """Runs a frame, and those of the graphs that are called.

    Args:
        frame (Frame): The frame.
        parameters (Sequence): Parameters of the network, by number.
        enter (Callable): From a frame that is about to run, the callers, and whether the last of them goes on
            afterwards, to the frame that runs instead; or to None, and what it gives. Default: ``None``.

    Returns:
        What the graph returns; None for a frame that is to stop earlier.

    Raises:
        RuntimeError: Graphs call each other more deeply than the context allows.
    """
    stack: list[tuple[Frame, int]] = []
    deepest = context.get_context("max_call_depth")
    following: Frame | None = frame
    is_inner = False
    while True:
        result = None
        if following is not None:
            if len(stack) > deepest:
                raise RuntimeError(
                    f"Exceed function call depth limit {deepest} in the graph '{following.program.name}'; "
                    "the limit is 'max_call_depth' of the context."
                )
            frame, result = (following, None) if enter is None else enter(following, stack, is_inner)
        depth = len(stack)
        following = None if frame is None else _next_frame(frame, stack, parameters)
        is_inner = len(stack) > depth
        if following is not None:
            continue
        if frame is not None:
            result = _result_of(frame, parameters)
        if not stack:
            return result
        frame, slot = stack.pop()
        frame.values[slot] = result
