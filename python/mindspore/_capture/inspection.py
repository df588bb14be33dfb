# SPDX-License-Identifier: Apache-2.0
"""What became of functions marked with ``jit(mode="PIJit")``, as `mindspore._c_expression` is asked for it.

The names and the keys are MindSpore's, whose PIJit rewrites byte code; the answers are about what is captured
here, where Python runs under a recorder and no other code is made. They are counts of one function: of what
was recorded and replayed, and of the places where a graph ends because Python has to go on.
"""

from __future__ import annotations

import os
import types
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from mindspore import log as logger
from mindspore._capture.function import Captured
from mindspore._settings.argument_keys import PIJIT

_MARK = "_pijit"  # attribute of a function that was given to `jit`: lives as long as the function does
_default_options: dict[str, Any] = {}


_marked: weakref.WeakSet[Captured] = weakref.WeakSet()


class _Switch:
    is_on = True


class _Marked(NamedTuple):
    captured: Captured
    options: dict


def is_enabled() -> bool:
    """Whether functions marked with ``mode="PIJit"`` are compiled."""
    return _Switch.is_on


def jit_mode_pi_enable() -> bool:
    """Has functions marked with ``mode="PIJit"`` compiled; whether they were not so far."""
    was_off, _Switch.is_on = not _Switch.is_on, True
    if was_off and os.environ.get("MS_JIT") != "0":
        for captured in list(_marked):
            captured._note_what_is_special()
    return was_off


def jit_mode_pi_disable() -> bool:
    """Has them run as ordinary Python; whether they were compiled so far."""
    was_on, _Switch.is_on = _Switch.is_on, False
    for captured in list(_marked):
        captured.is_special = True  # so that a call looks whether it is compiled
    return was_on


def jit_mode_pi_compile(func: Callable, config: dict, signature: object) -> bool:
    """Whether plain calls of `func` are compiled from now on: never, only what `mindspore.jit` gives is."""
    logger.warning("'%s' stays as it is: call what mindspore.jit(fn=..., mode='PIJit') gives.", func)
    return False


def update_pijit_default_config(**options: Any) -> None:
    """Sets options that functions marked with ``mode="PIJit"`` later have unless their mark says otherwise.

    Args:
        options (dict): What ``jit(mode="PIJit", jit_config=...)`` takes.
    """
    check_options(options)
    _default_options.clear()
    _default_options.update(options)


def check_options(options: dict) -> None:
    """Says what becomes of options, unknown ones too."""
    for name, value in options.items():
        if name in PIJIT.settings:
            PIJIT.tell(name, value)
        else:
            logger.warning("unknown PIJit options: %s:%s", name, value)


def note_marked(function: Callable, compiled: types.FunctionType, options: dict) -> None:
    """Remembers what runs a function that is marked with ``mode="PIJit"``, which has all such compiled.

    Args:
        function (Callable): The function; nothing is remembered for a method, which would keep its object.
        compiled (Function): What `jit` gives for it.
        options (dict): Its options.
    """
    check_options(options)
    jit_mode_pi_enable()
    _marked.add(compiled._captured)
    marked = _Marked(compiled._captured, {**_default_options, **options})
    for each in (function, compiled):
        if isinstance(each, types.FunctionType):
            setattr(each, _MARK, marked)


def get_code_extra(func: Callable) -> dict | None:
    """What became of a function that `jit` has marked.

    Args:
        func (Callable): The function that was given to ``jit(mode="PIJit")``, or what `jit` gave.

    Returns:
        dict, None for anything else. Its entries:

        - stat: ``"GRAPH_CANDIDATE"`` before the first call, ``"GRAPH_CALLABLE"`` if a graph is kept,
          ``"NEVER_COMPILE"`` if calls run as ordinary Python.
        - compile_count\\_: How often Python was run under a recorder.
        - break_count\\_: Places where graphs end because Python looks at a value, or has to be run again.
        - code: Not there before the first call. ``call_count_``, calls that were recorded or replayed;
          ``guard_``, the kinds of calls that are known; ``phase_``, the name of the graph, if one does all
          that the function does; otherwise, and with ``interpret_captured_code=True``, ``compiled_code_``,
          the code that was run under the recorder, which is the function's own.
    """
    func = getattr(func, "__func__", func)
    marked = getattr(func, _MARK, None)
    captured = getattr(func, "_captured", None) if marked is None else marked.captured
    if not isinstance(captured, Captured):
        return None
    told = [captured] if captured._differentiated is None else [captured, captured._differentiated]
    captures = sum(each.captures for each in told)
    kinds = [entry for each in told for entry in each.report()]
    graphs = [entry for entry in kinds if entry["segments"]]
    result = {
        "stat": "GRAPH_CALLABLE" if graphs else "NEVER_COMPILE" if captures else "GRAPH_CANDIDATE",
        "compile_count_": captures,
        "break_count_": sum(map(_breaks, told)),
    }
    if captures:
        result["code"] = {
            **_what_runs(captured, marked, bool(graphs) and not result["break_count_"]),
            "call_count_": captures + sum(each.cache.runs for each in told),
        }
        if kinds:
            result["code"]["guard_"] = "\n".join(entry["arguments"] for entry in kinds)
    return result


def _breaks(captured: Captured) -> int:
    """Places where a decision parts ways, and reasons for which calls run eagerly."""
    segments = [entry["segments"] for entry in captured.report() if entry["segments"]]
    # A way that is recorded later adds one segment, and one for each further decision.
    decisions = sum(segments) - len(segments) - captured._ways.recorded
    return max(decisions, 0) + len(captured.reasons)


def _what_runs(captured: Captured, marked: _Marked | None, is_one_graph: bool) -> dict:
    is_code_meant = marked is not None and marked.options.get("interpret_captured_code", False)
    if is_one_graph and not captured._has_effects and not is_code_meant:
        return {"phase_": f"{captured.name}.{id(captured):x}"}
    code, _ = captured._code()
    return {} if code is None else {"compiled_code_": code}
