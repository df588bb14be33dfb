# SPDX-License-Identifier: Apache-2.0
"""Stubs of modules."""

from __future__ import annotations

import inspect
import sys
import typing

from public_names import PublicName, is_forwarder

from mindspore.ops import _registry
from typed.annotations import type_of_annotation
from typed.class_text import ClassWriter
from typed.schemas import output_type, with_numbers
from typed.signatures import Described, Typist
from typed.sources import assigned_text
from typed.text import Imports, function_lines, parameter_list
from typed.wording import ANY

HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Generated from the package by tools/generate/stubs.py.\n"


class ModuleWriter:
    """Writes the stub of one module.

    Args:
        name (str): The module.
        public (list[PublicName]): What it offers; empty for a private module.
        typist (Typist): Finds the types.
    """

    def __init__(self, name: str, public: list[PublicName], typist: Typist) -> None:
        self.name, self.public, self.typist = name, public, typist
        self.needed: set[tuple[str, str]] = set()  # what other stubs have to define

    def text(self, wanted: set[str]) -> str:
        """The stub; `wanted` are names that other stubs import from here."""
        if is_forwarder(sys.modules[self.name]):
            return f"{HEAD}\nfrom mindspore.ops import *\n"
        offered = {public.name: public.value for public in self.public}
        module = sys.modules[self.name]
        for name in wanted - set(offered):
            offered[name] = getattr(module, name)
        imports = Imports(self.name, set(offered))
        shown, defined, aliases = [], [], []
        for name in sorted(offered):
            value = offered[name]
            if inspect.ismodule(value):
                shown.append(self._module_line(name, value))
                continue
            place = self.typist.surface.place_of(value)
            if place is not None and place.module != self.name:
                self.needed.add(place)
                shown.append(f"from {place.module} import {place.name} as {name}")
            elif place is not None and place.name != name and place.name in offered:
                aliases.append(f"{name} = {place.name}")
            else:
                defined += [*self._definition(name, value, imports), ""]
        self.needed |= imports.needed
        parts = [*imports.lines(), *shown, "", *defined, *aliases]
        return f"{HEAD}\n" + "\n".join(parts).rstrip() + "\n"

    def _module_line(self, name: str, value: object) -> str:
        parent, _, last = value.__name__.rpartition(".")
        return f"from {parent} import {last} as {name}"

    def _definition(self, name: str, value: object, imports: Imports) -> list[str]:
        if isinstance(value, type):
            return ClassWriter(value, name, imports, self.typist).lines()
        if inspect.isroutine(value):
            return self._function(name, value, imports)
        if typing.get_origin(value) is not None:
            alias = type_of_annotation(assigned_text(self.name, name), self.name, self.typist.surface) or ANY
            return [f"{name}: {imports.render('{typing_extensions:TypeAlias}')} = {imports.render(alias)}"]
        return [f"{name}: {imports.render(self._value_type(value))}"]

    def _function(self, name: str, value: object, imports: Imports) -> list[str]:
        path = f"{self.name}.{name}"
        home = getattr(value, "__module__", None) or self.name
        described = Described(path, home, [value.__doc__ or ""])
        signature = inspect.signature(value)
        doc = None
        if type(value).__name__ == "OperatorFunction":
            operator = _registry.describe(value._operator)
            described.texts = []
            described.schema = {
                entry["name"]: entry for entry in with_numbers(operator, _registry._entries(operator))
            }
            result, doc = output_type(operator), value.__doc__
            arguments = self.typist.arguments(signature, described)
        else:
            arguments = self.typist.arguments(signature, described)
            result = self.typist.result_type(signature, described, value)
        parameters = parameter_list(arguments, imports, set())
        return function_lines(name, parameters, imports.render(result), doc=doc)

    def _value_type(self, value: object) -> str:
        place = self.typist.surface.place_of(type(value))
        if place is not None:
            return place.token
        if isinstance(value, (tuple, list)) and value:
            kinds = {self._value_type(item) for item in value}
            inside = kinds.pop() if len(kinds) == 1 else ANY
            return f"tuple[{inside}, ...]" if isinstance(value, tuple) else f"list[{inside}]"
        if isinstance(value, dict):
            return f"dict[{ANY}, {ANY}]"
        if type(value).__module__ == "builtins" and not isinstance(value, (tuple, list)):
            return type(value).__name__
        return ANY
