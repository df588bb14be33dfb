# SPDX-License-Identifier: Apache-2.0
"""What a captured function reaches by name: globals, modules, variables and defaults of functions."""

from __future__ import annotations

import builtins
import collections
import collections.abc
import sys
import types

from mindspore._capture import code as codes
from mindspore._capture.kept import MISSING, Place
from mindspore._capture.questions import CELL, ENTRY, FUNCTION, MAPPING, NAMES

_CONTAINERS = (dict, list, set, collections.abc.MutableMapping, collections.deque)


def _resolved(name: str, dots: int, package: str) -> str:
    """The whole name of a module that a line of this package imports."""
    around = package.split(".")
    around = around[: max(0, len(around) - dots + 1)] if dots and package else []
    return ".".join([*around, name] if name else around)


class Names:
    """The part of `Surroundings` that follows names; the rest follows values."""

    def _watch_names(self, code, namespace: dict) -> None:
        if "globals" in code.co_names:
            self._guard(MAPPING, namespace, None, dict(namespace), "its globals")
        built_in = []
        for name in codes.global_names(code):
            value = namespace.get(name, MISSING)
            if value is MISSING and hasattr(builtins, name):
                built_in.append(name)
                continue
            self._guard(ENTRY, namespace, name, value, f"the global '{name}'")
            if isinstance(value, types.ModuleType):
                self._watch_module(value, code)
            if value is not MISSING:
                self.reach(value, f"the global '{name}'")
        self._guard_names(namespace, built_in, "its globals")  # that none comes to hide one of these
        # Another `print` stands there while a run is recorded.
        self._guard_names(vars(builtins), [name for name in built_in if name != "print"], "what is built in")

    def _guard_names(self, namespace: dict, names: list, what: str) -> None:
        if names:
            expected = {name: namespace[name] for name in names if name in namespace}
            self._guard(NAMES, namespace, tuple(names), expected, what)

    def _watch_imports(self, code, namespace: dict) -> None:
        """Modules that a function imports itself."""
        for name, dots in codes.imported_names(code):
            package = namespace.get("__package__") or ""
            full = _resolved(name, dots, package)
            parts = full.split(".")
            for i in range(len(parts)):
                module = sys.modules.get(".".join(parts[: i + 1]))
                if isinstance(module, types.ModuleType):
                    self._watch_module(module, code)
                elif i + 1 == len(parts):
                    self._to_import.append((full, code))

    def _meet_module(self, module) -> None:
        """A module that is the value of something; which code asks it for what is not known."""
        if codes.is_steady_module(module):
            return
        self._modules.append(module)
        for code in tuple(self._run):
            self._watch_module(module, code)

    def _watch_module(self, module, code) -> None:
        if ("module", id(module), code) in self._seen:
            return
        self._seen["module", id(module), code] = module
        is_steady = codes.is_steady_module(module)
        fields = vars(module)
        if is_steady:
            names = [name for name in codes.attribute_names(code) if name in fields]
            self._guard_names(fields, names, f"'{module.__name__}'")
        for name in codes.attribute_names(code):
            value = fields.get(name, MISSING)
            what = f"'{module.__name__}.{name}'"
            if isinstance(value, types.ModuleType):
                self._watch_module(value, code)
                self.reach(value, what)
            elif is_steady:
                if isinstance(value, _CONTAINERS) and value is not sys.modules:
                    self.reach(value, what)
            elif value is not MISSING:
                self._guard(ENTRY, fields, name, value, what)
                self.reach(value, what)

    def _reach_function(self, function, what: str) -> None:
        code = function.__code__
        self._functions.setdefault(code, []).append(function)
        if function.__dict__ or codes.kind_of(code) == codes.USER:
            self._watch_mapping(function.__dict__, f"an attribute of '{function.__name__}'")
        if codes.kind_of(code) != codes.USER:
            for cell in function.__closure__ or ():
                self.reach(Place(cell, None, "").get(), what)
        elif code in self._run:
            self._watch_function(function)

    def _reach_cached(self, function, what: str) -> None:
        """A function that is called only when its result is not known; what it reads matters all the same."""
        self.reach(function.__wrapped__, what)
        code = getattr(function.__wrapped__, "__code__", None)
        if code is not None and codes.kind_of(code) == codes.USER and code not in self._run:
            self._enter_code(code, function.__wrapped__.__globals__)

    def _watch_function(self, function) -> None:
        """A function that has been called, or is about to be."""
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            if id(cell) in self._seen:
                continue
            self._seen[id(cell)] = cell
            value, what = Place(cell, None, "").get(), f"the variable '{name}'"
            if value is MISSING:
                continue  # not assigned yet
            self._guard(CELL, cell, None, value, what)
            self.reach(value, what)
        self._session.add_guard(FUNCTION, function, None, codes.made_of(function))
        what = f"a default argument of '{function.__name__}'"
        self.reach(function.__defaults__, what)
        self.reach(function.__kwdefaults__, what)
