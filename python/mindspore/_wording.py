# SPDX-License-Identifier: Apache-2.0
"""Documentation of families: what their members say alike is written once.

The docstring of a member says what is its own. The words for arguments that it leaves out come from the
family, their order and defaults from the signature, and sections that it does not have from the family.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

_Member = TypeVar("_Member", bound=Callable[..., Any])

_TITLES = (
    *("", "Args", "Keyword Args", "Inputs", "Outputs", "Returns", "Attributes", "Raises"),
    *("Supported Platforms", "Examples"),
)
_SECTION = re.compile(rf"^({'|'.join(_TITLES[1:])}):[ \t]*$", re.MULTILINE)
_ENTRY = re.compile(r"^(?:- \*\*|\*+)?(\w+)[^\n]*(?:\n[ \n][^\n]*)*", re.MULTILINE)
_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_WIDTH = 102  # of a line that stands eight columns to the right in its file


def sections_of(text: str) -> dict[str, str]:
    """Title -> text without indentation; what stands before the first title is under the empty one."""
    parts = _SECTION.split(inspect.cleandoc(text))
    bodies = [parts[0].strip(), *(inspect.cleandoc(body) for body in parts[2::2])]
    return dict(zip(["", *parts[1::2]], bodies, strict=True))


def _entries(section: str) -> dict[str, str]:
    """Name -> words of a section that explains names."""
    return {found[1]: found[0].rstrip() for found in _ENTRY.finditer(section)}


def _shown(default: object) -> str:
    if isinstance(default, str):
        return f'"{default}"'
    return getattr(default, "__name__", None) or repr(default)


def _with_default(entry: str, parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty or "Default:" in entry:
        return entry
    said = f"Default: ``{_shown(parameter.default)}``."
    last = entry.rpartition("\n")[2]
    between = " " if len(last) + 1 + len(said) <= _WIDTH else "\n    "
    return entry + between + said


def _parameters(member: Callable) -> list[inspect.Parameter]:
    if not isinstance(member, type):
        return list(inspect.signature(member).parameters.values())
    constructor = getattr(member.__init__, "_stands_for", member.__init__)
    return list(inspect.signature(constructor).parameters.values())[1:]


class LateText:
    """``__doc__`` of a class, put together when somebody reads it: an import need not wait for that."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __get__(self, instance: object, owner: type) -> str:
        return self._make()


class Wording:
    """What the members of a family say alike; a decorator of its classes and functions.

    Args:
        text (str): Sections as in a docstring. `Args` may explain more arguments than a member has, and
            `Inputs` more than its `construct` takes. Methods are explained, too, if all of their arguments
            can be.
        methods (str): Sections for methods of the classes, by their names.
    """

    def __init__(self, text: str, **methods: str) -> None:
        self._text, self._methods = text, methods

    def __call__(self, member: _Member) -> _Member:
        own = member.__doc__
        if own is None:  # the interpreter was asked to leave documentation out
            return member
        if isinstance(member, type):
            member.__doc__ = LateText(lambda: self._joined(own, member))
            words = _entries(sections_of(self._text).get("Args", ""))
            for name, value in vars(member).items():
                method = getattr(value, "__func__", value)
                if inspect.isfunction(method) and (method.__doc__ is not None or name in self._methods):
                    method.__doc__ = _of_method(method, words, self._methods.get(name, ""))
        else:
            member.__doc__ = self._joined(own, member)
        return member

    def _joined(self, own: str, member: Callable) -> str:
        said, shared = sections_of(own), sections_of(self._text)
        words = _entries(shared.get("Args", ""))
        sections = {**shared, **said, **_arguments(said, words, _parameters(member))}
        if "Inputs" in shared and "Inputs" not in said:
            taken = inspect.signature(member.construct).parameters
            chosen = [words for name, words in _entries(shared["Inputs"]).items() if name in taken]
            sections["Inputs"] = "\n".join(chosen)
        return written(sections)


def _of_method(method: Callable, words: dict[str, str], text: str) -> str:
    """The docstring of a method, with the words of its family for what it leaves out."""
    code = method.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 2]
    if not text and words.keys().isdisjoint(names):
        return method.__doc__
    said, shared = sections_of(method.__doc__ or ""), sections_of(text)
    known = {**words, **_entries(said.get("Args", ""))}
    parameters = [p for p in inspect.signature(method).parameters.values() if p.name not in ("self", "cls")]
    explained = {}
    if all(parameter.name in known for parameter in parameters):
        explained = _arguments(said, words, parameters)
    return written({**shared, **said, "": said[""] or shared[""], **explained})


def _arguments(
    said: dict[str, str], words: dict[str, str], parameters: list[inspect.Parameter]
) -> dict[str, str]:
    """The sections about arguments, in the order of the signature."""
    words = dict(words)
    for title in ("Args", "Keyword Args"):
        words.update(_entries(said.get(title, "")))
    found: dict[str, list[str]] = {"Args": [], "Keyword Args": []}
    for parameter in parameters:
        if parameter.kind in _COLLECTING and parameter.name not in words:
            continue  # arguments of others, passed on
        title = "Keyword Args" if parameter.kind is parameter.KEYWORD_ONLY else "Args"
        found[title].append(_with_default(words[parameter.name], parameter))
    return {title: "\n".join(entries) for title, entries in found.items()}


def written(sections: dict[str, str]) -> str:
    """The docstring with these sections, in the usual order; empty ones are left out."""
    parts = [sections[""]]
    for title in _TITLES[1:]:
        if sections.get(title):
            body = sections[title].replace("\n", "\n    ").replace("\n    \n", "\n\n")
            parts.append(f"{title}:\n    {body}")
    return "\n\n".join(parts)
