# SPDX-License-Identifier: Apache-2.0
"""`print` and summaries in a captured function happen at their place among the operators, every time."""

from __future__ import annotations

import builtins
import contextlib
import threading

from mindspore import _c_expression as _c
from mindspore.common._structure import map_tensors, tensors_in

_print = builtins.print
_thread = threading.local()


def recorded_call(what: str, function, tensors) -> bool:
    """Makes a call of a function with tensors part of the capture; False when there is none."""
    session = getattr(_thread, "session", None)
    if session is None or not session.is_active or not _c.is_capturing():
        return False
    session.host_call(what, function, tensors)
    return True


def call_in_order(write, values: tuple, options: dict) -> None:
    """Calls `write` with values now, or in a captured function every time it runs, at this place in it."""
    # The text of a Parameter does not show its value.
    tensors = [tensor for tensor in tensors_in(values) if not hasattr(tensor, "param_info")]

    def write_now(*computed):
        remaining = iter(computed)

        def in_place_of(tensor):
            return tensor if hasattr(tensor, "param_info") else next(remaining)

        write(*map_tensors(in_place_of, values), **options)

    if not recorded_call("print", write_now, tensors):
        write(*values, **options)


def _recorded_print(*values, **options):
    call_in_order(_print, values, options)


@contextlib.contextmanager
def prints_recorded(session):
    """While it lasts, this thread's `print` becomes part of the capture."""
    before, outer = builtins.print, getattr(_thread, "session", None)
    _thread.session = session
    builtins.print = _recorded_print
    try:
        yield
    finally:
        _thread.session = outer
        builtins.print = before
