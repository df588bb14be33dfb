# SPDX-License-Identifier: Apache-2.0
"""Where a stub defines a value: in the stub of the module that defines it, so that tools find the source."""

from __future__ import annotations

import inspect
import sys
from functools import cached_property
from types import ModuleType
from typing import NamedTuple

from public_names import home_of, names_of, public_modules

import mindspore
from mindspore import _c_expression


class Place(NamedTuple):
    """A name in a module."""

    module: str
    name: str

    @property
    def token(self) -> str:
        """The place as it stands in the text of a type."""
        return f"{{{self.module}:{self.name}}}"


# Types of the extension; Tensor is completed, and shown, by a Python module.
_OF_EXTENSION = {
    _c_expression.Tensor: Place("mindspore.common.tensor", "Tensor"),
    type(mindspore.float32): Place("mindspore._c_expression", "DType"),
}
# Of classes with one name, the one that docstrings mean.
_PREFERRED = ("mindspore.nn.optim.optimizer", "mindspore.nn.cell", "mindspore.train", "mindspore.dataset")


class Surface:
    """All public modules with their names, and the places of the values."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleType] = {module.__name__: module for module in public_modules()}
        self.names = {name: list(names_of(module)) for name, module in self.modules.items()}
        self._shown: dict[int, Place] = {}
        for module in sorted(self.names, key=lambda name: (name.count("."), name)):
            for public in self.names[module]:
                self._shown.setdefault(id(public.value), Place(module, public.name))

    def place_of(self, value: object) -> Place | None:
        """The place of a class or function of the package; None for anything else."""
        if isinstance(value, type) and value in _OF_EXTENSION:
            return _OF_EXTENSION[value]
        if not (isinstance(value, type) or inspect.isroutine(value)):
            return None
        home, name = home_of(value), getattr(value, "__name__", "")
        if not home.startswith("mindspore"):
            return None
        if vars(sys.modules[home]).get(name) is value if home in sys.modules else False:
            return Place(home, name)
        return self._shown.get(id(value))

    @cached_property
    def _classes(self) -> dict[str, list[Place]]:
        places: dict[str, list[Place]] = {}
        for names in self.names.values():
            for public in names:
                place = self.place_of(public.value) if isinstance(public.value, type) else None
                if place and place not in places.setdefault(public.name, []):
                    places[public.name].append(place)
        return places

    def class_token(self, name: str, near: str) -> str | None:
        """The type for the name of a class, as a docstring in the module `near` uses it."""
        local = vars(sys.modules[near]).get(name) if near in sys.modules else None
        if isinstance(local, type) and self.place_of(local):
            return self.place_of(local).token
        if name == "Sampler":  # ready-made samplers are no sub-classes of the one that users derive from
            own = (self._classes[kind][0].token for kind in ("Sampler", "BuiltinSampler"))
            return " | ".join(own)
        places = self._classes.get(name, [])
        ranked = sorted(places, key=lambda place: (not place.module.startswith(_PREFERRED), place))
        return ranked[0].token if ranked else None
