# SPDX-License-Identifier: Apache-2.0
"""Compiled functions called while a gradient is recorded eagerly around them.

The call is one entry of the outer tape. Its own part of the tape is taken down once, on promises, while the
function is captured; the compiled function returns what that part keeps besides its results, and walking that
part is captured as a second function, from what was kept and the arriving gradients to the leaving ones.
"""

from __future__ import annotations

import functools
import threading
import weakref

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._capture.cell_state import ATOMS
from mindspore._capture.function import Captured
from mindspore._capture.questions import TRACKED
from mindspore.common._structure import tensors_in

_thread = threading.local()
_CALLS_TO_WAIT = 1  # what is called once is not worth compiling
_CALLS_TO_WAIT_IN_NEW = 3  # the same where the gradient around it is compiled as a whole if it is used again


def run_new_gradient(compute, args: tuple, kwargs: dict):
    """The first run of a gradient that will be compiled as a whole when it is computed again."""
    before, _thread.is_new = getattr(_thread, "is_new", False), True
    try:
        return compute(*args, **kwargs)
    finally:
        _thread.is_new = before


def runs_eagerly() -> bool:
    """Whether a call belongs to one inside a gradient that was not worth compiling, or could not be."""
    return getattr(_thread, "eager", False)


def _eagerly(function, args: tuple, kwargs: dict):
    before, _thread.eager = runs_eagerly(), True
    try:
        return function(*args, **kwargs)
    finally:
        _thread.eager = before


def _can_be_found(outputs) -> bool:
    """Whether all tensors of a result are seen: none is inside an object of the user's."""
    if isinstance(outputs, (tuple, list)):
        return all(map(_can_be_found, outputs))
    if isinstance(outputs, dict):
        return all(map(_can_be_found, outputs.values()))
    return isinstance(outputs, (Tensor, type, *ATOMS)) or not hasattr(outputs, "__dict__")


class _Walk(Captured):
    """Walking the tape of one kind of call."""

    __slots__ = ()
    learns_sizes = False
    takes_shared_memory = True  # what is kept and what arrives may be one; nothing of it is written


class _Backward:
    """The gradient of one kind of call.

    Args:
        call (RecordedCall): Its part of the tape.
        name (str): How messages call the function.
        strict (Union[bool, None]): Falling back to eager execution is an error; None: the context decides.
        owner (Differentiated): Whose calls these are.
        watched (list[int]): Which tensor arguments get gradients.
    """

    __slots__ = ("_call", "_captured", "_name", "_owner", "_watched")

    def __init__(self, call, name: str, strict: bool | None, owner, watched: list[int]):
        walk = functools.partial(_walk, call, threading.RLock())
        self._call, self._name, self._watched = call, name, watched
        self._captured = _Walk(walk, f"gradient of {name}", strict)
        self._owner = weakref.ref(owner)

    def record(self, given: list, outputs, kept: tuple) -> None:
        """Enters a call into the outer tape."""
        inputs = [given[i] for i in self._watched]
        self._call.record(self._name, inputs, tensors_in(outputs), list(kept), self)

    def join(self, outputs) -> None:
        """Leaves the outer tape what was taken down, for a call that is not to be repeated."""
        self._call.join(tensors_in(outputs))

    def __call__(self, kept: tuple, gradients: tuple) -> list:
        found = self._captured(kept, gradients)
        owner = self._owner()
        if self._captured.reasons and owner is not None:
            owner.give_up_silently(self._captured.reasons[0])
        return found


def _walk(call, lock, kept: tuple, gradients: tuple) -> list:
    with lock:  # the tape is lent the values while it is walked
        return call.walk(list(kept), list(gradients))


class Differentiated(Captured):
    """A function whose calls a gradient outside has to see.

    Args:
        function (Callable): What is run.
        name (str): How messages call it.
        strict (Union[bool, None]): Falling back to eager execution is an error; None: the context decides.
        roots (tuple): Objects the function is known to use, a Cell for instance.
    """

    __slots__ = ("_calls", "_own_name")
    learns_sizes = takes_numbers = False  # the tape that was taken down is of one size and has no such input
    gives_back = False  # a gradient has to find the tensors that it returns

    def __init__(self, function, name: str, strict: bool | None, roots: tuple):
        run = functools.partial(_run, weakref.ref(self), function)
        super().__init__(run, f"{name} inside a gradient", strict, (function, *roots))
        self._calls, self._own_name = 0, name

    def __call__(self, *args, **kwargs):
        self._calls += 1
        wait = _CALLS_TO_WAIT_IN_NEW if getattr(_thread, "is_new", False) else _CALLS_TO_WAIT
        # Inside two gradients this one's is differentiated too.
        if self._calls <= wait or self.given_up or runs_eagerly() or _c.gradient_level() > 1:
            return _eagerly(self._roots[0], args, kwargs)
        given = tensors_in((args, kwargs))
        if len(given) > 1 and _c.share_memory(given):  # a write through one changes what the other gives
            return _eagerly(self._roots[0], args, kwargs)
        tracked = tuple(map(_c.is_tracked, given))
        _thread.given, _thread.session = given, None
        try:
            outputs, backward, kept = super().__call__(tracked, *args, **kwargs)
            is_refused = _thread.session is not None and _thread.session.refusal
        finally:
            _thread.given = _thread.session = None
        if backward is not None:
            backward.join(outputs) if is_refused else backward.record(given, outputs, kept)
        return outputs

    def give_up_silently(self, reason: str) -> None:
        """The gradient could not be compiled, and has said so."""
        self.given_up = self.given_up or reason
        self._forget()

    def settle(self, call, outputs, watched: list[int]):
        """What the captured run returns: (outputs, their gradient, what that needs)."""
        session = _thread.session
        if not session.is_active:
            return outputs, None, ()
        problem = self._problem_with(call, outputs)
        if problem:
            session.abandon(problem)
            return outputs, None, ()
        for parameter, is_tracked in call.parameters:
            session.add_guard(TRACKED, parameter, None, is_tracked)
        backward = _Backward(call, self._own_name, self._strict, self, watched)
        return outputs, backward, tuple(call.kept)

    def _problem_with(self, call, outputs) -> str:
        if not _can_be_found(outputs):
            return "it returns an object that may hold tensors; return them in a tuple, list or dict"
        problem = call.settle(tensors_in(outputs))
        if not problem and call.has_custom and len(self._roots) > 1:
            # What a Cell holds must not hold the Cell, as a backward of its own would.
            call.leave()
            return "a Cell inside has a backward function or hooks of its own"
        return problem

    def _begun(self, session) -> None:
        _thread.session = session

    def _objection(self, written: list, containers_changed: bool) -> str | None:
        if containers_changed:
            return "it changes a list or dict that it is given"
        for place in (*written, *self._places):
            if any(map(_c.is_tracked, tensors_in(place.get()))):
                return f"it keeps a tensor that a gradient goes through in {place.what}"
        return None


def _run(owner, function, tracked: tuple, *args, **kwargs):
    """The function with its part of the tape; (outputs, their gradient or None, what that needs)."""
    if not _c.is_capturing():
        return _eagerly(function, args, kwargs), None, ()
    given, watched, seen = _thread.given, [], set()
    call = _c.RecordedCall()
    try:
        for i, stand_in in enumerate(tensors_in((args, kwargs))):
            is_own = stand_in is given[i]  # a Parameter stands for itself
            if tracked[i] and not is_own and id(stand_in) not in seen:
                call.watch(stand_in, given[i])
                watched.append(i)
                seen.add(id(stand_in))
        outputs = function(*args, **kwargs)
    finally:
        call.end()
    return owner().settle(call, outputs, watched)
