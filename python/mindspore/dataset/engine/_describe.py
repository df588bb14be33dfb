# SPDX-License-Identifier: Apache-2.0
"""Values and functions as text that differs when what they compute does.

A function is described by its code, constants, defaults, closure, the globals it refers to and what it
imports, all the way down to libraries, which are described by name and version. What cannot be described
is refused: rows that were made by it could not be told from rows of another one.
"""

from __future__ import annotations

import abc
import copyreg
import dis
import enum
import functools
import hashlib
import importlib
import inspect
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..transforms._operation import TensorOperation, has_own_call

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
_LIBRARY_FOLDERS = tuple(
    {sysconfig.get_path(name) + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_SHORT = 256  # characters that stand for themselves
# Of transforms: set when a pipeline is built, by what the list of operations says.
_NOT_STATE = frozenset({"_made", "implementation"})


class CannotDescribeError(Exception):
    """Nothing says what this value is; the message names it."""


def describe(value: Any) -> str:
    """Text that is the same for the same value in every process, and another one for another value."""
    try:
        return _Description().of(value)
    except RecursionError:
        raise CannotDescribeError(f"a value of type '{_full_name(type(value))}' that goes too deep") from None


class _Description:
    """One description; things that were met before are named by their number."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no id is used twice

    def of(self, value: Any) -> str:
        if type(value) in _PLAIN:
            return _plain(value)
        if id(value) in self._met:
            return f"<{self._met[id(value)]}>"
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        if type(value) in _CONTAINERS:
            return _CONTAINERS[type(value)](self, value)
        for kinds, describe_kind in _KINDS:
            if isinstance(value, kinds):
                return describe_kind(self, value)
        return self._object(value)

    def _listed(self, values: Any) -> str:
        return ",".join(map(self.of, values))

    def _sequence(self, value: Any) -> str:
        return f"{_kind(value)}[{self._listed(value)}]"

    def _mapping(self, value: dict) -> str:
        return f"{_kind(value)}{{{self._items(value)}}}"

    def _items(self, value: dict) -> str:
        return ",".join(f"{self.of(key)}:{self.of(entry)}" for key, entry in value.items())

    def _set(self, value: Any) -> str:
        # Each by a description of its own: their order differs from process to process.
        parts = sorted(_Description().of(one) for one in value)
        return f"{_kind(value)}{{{','.join(parts)}}}"

    def _array(self, value: np.ndarray) -> str:
        if value.dtype.hasobject:
            return f"array({value.shape},{self._listed(value.ravel().tolist())})"
        content = np.ascontiguousarray(value)
        return f"array({value.dtype!r},{value.shape},{_digest(content.tobytes())})"

    def _enum(self, value: enum.Enum) -> str:
        name = value.name or repr(value.value)  # several flags may have none
        if _is_library(type(value).__module__):
            return f"{_full_name(type(value))}.{name}"
        return f"{self.of(type(value))}.{name}"

    def _partial(self, value: functools.partial) -> str:
        return f"partial({self.of(value.func)},{self._listed(value.args)},{self._items(value.keywords)})"

    def _method(self, value: types.MethodType) -> str:
        return f"method({self.of(value.__func__)},{self.of(value.__self__)})"

    def _builtin(self, value: types.BuiltinFunctionType) -> str:
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return _library_name(value)
        return f"method({value.__qualname__},{self.of(owner)})"

    def _module(self, value: types.ModuleType) -> str:
        if _is_library(value.__name__):
            return _versioned(value.__name__)
        path = getattr(value, "__file__", None)
        if path is None:
            raise CannotDescribeError(f"module '{value.__name__}'")
        with open(path, "rb") as file:
            content = _digest(file.read())
        # Its own text, and the modules of the user's that it takes something from.
        others = {
            owner.__name__: owner for owner in map(_module_of, vars(value).values()) if owner is not None
        }
        used = [self.of(others[name]) for name in sorted(others) if not _is_library(name)]
        # Numbers and text may have been set since it was read.
        used += [
            f"{name}={_plain(one)}"
            for name, one in sorted(vars(value).items())
            if type(one) in _PLAIN and not name.startswith("__")
        ]
        return f"module({value.__name__},{content},{','.join(used)})"

    def _function(self, value: types.FunctionType) -> str:
        # Not by __module__, which decorators copy from the function they wrap.
        if _is_library(value.__globals__.get("__name__")):
            parts = [self._code(value.__code__), self._captured(value)]
            if "<" in value.__qualname__:  # made anew by each call of another
                parts += [self.of(value.__defaults__), self.of(value.__kwdefaults__)]
            return f"{_library_name(value)}({','.join(parts)})"
        parts = [self._code(value.__code__)]
        parts += [self.of(value.__defaults__), self.of(value.__kwdefaults__), self._captured(value)]
        parts += [f"{name}={self.of(bound)}" for name, bound in _globals_of(value)]
        parts += [f"{name}={self.of(bound)}" for name, bound in _imports_of(value)]
        parts.append(self._items(vars(value)))
        return f"function({','.join(parts)})"

    def _captured(self, value: types.FunctionType) -> str:
        cells = []
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            try:
                cells.append(f"{name}={self.of(cell.cell_contents)}")
            except ValueError:  # not bound yet
                cells.append(name)
        return f"({','.join(cells)})"

    def _code(self, code: types.CodeType) -> str:
        constants = [
            self._code(one) if isinstance(one, types.CodeType) else self.of(one) for one in code.co_consts
        ]
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        table = getattr(code, "co_exceptiontable", b"")
        return f"code({_digest(code.co_code + table)},{names},{counts},[{','.join(constants)}])"

    def _class(self, value: type) -> str:
        if _is_library(value.__module__):
            return _library_name(value)
        skipped = {"__dict__", "__weakref__", "__module__", "__doc__", "__qualname__", "__firstlineno__"}
        skipped |= {"__static_attributes__", "__annotations__", "__slotnames__", "_abc_impl"}
        content = {name: entry for name, entry in vars(value).items() if name not in skipped}
        bases = self._listed(value.__bases__)
        return f"class({value.__qualname__},{bases},{self._items(content)})"

    def _property(self, value: property) -> str:
        return f"property({self._listed((value.fget, value.fset, value.fdel))})"

    def _wrapped(self, value: staticmethod | classmethod) -> str:
        return f"{_kind(value)}({self.of(value.__func__)})"

    def _object(self, value: Any) -> str:
        kind = type(value)
        is_transform = isinstance(value, TensorOperation) and not has_own_call(value)
        skipped = _NOT_STATE if is_transform else frozenset()
        state = {name: entry for name, entry in _state_of(value).items() if name not in skipped}
        described = f"{self.of(kind)},{self._items(state)}"
        if (is_transform and _is_library(kind.__module__)) or _is_plain_class(kind):
            return f"object({described})"
        if isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            return f"slot({value.__name__})"
        reduced = _reduced(value)  # what lies behind attributes, as copies are made of it
        if isinstance(reduced, str):
            return f"object({described},{reduced})"
        parts = [list(part) if isinstance(part, Iterator) else part for part in reduced]
        return f"object({described},{self._listed(parts)})"


_KINDS: tuple[tuple[Any, Callable[[_Description, Any], str]], ...] = (
    (enum.Enum, _Description._enum),
    (types.FunctionType, _Description._function),
    (types.MethodType, _Description._method),
    ((types.BuiltinFunctionType, types.MethodWrapperType), _Description._builtin),
    (types.ModuleType, _Description._module),
    (type, _Description._class),
    (property, _Description._property),
    ((staticmethod, classmethod), _Description._wrapped),
    (functools.partial, _Description._partial),
    (types.MappingProxyType, _Description._mapping),
)
_CONTAINERS: dict[type, Callable[[_Description, Any], str]] = {
    list: _Description._sequence,
    tuple: _Description._sequence,
    dict: _Description._mapping,
    set: _Description._set,
    frozenset: _Description._set,
    np.ndarray: _Description._array,
}


def _plain(value: Any) -> str:
    text = hex(value) if type(value) is int and value.bit_length() > _SHORT else repr(value)
    return (
        text if len(text) <= _SHORT else f"{type(value).__name__}({_digest(text.encode('utf-8', 'replace'))})"
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _kind(value: Any) -> str:
    return type(value).__qualname__


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _state_of(value: Any) -> dict[str, Any]:
    """What an object of a class written in Python has beside its class."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind) if hasattr(value, name)]
    return {**{name: getattr(value, name) for name in slots}, **getattr(value, "__dict__", {})}


def _is_plain_class(kind: type) -> bool:
    """Whether all is written by the user: then attributes are the whole state."""
    return all(not _is_library(one.__module__) or one in (object, abc.ABC) for one in kind.__mro__)


def _reduced(value: Any) -> Any:
    try:
        reduce = copyreg.dispatch_table.get(type(value))
        return reduce(value) if reduce is not None else value.__reduce_ex__(4)
    except Exception as error:
        raise CannotDescribeError(f"a value of type '{_full_name(type(value))}'") from error


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    slots = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in slots if name not in ("__dict__", "__weakref__"))


@functools.cache
def _is_library(name: str | None) -> bool:
    """Whether the module is none of the user's: it changes with its version only."""
    if not name or name == "__main__":
        return False
    top = name.partition(".")[0]
    if top in sys.builtin_module_names or top in sys.stdlib_module_names or top == "mindspore":
        return True
    module = sys.modules.get(top)
    path = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
    return path.startswith(_LIBRARY_FOLDERS)


def _versioned(name: str) -> str:
    top = sys.modules.get(name.partition(".")[0])
    version = getattr(top, "__version__", None) or ".".join(map(str, sys.version_info[:2]))
    return f"{name}@{version}"


def _library_name(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", "")
    return f"{_versioned(getattr(value, '__module__', None) or 'builtins')}:{name}"


def _module_of(value: Any) -> types.ModuleType | None:
    if isinstance(value, types.ModuleType):
        return value
    return sys.modules.get(getattr(value, "__module__", None) or "")


def _globals_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Globals that the code and the functions inside of it name, with the attributes of modules they want."""
    known = function.__globals__
    seen = set()
    for path in _global_paths(function.__code__):
        name, *attributes = path
        if name not in known:
            continue  # a builtin, or an error when it is called
        value = known[name]
        while attributes and isinstance(value, types.ModuleType) and hasattr(value, attributes[0]):
            if _is_library(value.__name__) and not isinstance(
                getattr(value, attributes[0]), types.ModuleType
            ):
                break
            value = getattr(value, attributes[0])
            name += "." + attributes.pop(0)
        if name not in seen:
            seen.add(name)
            yield name, value


def _global_paths(code: types.CodeType) -> Iterator[list[str]]:
    """For every use of a global its name and the attributes that follow: np.random.rand."""
    path: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and path:
            path.append(instruction.argval)
            continue
        if path:
            yield path
        is_global = instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        path = [instruction.argval] if is_global else []
    if path:
        yield path
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _global_paths(constant)


def _imports_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What the code and the functions inside of it import when they run."""
    package = function.__globals__.get("__package__")
    for name, wanted in _imported_names(function.__code__):
        try:
            module = importlib.import_module(name, package)
        except Exception:  # it says so itself when it is called
            continue
        if not wanted:
            yield name, module
        for one in wanted:
            if hasattr(module, one):
                yield f"{name}:{one}", getattr(module, one)


def _imported_names(code: types.CodeType) -> Iterator[tuple[str, tuple[str, ...]]]:
    """For every import the module, with a dot for each level above, and the names that are taken from it."""
    pushed: list[Any] = [0, None]
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            level, wanted = pushed
            yield "." * level + instruction.argval, wanted or ()
        if instruction.opname != "EXTENDED_ARG":
            pushed = [pushed[1], instruction.argval]
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _imported_names(constant)
