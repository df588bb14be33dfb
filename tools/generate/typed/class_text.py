# SPDX-License-Identifier: Apache-2.0
"""Classes of stubs."""

from __future__ import annotations

import abc
import ast
import enum
import inspect

from mindspore import Tensor
from mindspore._spelling import NotHere
from mindspore.nn import Cell
from mindspore.ops import _registry
from mindspore.ops.primitive import RegisteredPrimitive
from typed import sources, tensor_slots
from typed.annotations import type_of_annotation
from typed.places import Surface
from typed.results import type_of_value
from typed.schemas import output_type, with_numbers
from typed.signatures import Argument, Described, Typist
from typed.text import Imports, default_text, docstring_lines, function_lines, parameter_list
from typed.wording import ANY

# What users write or call; the rest of the special methods is the business of the interpreter.
_SPECIAL = """
    __init__ __new__ __call__ __getitem__ __setitem__ __delitem__ __len__ __iter__ __next__ __contains__
    __enter__ __exit__ __getattr__ __setattr__ __delattr__ __bool__ __int__ __float__ __index__
    __array__ __add__ __radd__ __mul__ __rmul__ __sub__ __truediv__ __invert__ __neg__ __and__ __or__
    __dlpack__ __dlpack_device__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__
"""
# What users override: theirs may take and give anything.
_ANYTHING = [
    Argument("args", inspect.Parameter.VAR_POSITIONAL, ANY),
    Argument("kwargs", inspect.Parameter.VAR_KEYWORD, ANY),
]
_GENERIC_BASES = {dict: f"dict[{ANY}, {ANY}]", list: f"list[{ANY}]", tuple: f"tuple[{ANY}, ...]"}
_SELF = Argument("self", inspect.Parameter.POSITIONAL_OR_KEYWORD, "")
_OVERRIDES = "  # type: ignore[override]"
_FIXED_RESULTS = {
    "__init__": "None",
    "__len__": "int",
    "__contains__": "bool",
    "__bool__": "bool",
    "__eq__": "bool",
    "__ne__": "bool",
    "__hash__": "int",
    "__setattr__": "None",
    "__delattr__": "None",
    "__setitem__": "None",
    "__delitem__": "None",
    "__exit__": "bool | None",
}
_FIXED_ARGUMENTS = {
    "__getattr__": {"*": "str"},
    "__setattr__": {"name": "str", "key": "str", "value": ANY},
    "__delattr__": {"name": "str", "key": "str"},
    "__eq__": {"*": "object"},
    "__ne__": {"*": "object"},
    "__exit__": {"*": ANY},
}


class ClassWriter:
    """Writes one class.

    Args:
        cls (type): The class.
        name (str): Its name in the stub.
        imports (Imports): Of the stub.
        typist (Typist): Finds the types.
    """

    def __init__(self, cls: type, name: str, imports: Imports, typist: Typist) -> None:
        self.cls, self.name, self.imports, self.typist = cls, name, imports, typist
        self.surface: Surface = typist.surface
        self.module = imports.module
        self.members = {
            key: value
            for key, value in vars(cls).items()
            if self._is_shown(key) and not isinstance(value, NotHere)
        }
        self.attributes = {} if issubclass(cls, (enum.Enum, Tensor)) else self._instance_attributes()
        self.hidden = {*self.members, *self.attributes}

    def _is_shown(self, name: str) -> bool:
        if not name.startswith("_"):
            return True
        made_by = vars(self.cls)[name]
        if name == "__new__" and isinstance(made_by, staticmethod) and _takes_anything(made_by.__func__):
            return False  # the constructor tells more
        return name in _SPECIAL.split() or (self.cls is Tensor and name in tensor_slots.METHODS)

    def lines(self) -> list[str]:
        """The class."""
        bases = [self.imports.render(base) for base in self._bases()]
        is_first = type(self.cls) is abc.ABCMeta and not any(
            type(b) is abc.ABCMeta for b in self.cls.__bases__
        )
        if is_first or inspect.isabstract(self.cls):
            bases.append(f"metaclass={self.imports.render('{abc:ABCMeta}')}")
        head = f"class {self.name}({', '.join(bases)}):" if bases else f"class {self.name}:"
        body: list[str] = []
        if self._is_generated():
            body += docstring_lines(inspect.getdoc(self.cls), "    ")
        if issubclass(self.cls, enum.Enum):
            body += self._enum_lines()
        elif issubclass(self.cls, RegisteredPrimitive) and self.cls._operator:
            body += self._primitive_lines()
        else:
            body += self._member_lines()
        note = "  # type: ignore[misc]" if issubclass(self.cls, enum.Enum) else ""  # an enum without members
        return [head, *body] if body else [f"{head} ...{note}"]

    def _is_generated(self) -> bool:
        """Whether no source holds the documentation."""
        return "schema" in vars(self.cls) or "_operator" in vars(self.cls)

    def _bases(self) -> list[str]:
        return [
            token for base in self.cls.__bases__ if base is not object for token in self._base_tokens(base)
        ]

    def _base_tokens(self, base: type) -> list[str]:
        place = self.surface.place_of(base)
        if place is not None:
            return [place.token]
        if base.__module__ == "builtins":
            return [_GENERIC_BASES.get(base, base.__name__)]
        if base.__module__.startswith("mindspore"):  # a class that no name leads to: its bases stand for it
            return [
                token
                for further in base.__bases__
                if further is not object
                for token in self._base_tokens(further)
            ]
        return [f"{{{base.__module__}:{base.__name__}}}"]

    def _enum_lines(self) -> list[str]:
        return [f"    {name} = {default_text(member.value)}" for name, member in self.cls.__members__.items()]

    def _primitive_lines(self) -> list[str]:
        operator = _registry.describe(self.cls._operator)
        path = f"{self.module}.{self.name}"
        lines = []
        for method, entries in (
            ("__init__", _registry.constructor_entries(operator)),
            ("__call__", _registry.call_entries(operator)),
        ):
            schema = {entry["name"]: entry for entry in with_numbers(operator, entries)}
            described = Described(path, "mindspore.ops", [], self.cls, schema)
            arguments = [_SELF, *self.typist.arguments(_registry._signature(entries), described)]
            result = "None" if method == "__init__" else output_type(operator)
            lines += self._function(method, arguments, result)
        return lines

    def _function(
        self, name: str, arguments: list[Argument], result: str, doc: str | None = None
    ) -> list[str]:
        parameters = parameter_list(arguments, self.imports, self.hidden)
        note = _OVERRIDES if self._differs_from_base(name) else ""
        return function_lines(name, parameters, self.imports.render(result, self.hidden), "    ", doc, note)

    def _differs_from_base(self, name: str) -> bool:
        """Whether a base has a member of this name; what it takes or gives may be something else there."""
        if name in ("__init__", "__new__"):
            return False
        if issubclass(self.cls, Tensor) and name in tensor_slots.DIFFERENT_FROM_OBJECT:
            return True
        return any(name in vars(base) for base in self.cls.__mro__[1:] if base is not object)

    def _member_lines(self) -> list[str]:
        lines = []
        for name, kind in self.attributes.items():
            lines.append(f"    {name}: {self.imports.render(kind, self.hidden)}")
        described = "__signature__" in vars(self.cls) and _takes_anything(vars(self.cls).get("__init__"))
        if described:
            lines += self._method_lines("__init__", inspect.signature(self.cls), None)
        for name, value in sorted(self.members.items()):
            if name != "__init__" or not described:
                lines += self._one_member(name, value)
        return lines

    def _one_member(self, name: str, value: object) -> list[str]:
        if type(value).__name__ == "PackageFunction":
            value = value.__wrapped__
        value = getattr(value, "_stands_for", value)  # behind a decorator that hides its signature
        if isinstance(value, (staticmethod, classmethod)):
            kind = type(value).__name__
            lines = self._method_lines(name, inspect.signature(value.__func__), value.__func__, kind)
            return [f"    @{kind}", *lines] if lines else []
        if isinstance(value, property):
            return self._property_lines(name, value)
        if self.cls is Tensor and name in tensor_slots.METHODS and not inspect.isfunction(value):
            return self._slot_lines(name)
        if inspect.isgetsetdescriptor(value):
            result = self.imports.render(tensor_slots.PROPERTIES.get(name, ANY), self.hidden)
            return ["    @property", f"    def {name}(self) -> {result}: ..."]
        if inspect.isfunction(value) or type(value).__name__ == "OperatorFunction":
            return self._method_lines(name, inspect.signature(value), value)
        if isinstance(value, type) or name.startswith("__"):
            return []
        if type(value).__name__ == "OnDemand":
            made = self.typist.result_type(
                inspect.signature(value._make), self._described(name, value), value._make
            )
            return ["    @property", f"    def {name}(self) -> {self.imports.render(made, self.hidden)}: ..."]
        return self._value_line(name, value)

    def _value_line(self, name: str, value: object) -> list[str]:
        if any(
            name in (*vars(base), *vars(base).get("__annotations__", ())) for base in self.cls.__mro__[1:]
        ):
            return []  # the base says of what type it is
        kind = None
        annotation = vars(self.cls).get("__annotations__", {}).get(name)
        if annotation is not None:
            kind = type_of_annotation(annotation, self.cls.__module__, self.surface)
        kind = kind or self.typist._by_default(value) or ANY
        return [f"    {name}: {self.imports.render(kind, self.hidden)}"]

    def _slot_lines(self, name: str) -> list[str]:
        parameters, result = tensor_slots.METHODS[name]
        text = ", ".join(["self", self.imports.render(parameters, self.hidden)] if parameters else ["self"])
        note = _OVERRIDES if name in tensor_slots.DIFFERENT_FROM_OBJECT else ""
        return function_lines(name, text, self.imports.render(result, self.hidden), "    ", None, note)

    def _property_lines(self, name: str, value: property) -> list[str]:
        signature = inspect.signature(value.fget)
        described = self._described(name, value.fget)
        result = self.imports.render(self.typist.result_type(signature, described, value.fget), self.hidden)
        note = _OVERRIDES if self._differs_from_base(name) else ""
        lines = ["    @property", f"    def {name}(self) -> {result}: ...{note}"]
        if value.fset is not None:
            lines += [f"    @{name}.setter", f"    def {name}(self, value: {result}) -> None: ..."]
        return lines

    def _described(self, name: str, function: object) -> Described:
        home = getattr(function, "__module__", None) or self.cls.__module__
        texts = [getattr(function, "__doc__", None) or ""]
        if name in ("__init__", "__call__", "construct"):
            texts.append(self.cls.__doc__ or "")
        for base in self.cls.__mro__[1:]:
            if name in vars(base) and base is not object:
                inherited = vars(base)[name]
                texts.append(getattr(getattr(inherited, "__func__", inherited), "__doc__", None) or "")
                if name in ("__init__", "construct"):
                    texts.append(base.__doc__ or "")
        if not texts[0]:  # then an argument is likely what the constructor calls so
            texts.append(self.cls.__doc__ or "")
        return Described(f"{self.module}.{self.name}.{name}", home, texts, self.cls)

    def _method_lines(
        self, name: str, signature: inspect.Signature, function: object, kind: str = ""
    ) -> list[str]:
        described = self._described(name, function)
        doc = None
        operator = None
        if type(function).__name__ == "OperatorFunction":
            operator = _registry.describe(function._operator)
            entries = with_numbers(operator, _registry._entries(operator))
            described.schema = {entry["name"]: entry for entry in entries}
            doc = function.__doc__
        signature = self._with_fixed_types(name, signature)
        arguments = self.typist.arguments(signature, described)
        if function is None or (kind == "" and not arguments):
            arguments = [_SELF, *arguments]
        if kind == "" and function is not None and sources.only_refuses(function):
            arguments, result = [_SELF, *_ANYTHING], ANY
        elif name in _FIXED_RESULTS:
            result = _FIXED_RESULTS[name]
        elif operator is not None:
            result = output_type(operator)
        else:
            result = self.typist.result_type(signature, described, function)
        lines = self._function(name, arguments, result, doc)
        if getattr(function, "__isabstractmethod__", False):
            lines = [f"    @{self.imports.render('{abc:abstractmethod}')}", *lines]
        if name == "construct" and self._is_called_as_constructed():
            lines += self._function("__call__", arguments, result)
        return lines

    def _is_called_as_constructed(self) -> bool:
        return issubclass(self.cls, Cell) and self.cls is not Cell and "__call__" not in vars(self.cls)

    def _with_fixed_types(self, name: str, signature: inspect.Signature) -> inspect.Signature:
        fixed = _FIXED_ARGUMENTS.get(name)
        if not fixed:
            return signature
        parameters = []
        for place, parameter in enumerate(signature.parameters.values()):
            kind = fixed.get(parameter.name, fixed.get("*")) if place else None
            parameters.append(
                parameter.replace(annotation="Any" if kind == ANY else kind) if kind else parameter
            )
        return signature.replace(parameters=parameters)

    def _instance_attributes(self) -> dict[str, str]:
        inherited = {name for base in self.cls.__mro__[1:] for name in (*vars(base), *_assigned_in(base))}
        kinds = {}
        for name, (value, annotation, function) in sources.attributes_of(self.cls).items():
            if name in vars(self.cls) or name in inherited:
                continue
            kinds[name] = self._attribute_type(value, annotation, function)
        for name in _kept_by(self.cls):
            if name not in vars(self.cls) and name not in inherited:
                kinds[name] = self._argument_type(name)
        for name, annotation in vars(self.cls).get("__annotations__", {}).items():
            if not name.startswith("_") and name not in kinds and name not in vars(self.cls):
                kinds[name] = type_of_annotation(annotation, self.cls.__module__, self.surface) or ANY
        return kinds

    def _attribute_type(self, value, annotation, function) -> str:
        module = self.cls.__module__
        if annotation is not None:
            return type_of_annotation(ast.unparse(annotation), module, self.surface) or ANY
        value = _unchecked(value)
        if isinstance(value, ast.Name) and function.name in ("__init__", "_set_up"):
            kind = self._argument_type(value.id)
            if kind is not None:
                return kind
        kind = type_of_value(value, None, self.surface, module) if value is not None else None
        return kind if kind and kind != "None" else ANY

    def _argument_type(self, name: str) -> str | None:
        """The type of an argument of the constructor; None when it has no such argument."""
        method = vars(self.cls).get("__init__")
        parameters = inspect.signature(method).parameters if inspect.isfunction(method) else {}
        if name not in parameters:
            return None
        return self.typist.found_type(parameters[name], self._described("__init__", method)) or ANY


def _kept_by(cls: type) -> tuple[str, ...]:
    """Attributes that a constructor keeps because its description says so."""
    return getattr(vars(cls).get("__init__"), "_keeps", ())


def _unchecked(value: ast.expr | None) -> ast.expr | None:
    """What a check is given, which is what it gives back; any other value itself."""
    is_check = (
        isinstance(value, ast.Call) and getattr(getattr(value.func, "value", None), "id", "") == "check"
    )
    return value.args[0] if is_check and value.args else value


def _takes_anything(constructor) -> bool:
    """Whether a constructor, or the lack of one, tells less than the signature of its class."""
    if constructor is None:
        return True
    kinds = {parameter.kind for parameter in list(inspect.signature(constructor).parameters.values())[1:]}
    return kinds <= {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


def _assigned_in(base: type) -> set[str]:
    if not base.__module__.startswith("mindspore"):
        return set()
    return {*sources.attributes_of(base), *_kept_by(base), *vars(base).get("__annotations__", ())}
