# SPDX-License-Identifier: Apache-2.0
"""What a compilation that failed leaves behind: a file with the error, its lines, and the graph so far."""

from __future__ import annotations

import linecache
import os
import traceback
from types import FrameType, TracebackType

from mindspore import log as logger
from mindspore._capture.unbound import explain
from mindspore._capture.undecided import undefined_name
from mindspore._capture.wording import reworded
from mindspore._failures import is_raised_by_hand

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_RULE = "# " + "=" * 98
# The second name is the one that questions and answers use.
_NAMES = ("analyze_fail.ir", "analyze_failed.ir")


def _is_users(frame: FrameType) -> bool:
    return not frame.f_code.co_filename.startswith(_PACKAGE)


def _users_lines(error: BaseException) -> list[tuple[str, int]]:
    """The lines outside the package that an error went through, outermost first, each once in a row."""
    lines: list[tuple[str, int]] = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        place = (frame.f_code.co_filename, line)
        if _is_users(frame) and place not in lines[-1:]:
            lines.append(place)
    return lines


def is_on_purpose(error: BaseException) -> bool:
    """Whether a `raise` or `assert` of the user's own, not a call that failed, is where the error began."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and _is_users(frames[-1]) and is_raised_by_hand(error)


def _described(name: str, error: BaseException, lines: list[tuple[str, int]]) -> list[str]:
    said = f"'{name}' could not be compiled: {type(error).__name__}: {error}"
    text = [_RULE, *(f"# {line}" for line in said.splitlines()), "#", "# It went through these lines:"]
    for number, (file, line) in enumerate(lines):
        text += [f"# {number} In file {file}:{line}", f"#     {linecache.getline(file, line).strip()}"]
    return [
        *text,
        _RULE,
        "# How to read on: the operators below were recorded before the error, in the order of the program;",
        "# each ends with its line. The arrow at the end marks the line that could not be recorded: compare",
        "# the shapes and types of what it uses with what the message asks for.",
        _RULE,
    ]


def _marked(file: str, line: int) -> list[str]:
    text = ["#------------------------> 0", f"# In file {file}:{line}"]
    for number in range(max(1, line - 3), line + 4):
        source = linecache.getline(file, number).rstrip()
        if source:
            text.append(f"# {'>>>' if number == line else '   '} {number:5d} {source}")
    return text


def _folder(graphs_folder: str | None) -> str:
    base = os.environ.get("MS_OM_PATH") or graphs_folder or os.getcwd()
    ranks = (os.environ.get(name, "") for name in ("RANK_ID", "OMPI_COMM_WORLD_RANK", "MS_NODE_ID"))
    rank = next((rank for rank in ranks if rank.isdigit()), "0")
    return os.path.join(os.path.abspath(base), f"rank_{rank}", "om")


def write_failure(name: str, text: str, error: BaseException, graphs_folder: str | None) -> None:
    """Writes the file and names it in the error's message; an error raised on purpose stays as it is.

    Args:
        name (str): The function.
        text (str): The graph that was recorded until the error.
        error (BaseException): The error.
        graphs_folder (str): Where graphs are written; None when they are not.
    """
    if not isinstance(error, Exception) or is_on_purpose(error):
        return
    _say_where(error)
    lines = _users_lines(error) or [("unknown", 0)]
    content = [
        *_described(name, error, lines),
        text.rstrip(),
        *_marked(*lines[-1]),
        "# No more function graphs.",
    ]
    try:
        folder = _folder(graphs_folder)
        os.makedirs(folder, exist_ok=True)
        for file_name in _NAMES:
            with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
                file.write("\n".join(content) + "\n")
    except OSError as problem:
        logger.info("The graph of '%s' cannot be written: %s.", name, problem)
        return
    _say(error, f"(See file '{os.path.join(folder, _NAMES[0])}' for more details.)")


def _say(error: Exception, *more: str) -> None:
    if len(error.args) == 1 and isinstance(error.args[0], str):
        said = error.args[0]
        end = "." if said[-1:].isalnum() and "\n" not in said else ""  # a sentence, before others follow
        error.args = ("\n".join((said + end, *more)),)


def raise_undefined_name(error: BaseException) -> None:
    """Raises what is behind an error about a decision that cannot be made, if a name there is undefined.

    Args:
        error (BaseException): What a compilation has failed with; it becomes the cause.

    Raises:
        NameError: Nothing defines the name.
    """
    step = _last_users_step(error)
    found = step and undefined_name(error, step.tb_frame, step.tb_lineno)
    if found:
        name, line = found
        where = _shown(step.tb_frame.f_code.co_filename, line)
        raise NameError("\n".join((_about_name(name), *where)), name=name) from error


def _about_name(name: str) -> str:
    return f"The name '{name}' is not defined, neither in the function nor around it."


def _last_users_step(error: BaseException) -> TracebackType | None:
    step, found = error.__traceback__, None
    while step is not None:
        if _is_users(step.tb_frame):
            found = step
        step = step.tb_next
    return found


def _say_where(error: Exception) -> None:
    """Names the user's line, and what is wrong there where Python's words do not tell it."""
    step = _last_users_step(error)
    if step is None or f"{step.tb_frame.f_code.co_filename}:{step.tb_lineno}" in str(error):
        return
    code, line = step.tb_frame.f_code, step.tb_lineno
    found = explain(error, code, line) if isinstance(error, UnboundLocalError) else None
    if type(error) is NameError and error.name:
        error.args = (_about_name(error.name),)
    elif step.tb_next is None:  # not something that the package's own Python stumbled over
        words = reworded(error, code, step.tb_lasti)
        error.args = error.args if words is None else (words,)
    if found is not None:
        _say(error, found[0], *(text for each in found[1] for text in _shown(code.co_filename, each)))
    _say(error, *_shown(code.co_filename, line))


def _shown(file: str, line: int) -> tuple[str, ...]:
    source = linecache.getline(file, line).strip()
    return (f"In file {file}:{line}", *([f"    {source}"] if source else []))
