# SPDX-License-Identifier: Apache-2.0
"""Who reads what: arguments in the code of functions, names in files, variables of the environment."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import textwrap
from pathlib import Path

import mindspore

PACKAGE = Path(mindspore.__file__).parent
SOURCES = Path(__file__).resolve().parents[2] / "src"
_VARIABLE = re.compile(r"""(?:environ(?:\.get|\.setdefault)?|getenv)\s*[\[(]\s*["'](\w+)["']""")
_LOOKED_FOR = re.compile(r"""["'](\w+)["'] in (?:os\.)?environ""")
_NAME = re.compile(r'"([A-Z][A-Z0-9_]+)"')


@functools.cache
def text_of(path: str) -> str:
    """A file of the package."""
    return (PACKAGE / path).read_text()


@functools.cache
def whole_text() -> str:
    """All files of the package."""
    return "\n".join(path.read_text() for path in sorted(PACKAGE.rglob("*.py")))


def functions_of(target: str) -> list[tuple[str, object]]:
    """What a target of a family stands for, as (name, function)."""
    module_name, _, name = target.partition(":")
    module = importlib.import_module(module_name)
    if name == "*":
        return [(each, getattr(module, each)) for each in module.__all__ if callable(getattr(module, each))]
    if name.endswith("_*"):
        return [(each, getattr(module, each)) for each in module.__all__ if each.startswith(name[:-1])]
    parts = name.split(".")
    value = functools.reduce(getattr, (part for part in parts if part != "*"), module)
    if parts[-1] == "*":
        return [(each, entry) for each, entry in vars(value).items() if not each.startswith("_")]
    return [(name, value)]


def arguments_of(function: object) -> list[str]:
    """Names of arguments, without the object itself and without collected keywords."""
    kinds = (inspect.Parameter.VAR_KEYWORD,)
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self" and parameter.kind not in kinds
    ]


def idle_arguments(function: object) -> set[str]:
    """Arguments that the code of a function does not look at, or only stores where nobody looks."""
    code = function.__init__ if isinstance(function, type) else function
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(code)))).body[0]
    uses: dict[str, int] = {}
    stored: dict[str, str] = {}
    for node in ast.walk(ast.Module(tree.body, [])):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            uses[node.id] = uses.get(node.id, 0) + 1
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            pairs = zip(target.elts, value.elts, strict=True) if both else [(target, value)]
            for place, source in pairs:
                if isinstance(place, ast.Attribute) and isinstance(source, ast.Name):
                    stored[source.id] = place.attr
    idle = set()
    for name in arguments_of(code):
        never = name not in uses
        only_stored = uses.get(name) == 1 and name in stored and not is_attribute_read(stored[name])
        if never or only_stored:
            idle.add(name)
    return idle


def is_attribute_read(name: str) -> bool:
    """Whether something in the package reads an attribute of this name."""
    return bool(re.search(rf"\.{name}\b(?!\s*(?:=[^=]|,[^=\n()]*=[^=]))", whole_text()))


def variables_of_package() -> set[str]:
    """Environment variables that Python code reads."""
    of_launchers = set(_NAME.findall(text_of("_world.py"))) - {
        "MS_WORKER",
        "MS_SCHED",
        "MS_PSERVER",
        "MS_SERVER",
    }
    return {*_VARIABLE.findall(whole_text()), *_LOOKED_FOR.findall(whole_text()), *of_launchers}


def variables_of_library() -> set[str]:
    """Environment variables that C++ code reads."""
    found = {name for name, _, _ in mindspore._c_expression.settings()}
    for path in SOURCES.rglob("*.cc"):
        if not path.name.endswith(("_test.cc", "_bench.cc", "_fuzz.cc")):
            found.update(re.findall(r'getenv\("(\w+)"\)', path.read_text()))
    return found
