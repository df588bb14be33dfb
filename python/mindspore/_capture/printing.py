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


def _recorded_print(*values, **options):
    # The text of a Parameter does not show its value.
    tensors = [tensor for tensor in tensors_in(values) if not hasattr(tensor, "param_info")]

    def print_now(*computed):
        remaining = iter(computed)

        def in_place_of(tensor):
            return tensor if hasattr(tensor, "param_info") else next(remaining)

        _print(*map_tensors(in_place_of, values), **options)

    if not recorded_call("print", print_now, tensors):
        _print(*values, **options)


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
