# SPDX-License-Identifier: Apache-2.0
"""What docstrings say about arguments and results."""

from __future__ import annotations

import inspect
import re
from functools import cache

_TITLES = (
    "Args|Arguments|Inputs|Keyword Args|Outputs|Returns|Raises|Yields|Note|Notes|Warning|Examples|Example|"
    "Supported Platforms|Attributes|Columns"
)
_SECTION = re.compile(rf"^(?:{_TITLES}):[ \t]*$", re.MULTILINE)
_NAMES = r"\*{0,2}\w+(?: ?, ?\*{0,2}\w+)*"
_ARGUMENT = re.compile(rf"^(?:- \*\*)?({_NAMES})(?:\*\*)? \((.*)\)(?: -|:|$)")


@cache
def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by title; what stands before the first is under the empty title."""
    text = inspect.cleandoc(text or "")
    titles = list(_SECTION.finditer(text))
    found = {"": text[: titles[0].start()] if titles else text}
    for title, following in zip(titles, [*titles[1:], None], strict=False):
        end = following.start() if following else len(text)
        body = inspect.cleandoc(text[title.end() : end])
        found[title.group().rstrip().rstrip(":")] = body
    return found


def _entries(section: str) -> list[str]:
    """Entries of a section, each in one line."""
    lines: list[str] = []
    for line in section.splitlines():
        if line[:1] not in (" ", "") or not lines:
            lines.append(line)
        elif line.strip():
            lines[-1] += " " + line.strip()
    return lines


def _balanced(text: str) -> str:
    """`text` up to the parenthesis that closes the one before it."""
    depth = 1
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[:position]
    return text


def argument_words(text: str, *titles: str) -> dict[str, str]:
    """Argument -> the words that name its type, as in ``x (Tensor): ...`` or ``- **x** (Tensor) - ...``."""
    words: dict[str, str] = {}
    for title in titles:
        for entry in _entries(sections(text).get(title, "")):
            match = _ARGUMENT.match(entry)
            if match:
                said = _balanced(entry[match.start(2) :])
                for name in match.group(1).split(","):
                    words[name.strip().lstrip("*")] = said
    return words


def result_words(text: str, *titles: str) -> str:
    """The words a section on results begins with, up to the first comma, colon or full stop; else empty."""
    for title in titles:
        entries = _entries(sections(text).get(title, ""))
        if not entries:
            continue
        match = _ARGUMENT.match(entries[0])
        if match:
            said = [_ARGUMENT.match(entry) for entry in entries]
            return ", ".join(_balanced(e[m.start(2) :]) for e, m in zip(entries, said, strict=True) if m)
        return _first_words(entries[0].lstrip("- "))
    return ""


def _first_words(text: str) -> str:
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
        if depth == 0 and character in ".,:;" and text[position + 1 : position + 2] in (" ", ""):
            return text[:position]
    return text


def referred(text: str) -> list[str]:
    """Names of functions whose documentation also holds here, as in "see `amax`"."""
    return re.findall(r"(?:[Ss]ee|as|like|of) `(?:[\w.]*\.)?(\w+)`", text or "")
