# SPDX-License-Identifier: Apache-2.0
"""How the primitives of a file are called.

A file names operators; only operators of this package that compute from their arguments are ever looked up
for a name, so that a file cannot reach anything else.
"""

from __future__ import annotations

import inspect
import sys
from functools import cache
from itertools import zip_longest

from mindspore.ops import _primitives, _registry, primitive
from mindspore.train._mindir.newer_names import NEWER_NAMES, call_newer
from mindspore.train._mindir.structural import PASSING, STRUCTURAL, WRITING
from mindspore.train._mindir.type_numbers import (
    ARGUMENT_TYPES,
    NEW_COMPLEX,
    OLD_COMPLEX,
    VERSION_OF_NEW_COMPLEX,
)
from mindspore.train._mindir.values import Monad

_SIGNATURE_PREFIX = "S-Prim-"
# Run code of the caller's, or write files.
_FORBIDDEN = frozenset(("Custom", "PyFunc", "TensorDump", "HookBackward", "InsertGradientOf"))
_OLDER_NAMES = {
    "TensorAdd": "Add",
    "FusedBatchNorm": "BatchNorm",
    "Gelu": "GeLU",
    "FastGelu": "FastGeLU",
    "GatherV2": "Gather",
    "Pack": "Stack",
    "Unpack": "Unstack",
    "TensorScatterAdd": "TensorScatterAdd",
    "stop_gradient": "StopGradient",
    "identity": "Identity",
}
_OLDER_ATTRIBUTES = {"data_format": ("format",), "group": ("groups",), "pad": ("pad_list",)}

# Numbers that stand for texts in primitive-function form, by the name of the argument.
_TEXTS = {
    "data_format": {0: "NCHW", 1: "NHWC", 14: "NCDHW", 15: "NWC", 16: "NCW", 17: "NDHWC", 20: "ND"},
    "pad_mode": {0: "pad", 1: "same", 2: "valid", 3: "full"},
    "reduction": {0: "sum", 1: "mean", 2: "none"},
    "rounding_mode": {0: "round", 1: "trunc", 2: "floor", 3: "ceil"},
    "interpolation_mode": {0: "bilinear", 1: "nearest"},
    "padding_mode": {0: "zeros", 1: "border", 2: "reflection"},
    "norm": {0: "backward", 1: "forward", 2: "ortho"},
    "approximate": {0: "none", 1: "tanh"},
    "indexing": {0: "ij", 1: "xy"},
    "coordinate_transformation_mode": {0: "asymmetric", 1: "align_corners", 2: "half_pixel"},
}
# Operators that number the choices of an argument in their own way.
_TEXTS_OF_OPERATORS = {("TensorScatterElements", "reduction"): {0: "none", 1: "add"}}
_TYPE_ARGUMENTS = frozenset(("dtype", "dst_type", "output_type", "out_type", "argmax_type", "type"))


@cache
def _classes() -> dict[str, type]:
    """Primitive classes by name."""
    table = dict(primitive.primitive_classes())
    table.update(
        (name, found)
        for name, found in _primitives.classes().items()
        if isinstance(found, type) and issubclass(found, primitive.Primitive)
    )
    return {name: found for name, found in table.items() if name not in _FORBIDDEN}


def type_of_number(number: int, version: tuple[int, int]):
    """The type that a number means in a file of a version; the number itself if it means none."""
    is_new = version >= VERSION_OF_NEW_COMPLEX
    return ARGUMENT_TYPES.get(number) or (NEW_COMPLEX if is_new else OLD_COMPLEX).get(number, number)


def _is_number(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def converted(name: str, value, version: tuple[int, int]):
    """An argument of a function whose types and texts are numbers, as this package takes it."""
    if name == "axis" and isinstance(value, tuple) and len(value) == 1:
        return value[0]  # of some operators a tuple, of others a number; one is the same in both
    if not _is_number(value):
        return value
    if name in _TYPE_ARGUMENTS:
        return type_of_number(value, version)
    return _TEXTS.get(name, {}).get(value, value)


def _constructor_names(found: type) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in inspect.signature(found).parameters.values() if one.kind in kinds]


class PrimitiveCall:
    """A primitive of a file; called with a list of arguments.

    Args:
        op_type (str): Name of the operator.
        attributes (dict): Its attributes.
        is_function (bool): All arguments come in the call, in the order of the operator's definition.
        version (tuple): Version of the software that wrote the file.
    """

    def __init__(self, op_type: str, attributes: dict, is_function: bool, version: tuple[int, int]):
        self.name = op_type.removeprefix(_SIGNATURE_PREFIX)
        self.attributes, self._is_function, self._version = attributes, is_function, version
        self.is_structural = self.name in PASSING
        self.is_depend = self.name in ("Depend", "depend")
        self.is_writing = bool(attributes.get("side_effect_mem")) or self.name.startswith(WRITING)
        self.copies = False  # what it reads of a parameter
        self._target = None
        self._given: tuple = ()
        self._instance = None

    def __call__(self, arguments: list):
        if self._target is None:
            self._target = self._found()
        return self._target(arguments)

    def type_of(self, number: int):
        """The type that a number in an argument means."""
        return type_of_number(number, self._version)

    def _found(self):
        """What does the work."""
        if self.name in STRUCTURAL:
            work = STRUCTURAL[self.name]
            return lambda arguments: work(self, arguments)
        name = _OLDER_NAMES.get(self.name, self.name)
        found = _classes().get(name)
        if found is not None:
            return self._function_form(found) if self._is_function else self._attribute_form(found)
        if name in NEWER_NAMES:
            convert = self._converted
            return lambda arguments: call_newer(name, _without_monads(arguments), self.attributes, convert)
        raise NotImplementedError(
            f"The operator '{self.name}', which a MindIR file uses, is not available here."
        )

    def _attribute_form(self, found: type):
        chosen = {}
        for name in _constructor_names(found):
            for known in (name, *_OLDER_ATTRIBUTES.get(name, ())):
                if known in self.attributes:
                    chosen[name] = self._converted(name, self.attributes[known])
                    break
        instance = found(**chosen)
        return lambda arguments: instance(*_without_monads(arguments))

    def _function_form(self, found: type):
        names = _constructor_names(found)
        call_names, least, takes_any = _call_names(found)
        most = sys.maxsize if takes_any else len(call_names) + len(names)

        def call(arguments: list):
            arguments = self._trimmed(_without_monads(arguments), most)
            split = min(max(least, len(arguments) - len(names)), len(arguments))
            constructor = tuple(arguments[split:])
            if self._instance is None or not _is_same(constructor, self._given):
                given = (self._converted(*pair) for pair in zip(names, constructor, strict=False))
                self._instance, self._given = found(*given), constructor
            named = zip_longest(call_names[:split], arguments[:split], fillvalue="")
            return self._instance(*(self._converted(*pair) for pair in named))

        return call

    def _converted(self, name: str, value):
        own = _TEXTS_OF_OPERATORS.get((self.name, name))
        if own is not None and _is_number(value):
            return own.get(value, value)
        return converted(name, value, self._version)

    def _trimmed(self, arguments: list, most: int) -> list:
        """Arguments without those that newer releases added, as long as they say nothing."""
        for extra in arguments[most:]:
            if extra is not None and extra is not False and extra != 0:
                raise NotImplementedError(
                    f"The operator '{self.name}', which a MindIR file uses, takes {most} arguments here."
                )
        return arguments[:most]


def _call_names(found: type) -> tuple[list[str], int, bool]:
    """Names of what is given when a primitive is called, how many at least, and whether any number may be."""
    if issubclass(found, primitive.RegisteredPrimitive):
        constructor, names, *_ = found._plan()
        entries = {one["name"]: one for one in _registry._entries(_registry.describe(found._operator))}
        needed = [
            one["required"] if "type" in one else not one["optional"] for one in map(entries.get, names)
        ]
        return names, sum(needed), False
    parameters = list(inspect.signature(found.__call__).parameters.values())[1:]
    fixed = [one for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    takes_any = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
    return [one.name for one in fixed], sum(one.default is one.empty for one in fixed), takes_any


def _is_same(now: tuple, before: tuple) -> bool:
    return len(now) == len(before) and all(one is other for one, other in zip(now, before, strict=True))


def _without_monads(arguments: list) -> list:
    if any(isinstance(one, Monad) for one in arguments):
        return [one for one in arguments if not isinstance(one, Monad)]
    return arguments


class NamedCall:
    """Something built in that a file calls by name: a class of primitives or a function over structures."""

    is_structural = is_depend = is_writing = False

    def __init__(self, kind: str, name: str):
        self.kind, self.name = kind, name

    def __call__(self, arguments: list):
        short = self.name.rpartition(".")[2]
        if self.kind == "ClassType" and short in _classes():
            instance = _classes()[short](*arguments)
            return lambda values: instance(*_without_monads(values))
        if self.kind == "MetaFuncGraph" and "zeros_like" in self.name:
            return _zeros_like(arguments[0])
        raise NotImplementedError(
            f"The {self.kind} '{self.name}', which a MindIR file uses, is not available."
        )


def _zeros_like(value):
    if isinstance(value, (tuple, list)):
        return type(value)(_zeros_like(one) for one in value)
    return value * 0
