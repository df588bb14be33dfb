# SPDX-License-Identifier: Apache-2.0
"""The text of stubs: names with their imports, parameters, functions."""

from __future__ import annotations

import builtins
import inspect
import re

from typed.signatures import Argument

_TOKEN = re.compile(r"\{([\w.]+):([\w.]+)\}")
_NAME = re.compile(r"(?<![\w.\"'])([A-Za-z_]\w*)(?![\w\"'])")
_EMPTY = inspect.Parameter.empty


class Imports:
    """The names that a stub imports for its types.

    Args:
        module (str): The module of the stub.
        taken (set[str]): Names that mean something else there.
    """

    def __init__(self, module: str, taken: set[str]) -> None:
        self.module = module
        self.taken = taken
        self._lines: dict[str, set[str]] = {}
        self.needed: set[tuple[str, str]] = set()  # names of the package, which other stubs have to define
        self._needs_builtins = False

    def render(self, kind: str, hidden: set[str] = frozenset()) -> str:
        """The text of a type where the names in `hidden` (members of a class) mean something else."""

        def spelled(match: re.Match) -> str:
            home, name = match.groups()
            root = name.partition(".")[0]
            if home.startswith("mindspore"):
                self.needed.add((home, root))
            if home == self.module and root not in hidden:
                return name
            collides = root in self.taken or root in hidden
            local = f"_{root}" if collides else root
            self._lines.setdefault(home, set()).add(f"{root} as {local}" if collides else root)
            return name.replace(root, local, 1)

        def visible(match: re.Match) -> str:
            name = match.group(1)
            if hasattr(builtins, name) and name in (self.taken | hidden) and name != "None":
                self._needs_builtins = True
                return f"_builtins.{name}"
            return name

        parts, position = [], 0
        for match in _TOKEN.finditer(kind):
            parts += [_NAME.sub(visible, kind[position : match.start()]), spelled(match)]
            position = match.end()
        return "".join([*parts, _NAME.sub(visible, kind[position:])])

    def lines(self) -> list[str]:
        """The import statements."""
        found = ["import builtins as _builtins"] if self._needs_builtins else []
        return found + [
            f"from {home} import {', '.join(sorted(self._lines[home]))}" for home in sorted(self._lines)
        ]


def default_text(default: object) -> str:
    """A default as it stands in a stub; what is no plain value becomes `...`."""
    plain = default is None or isinstance(default, (bool, int, float, str, bytes))
    if isinstance(default, tuple):
        plain = all(default_text(item) != "..." for item in default)
    # An enum may be an int or a str as well.
    plain = plain and type(default).__module__ == "builtins"
    return repr(default) if plain and repr(default) not in ("inf", "-inf", "nan") else "..."


def parameter_list(arguments: list[Argument], imports: Imports, hidden: set[str]) -> str:
    """The parameters between the parentheses of a `def`."""
    parts: list[str] = []
    seen_star = False
    for place, argument in enumerate(arguments):
        if argument.kind is inspect.Parameter.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        prefix = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
        seen_star |= argument.kind is inspect.Parameter.VAR_POSITIONAL
        text = prefix.get(argument.kind, "") + argument.name
        if argument.type:
            text += f": {imports.render(argument.type, hidden)}"
        if argument.default is not _EMPTY:
            text += f" = {default_text(argument.default)}"
        parts.append(text)
        following = arguments[place + 1] if place + 1 < len(arguments) else None
        only = inspect.Parameter.POSITIONAL_ONLY
        if argument.kind is only and (following is None or following.kind is not only):
            parts.append("/")
    return ", ".join(parts)


def docstring_lines(text: str | None, indent: str) -> list[str]:
    """A docstring in a stub."""
    if not text:
        return []
    escaped = inspect.cleandoc(text).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [f'{indent}"""{escaped}' + ("\n" if "\n" in escaped else "") + '"""']
    return [line.rstrip() for line in "\n".join(lines).replace("\n", f"\n{indent}").split("\n")]


def function_lines(
    name: str, parameters: str, result: str, indent: str = "", doc: str | None = None, note: str = ""
) -> list[str]:
    """A function of a stub."""
    head = f"{indent}def {name}({parameters}) -> {result}:"
    if not doc:
        return [f"{head} ...{note}"]
    return [head + note, *docstring_lines(doc, indent + "    "), f"{indent}    ..."]
