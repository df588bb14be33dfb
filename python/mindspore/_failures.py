# SPDX-License-Identifier: Apache-2.0
"""What a function of the package says when its Python code stumbles over arguments that do not fit."""

from __future__ import annotations

import dis
import inspect
import os
import re
import sys
from types import TracebackType

from mindspore._spelling import keyword_hint

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_BY_HAND = {dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE") if name in dis.opmap}
_UNEXPECTED = re.compile(r"got an unexpected keyword argument '(\w+)'")
# Wrong kinds of arguments; everything else comes from shapes and values.
_KINDS = (AttributeError, TypeError)
_PLAIN = (ValueError, TypeError, IndexError)


def _last(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def is_raised_by_hand(error: BaseException) -> bool:
    """Whether a `raise` or `assert` is where the error began, not a call or an expression that failed."""
    last = _last(error.__traceback__)
    return last is not None and last.tb_frame.f_code.co_code[last.tb_lasti] in _BY_HAND


def is_stumble(error: BaseException) -> bool:
    """Whether Python code of the package met something it had not reckoned with."""
    last = _last(error.__traceback__)
    is_ours = last is not None and last.tb_frame.f_code.co_filename.startswith(_PACKAGE)
    is_native = "\n  at " in str(error) or str(error).startswith("For ")
    return is_ours and not is_native and not is_raised_by_hand(error)


def _shown(value: object) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{type(value).__name__}[{value.dtype}] of shape {tuple(value.shape)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__}"


def _listed(function, args: tuple, kwargs: dict, is_method: bool) -> str:
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        given = {**dict(enumerate(args)), **kwargs}
    return ", ".join(
        f"{name} = {_shown(value)}" for name, value in given.items() if name != "self" or is_method
    )


def _named(error: Exception, name: str) -> Exception:
    """The error; a message of the package that does not tell in whose work it arose gets the name."""
    text = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else "For"
    last = _last(error.__traceback__)
    is_ours = last is not None and last.tb_frame.f_code.co_filename.startswith(_PACKAGE)
    says_it = text.startswith("For ") or name in text or "() " in text
    if is_ours and type(error) in _PLAIN and not says_it:
        error.args = (f"For '{name}', {text}",)
    return error


def explained(function, error: Exception, args: tuple, kwargs: dict) -> Exception:
    """The error that the user is to see: the same, or one that tells what did not fit.

    Args:
        function (Callable): What was called.
        error (Exception): What it raised.
        args (tuple): Its arguments.
        kwargs (dict): Its keywords.
    """
    if sys._getframe(1).f_code.co_filename.startswith(_PACKAGE):
        return error  # a part of something else, which knows better
    name = function.__name__.rstrip("_")
    known = list(inspect.signature(function).parameters)
    owner = "ops"
    if function.__name__ == "__call__" and args:  # of a primitive
        name = type(args[0]).__name__
    elif known[:1] == ["self"]:
        owner = "Tensor"
    path = f"{owner}.{name}" if name not in ("Tensor", "tensor", "Parameter") else name
    last = _last(error.__traceback__)
    if last is None:  # the call did not begin
        wrong = _UNEXPECTED.search(str(error))
        if not wrong and known[:1] == ["self"] and owner == "ops":
            inputs = ", ".join(known[1:])
            return TypeError(
                f"For '{name}', the call takes the inputs ({inputs}), but got {len(args) + len(kwargs) - 1}."
            )
        if wrong:
            text = f"{name}() got an unexpected keyword argument '{wrong[1]}'.{keyword_hint(wrong[1], known)}"
            return TypeError(text)
        return error
    if not is_stumble(error):
        return _named(error, name)
    kind = TypeError if isinstance(error, _KINDS) else ValueError
    text = (
        f"For '{name}', the arguments do not fit: {_listed(function, args, kwargs, owner == 'Tensor')}. "
        f"help(mindspore.{path}) tells what it takes. ({type(error).__name__}: {error})"
    )
    made = kind(text)
    made.__cause__ = error
    return made.with_traceback(error.__traceback__)
