# SPDX-License-Identifier: Apache-2.0
"""The typed stubs: they hold every public name with the signature it has, and type checkers can use them."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typed.package import file_of, write_stubs
from typed.places import Surface
from typed.sources import only_refuses

import mindspore

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = Path(mindspore.__file__).resolve().parent
_IS_IN_PLACE = _PACKAGE == _ROOT / "python" / "mindspore"

# Arguments that may be anything: values that are kept, checked or passed on. Fewer is better.
_MAY_BE_ANYTHING = 165


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with new stubs, and the report about them."""
    folder = tmp_path_factory.mktemp("stubs")
    return folder, write_stubs(folder)


@pytest.fixture(scope="module")
def stubs(made):
    """The folder of the stubs that users get: those of the installed package, else new ones."""
    return made[0] if _IS_IN_PLACE else _PACKAGE.parent


@pytest.fixture(scope="module")
def surface():
    return Surface()


def test_every_argument_has_a_type(made):
    report = made[1]
    assert not report.unknown
    assert len(report.any_arguments) <= _MAY_BE_ANYTHING, "\n".join(report.any_arguments)


def test_the_package_says_that_it_is_typed():
    assert (_PACKAGE / "py.typed").exists()


@pytest.mark.skipif(_IS_IN_PLACE, reason="an in-place build writes stubs when asked")
def test_the_installed_stubs_are_those_of_the_package(made):
    new = {path.relative_to(made[0]): path.read_text() for path in made[0].rglob("*.pyi")}
    installed = {path.relative_to(_PACKAGE.parent): path.read_text() for path in _PACKAGE.rglob("*.pyi")}
    assert installed == new


class _Stub:
    """A stub as a type checker sees it."""

    def __init__(self, path: Path) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.shown: set[str] = set()
        self.forwards = False
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = node
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, ast.ImportFrom):
                # In a stub only `from x import y as y` shows y to others.
                self.shown.update(alias.name for alias in node.names if alias.asname == alias.name)
                self.shown.update(alias.asname for alias in node.names if alias.asname)
                self.forwards |= any(alias.name == "*" for alias in node.names)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                self.shown.add(target.id)

    def names(self) -> set[str]:
        return {name for name in {*self.functions, *self.classes, *self.shown} if not name.startswith("_")}


@pytest.fixture(scope="module")
def parsed(stubs, surface):
    return {name: _Stub(file_of(name, stubs)) for name in surface.modules}


def test_a_stub_names_what_its_module_offers_and_nothing_else(parsed, surface):
    differences = {}
    for module, stub in parsed.items():
        offered = {public.name for public in surface.names[module]}
        # Names of public classes that only other stubs need are defined here, too.
        extra = {name for name in stub.names() - offered if not hasattr(surface.modules[module], name)}
        missing = set() if stub.forwards else offered - stub.names()
        if extra or missing:
            differences[module] = (extra, missing)
    assert not differences


def _signature(node: ast.FunctionDef, skip_self: bool) -> list[tuple[str, str, bool]]:
    """(name, kind, has a default) of every parameter."""
    given = node.args
    plain = [*((a, "positional") for a in given.posonlyargs), *((a, "plain") for a in given.args)]
    defaults = [False] * (len(plain) - len(given.defaults)) + [True] * len(given.defaults)
    found = [(a.arg, kind, has) for (a, kind), has in zip(plain, defaults, strict=True)]
    found = found[1:] if skip_self else found
    if given.vararg:
        found.append((given.vararg.arg, "rest", False))
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    found += [(a.arg, "keyword", default is not None) for a, default in pairs]
    if given.kwarg:
        found.append((given.kwarg.arg, "keywords", False))
    return found


_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "plain",
    inspect.Parameter.VAR_POSITIONAL: "rest",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "keywords",
}


def _of_runtime(value, skip_self: bool = False) -> list[tuple[str, str, bool]]:
    parameters = list(inspect.signature(value).parameters.values())[skip_self:]
    return [(p.name, _KINDS[p.kind], p.default is not p.empty) for p in parameters]


def test_signatures_are_those_of_the_functions(parsed, surface):
    differences = []
    for module, stub in parsed.items():
        for name, node in stub.functions.items():
            value = getattr(surface.modules[module], name)
            if _signature(node, False) != _of_runtime(value):
                differences.append(f"{module}.{name}")
    assert not differences


def test_signatures_are_those_of_the_classes(parsed, surface):
    differences = []
    for module, stub in parsed.items():
        for name, node in stub.classes.items():
            cls = getattr(surface.modules[module], name)
            for method in node.body:
                if not isinstance(method, ast.FunctionDef) or _is_setter(method):
                    continue
                difference = _difference(cls, method)
                if difference:
                    differences.append(f"{module}.{name}.{difference}")
    assert not differences


def _is_setter(method: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Attribute) for one in method.decorator_list)


def _difference(cls: type, method: ast.FunctionDef) -> str:
    decorators = {getattr(one, "id", "") for one in method.decorator_list}
    runtime = inspect.getattr_static(cls, method.name, None)
    if runtime is None:
        return "" if method.name == "__call__" else f"{method.name}: not there"
    if "property" in decorators or method.name.startswith("__") and method.name != "__init__":
        return ""
    if method.name == "__init__":
        written = getattr(runtime, "_stands_for", None)  # behind a decorator that hides it
        expected = _of_runtime(cls) if written is None else _of_runtime(written, True)
        return "" if _signature(method, True) == expected else method.name
    function = getattr(runtime, "__func__", runtime)
    if only_refuses(function):  # whoever derives from the class may take other arguments
        return ""
    static = "staticmethod" in decorators
    same = _signature(method, not static) == _of_runtime(function, not static)
    return "" if same else method.name


def _mypy(stubs: Path, *arguments: str) -> str:
    environment = {**os.environ, "MYPYPATH": str(stubs) if _IS_IN_PLACE else ""}
    command = [sys.executable, "-m", "mypy", "--config-file", os.devnull, "--no-error-summary", *arguments]
    done = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1) and "No module named" not in done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def mypy(stubs, tmp_path_factory):
    """Runs mypy; what it has learnt about the stubs is kept between runs."""
    cache = str(tmp_path_factory.mktemp("mypy"))
    return lambda *arguments: _mypy(stubs, "--cache-dir", cache, *arguments)


def test_mypy_accepts_the_stubs_themselves(mypy, made):
    assert mypy(str(made[0] / "mindspore")) == ""


def test_mypy_accepts_the_examples(mypy):
    assert mypy("--check-untyped-defs", *map(str, sorted((_ROOT / "examples").glob("*.py")))) == ""


def test_mypy_accepts_what_users_write(mypy):
    assert mypy("--strict-equality", "--warn-return-any", "tests/api/typed_programs/accepted.py") == ""


def test_mypy_sees_mistakes(mypy):
    program = _ROOT / "tests" / "api" / "typed_programs" / "refused.py"
    seen: dict[int, set[str]] = {}
    for line in mypy(str(program)).splitlines():
        match = re.match(r".*?:(\d+): error: .*\[([\w-]+)\]$", line)
        if match:
            seen.setdefault(int(match.group(1)), set()).add(match.group(2))
    expected = {}
    for number, line in enumerate(program.read_text().splitlines(), 1):
        if "# expected: " in line:
            expected[number] = set(line.partition("# expected: ")[2].split(", "))
    assert seen == expected
