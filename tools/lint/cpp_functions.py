# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of a C++ file by following its braces.

Not a parser: comments, strings and preprocessor lines are blanked, then a brace that opens at
namespace or class scope after a parenthesis is taken for a function's body. A lambda passed to a
registration at namespace scope counts as a function, one inside a function belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPAQUE = re.compile(
    r'R"(?P<mark>[^()\\ ]{0,16})\(.*?\)(?P=mark)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # not the separator in 1'000
    r"|//[^\n]*|/\*.*?\*/"
    r"|^[ \t]*\#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b(?![^()]*\)\s*\{?$)")


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def _opens_scope(head: str) -> bool:
    """Whether the text before a brace opens a namespace or a type instead of a body."""
    declaration = re.sub(r"\btemplate\s*<.*?>(?=\s*(?:class|struct|union)\b)", "", head, flags=re.DOTALL)
    declaration = re.sub(r"\b(alignas|__attribute__|requires)\s*\([^()]*\)", "", declaration)
    return bool(_SCOPE.search(declaration)) and "(" not in declaration


def functions(source: str) -> Iterator[tuple[str, int, int]]:
    """Yields (name, line of the opening brace, number of lines) of each function."""
    text = _OPAQUE.sub(_blank, source)
    scopes = 0  # open braces of namespaces and types
    depth = 0  # open braces inside the current body
    head_start = body_start = 0
    name = ""
    for found in re.finditer(r"[{};]", text):
        sign, position = found.group(), found.start()
        if sign == ";":
            pass
        elif depth:
            depth += 1 if sign == "{" else -1
            if depth == 0 and name:
                first = text.count("\n", 0, body_start) + 1
                yield name, first, text.count("\n", body_start, position) + 1
        elif sign == "}":
            scopes = max(0, scopes - 1)
        elif _opens_scope(text[head_start:position]):
            scopes += 1
        else:
            depth, body_start = 1, position
            called = re.findall(r"([~\w:]+)\s*\(", text[head_start:position])
            name = called[0] if called else ""
        if not depth:
            head_start = position + 1
