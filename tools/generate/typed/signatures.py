# SPDX-License-Identifier: Apache-2.0
"""Typed signatures: what each source says about arguments and results, the most exact one first."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from typed import docstrings, vocabulary
from typed.annotations import type_of_annotation
from typed.places import Surface
from typed.results import SELF, result_of_source, returns_itself
from typed.schemas import entry_type
from typed.wording import ANY, covariant, type_of_words, union

_EMPTY = inspect.Parameter.empty


@dataclass
class Argument:
    """One parameter of a stub; `kind` is one of inspect's."""

    name: str
    kind: inspect._ParameterKind
    type: str
    default: object = _EMPTY


@dataclass
class Described:
    """What is asked about: a callable, who owns it, and the texts that document it."""

    path: str
    module: str
    texts: list[str]
    owner: type | None = None
    schema: dict[str, dict] = field(default_factory=dict)  # entries of the registry by name


@dataclass
class Report:
    """How many arguments and results there are, and which of them may be anything."""

    arguments: int = 0
    results: int = 0
    any_arguments: list[str] = field(default_factory=list)
    any_results: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # arguments that nothing gives a type

    def add(self, other: Report) -> None:
        """Takes over what another report says."""
        self.arguments += other.arguments
        self.results += other.results
        self.any_arguments += other.any_arguments
        self.any_results += other.any_results
        self.unknown += other.unknown


class Typist:
    """Finds types."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.report = Report()
        self._functions: dict[str, list[Callable]] = {}
        for names in surface.names.values():
            for public in names:
                if inspect.isroutine(public.value) or isinstance(public.value, type):
                    self._functions.setdefault(public.name, []).append(public.value)

    def words(self, words: str, module: str) -> str | None:
        """The type that words of a docstring mean."""
        return type_of_words(words, lambda name: self.surface.class_token(name, module)) if words else None

    def _documented(self, name: str, described: Described) -> str | None:
        for text in described.texts:
            said = docstrings.argument_words(text, "Args", "Inputs", "Keyword Args").get(name)
            if said:
                kind = self.words(said, described.module)
                return kind and covariant(kind)
        return None

    def _referred(self, described: Described) -> Iterator[Described]:
        """Functions that the documentation refers to."""
        for text in described.texts:
            for name in docstrings.referred(docstrings.sections(text)[""]):
                member = getattr(described.owner, name, None) if described.owner else None
                for value in [member] if callable(member) else self._functions.get(name, [])[:1]:
                    home = getattr(value, "__module__", None) or described.module
                    yield Described(name, home, [inspect.getdoc(value) or ""])

    def _by_default(self, default: object) -> str | None:
        for kind in (bool, int, float, str, bytes):
            if isinstance(default, kind):
                return kind.__name__
        place = self.surface.place_of(type(default)) if default is not _EMPTY else None
        return place.token if place else None

    def found_type(self, parameter: inspect.Parameter, described: Described) -> str | None:
        """The type of one parameter; None when nothing says it."""
        name, default = parameter.name, parameter.default
        kind = None
        if parameter.annotation is not _EMPTY:
            kind = type_of_annotation(parameter.annotation, described.module, self.surface)
        if kind is None and name in described.schema:
            kind = entry_type(described.schema[name])
        kind = kind or self._documented(name, described)
        for other in [] if kind else self._referred(described):
            kind = kind or self._documented(name, other)
        by_default = self._by_default(default)
        conventional = vocabulary.argument_words(name, described.module)
        kind = kind or self.words(conventional, described.module) or by_default
        if kind is None or parameter.annotation is not _EMPTY:
            return kind
        return union([kind, "None" if default is None else by_default or kind])

    def argument_type(self, parameter: inspect.Parameter, described: Described) -> str:
        """The type of one parameter; noted in the report when nothing says it."""
        kind = self.found_type(parameter, described)
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            return kind or ANY
        self.report.arguments += 1
        if kind in (None, ANY):
            self.report.any_arguments.append(f"{described.path}: {parameter.name}")
        if kind is None:
            self.report.unknown.append(self.report.any_arguments[-1])
        return kind or ANY

    def arguments(self, signature: inspect.Signature, described: Described) -> list[Argument]:
        """The parameters with their types; `self` and `cls` have none."""
        typed = []
        for place, parameter in enumerate(signature.parameters.values()):
            first = place == 0 and described.owner is not None and parameter.name in ("self", "cls")
            kind = "" if first else self.argument_type(parameter, described)
            typed.append(Argument(parameter.name, parameter.kind, kind, parameter.default))
        return typed

    def result_type(self, signature: inspect.Signature, described: Described, function: object = None) -> str:
        """The type of the result; noted in the report when nothing says it."""
        owner = described.owner
        kind = SELF if owner is not None and returns_itself(function, owner) else None
        if kind is None and signature.return_annotation is not inspect.Signature.empty:
            kind = type_of_annotation(signature.return_annotation, described.module, self.surface)
        for text in described.texts if kind is None else []:
            kind = kind or self.words(docstrings.result_words(text, "Returns", "Outputs"), described.module)
        if kind is None and function is not None:
            kind = result_of_source(function, owner, self.surface)
        if kind is None:
            name = described.path.rpartition(".")[2]
            kind = self.words(vocabulary.result_words(name, described.module), described.module)
        self.report.results += 1
        if kind in (None, ANY):
            self.report.any_results.append(described.path)
        return kind or ANY
