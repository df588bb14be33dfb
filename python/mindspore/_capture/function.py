# SPDX-License-Identifier: Apache-2.0
"""One captured function: replay when the call is known, otherwise run Python under a recorder."""

from __future__ import annotations

import os
import weakref

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._capture.printing import prints_recorded
from mindspore._capture.surroundings import Surroundings

_MISS, _EAGER = _c.CAPTURE_MISS, _c.CAPTURE_EAGER
_CAPTURES_AT_MOST = 100  # of a function that is replayed less often than it is captured

every_captured: weakref.WeakSet = weakref.WeakSet()


class _Mode:
    graph = False


def set_graph_mode(on: bool) -> None:
    """Says whether cells called by the user are captured."""
    _Mode.graph = on and os.environ.get("MS_JIT") != "0"


def is_graph_mode() -> bool:
    """Whether cells called by the user are captured."""
    return _Mode.graph


def is_inside() -> bool:
    """Whether a call belongs to something that is being recorded already."""
    return _c.is_capturing() or _c.is_recording()


class Captured:
    """A function and the traces of its calls.

    Args:
        function (Callable): What is run.
        name (str): How messages call it.
        strict (bool): Falling back to eager execution is an error.
        roots (tuple): Objects the function is known to use, a Cell for instance.
    """

    __slots__ = (
        "__weakref__",
        "_cache",
        "_captures",
        "_roots",
        "_strict",
        "_warned",
        "function",
        "name",
        "replays",
    )

    def __init__(self, function, name: str, strict: bool = False, roots: tuple = ()):
        self.function, self.name = function, name
        self._strict, self._roots, self._warned = strict, roots, False
        self._cache = _c.TraceCache(name)
        self._captures = self.replays = 0
        every_captured.add(self)

    def __call__(self, *args, **kwargs):
        result = self._cache(*args, **kwargs)
        if result is not _MISS and result is not _EAGER:
            return result
        if result is _EAGER or self._captures > _CAPTURES_AT_MOST:
            return self.function(*args, **kwargs)
        return self._capture(args, kwargs)

    def _capture(self, args: tuple, kwargs: dict):
        session = self._cache.begin(args, kwargs)
        if session is None:
            self._tell("an argument is a NumPy array, whose content may change unseen; pass a Tensor")
            return self.function(*args, **kwargs)
        self._captures += 1
        surroundings = Surroundings(session, self.function, self._roots, (args, kwargs))
        try:
            with prints_recorded(session), surroundings:
                result = self.function(*session.arguments, **session.keywords)
        except BaseException:
            session.fail()
            raise
        surroundings.settle()
        result = session.finish(result)
        if session.refusal:
            self._tell(session.refusal)
        elif self._captures == _CAPTURES_AT_MOST:
            self._tell(
                f"it was captured {self._captures} times because arguments or what it uses differ from call to "
                "call; see mindspore._capture.explain()"
            )
        return result

    def _tell(self, reason: str) -> None:
        if self._strict:
            raise RuntimeError(f"'{self.name}' cannot be compiled: {reason}.")
        if not self._warned:
            self._warned = True
            logger.warning("'%s' is not compiled and runs like PyNative mode: %s.", self.name, reason)

    def report(self) -> list[dict]:
        """What is known about each kind of call."""
        return self._cache.report()

    def texts(self) -> list[str]:
        """The compiled graphs as text."""
        return self._cache.texts()


def call_cell(cell, args: tuple, kwargs: dict):
    """A call of a Cell by the user in graph mode."""
    captured = cell.__dict__.get("_captured")
    if captured is None:
        owner = weakref.ref(cell)

        def run(*arguments, **keywords):
            return owner()._run(*arguments, **keywords)

        strict = cell._jit_config_dict.get("jit_syntax_level") == "STRICT"
        captured = Captured(run, type(cell).__name__, strict, (owner,))
        cell.__dict__["_captured"] = captured
    return captured(*args, **kwargs)
