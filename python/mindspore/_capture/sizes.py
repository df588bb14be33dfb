# SPDX-License-Identifier: Apache-2.0
"""Functions called with ever new sizes: learnt once with sizes as symbols, then compiled without Python.

The run that learns is a rehearsal. It gets its own stand-ins, whose `shape` gives numbers that remember how
they were computed; what Python calls and compares is written down, and nothing of it happens. Whatever cannot
be written down leaves the function with a capture for each shape.
"""

from __future__ import annotations

import gc

from mindspore import _c_expression as _c
from mindspore._capture.cell_path import CellPaths
from mindspore._capture.printing import prints_recorded
from mindspore.common._structure import tensors_in


def learn(cache, function, roots: tuple, args: tuple, kwargs: dict, at_once: bool, was_there) -> None:
    """Learns how calls of a function depend on sizes, if enough of them have differed in nothing else.

    Args:
        cache (TraceCache): Its traces; a call with these arguments has just been captured.
        function (Callable): The function, which has no effects but what its operators do.
        roots (tuple): Objects the function is known to use, a Cell for instance.
        args (tuple): Positional arguments.
        kwargs (dict): Keyword arguments.
        at_once (bool): Do not wait for other sizes: the user has said that they will come.
        was_there (Callable): Whether an object existed before the function ran.
    """
    if _c.is_recording():
        return
    session = cache.begin_recipe(args, kwargs, at_once)
    if session is None:
        return
    collects, switch = gc.isenabled(), _c.RecordingSwitch(False)
    gc.disable()  # what a collection calls back is not part of the function
    try:
        with prints_recorded(session), CellPaths(roots):
            session.finish(function(*session.arguments, **session.keywords), was_there)
    except Exception as error:
        # Never the user's: the same call has just come to its end without symbols.
        session.refuse(str(error).partition("\n")[0])
    except BaseException:
        session.refuse("it was interrupted")
        raise
    finally:
        del switch  # whatever the run has left behind, nothing is recorded now
        if collects:
            gc.enable()


def leaves_sizes_open(declared) -> bool:
    """Whether what was declared of inputs leaves a size unknown."""
    return any(
        length is None or length < 0
        for tensor in tensors_in(declared if isinstance(declared, (tuple, list, dict)) else (declared,))
        for length in tensor.shape
    )
