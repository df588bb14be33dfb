# SPDX-License-Identifier: Apache-2.0
"""Python classes made from the schemas of the native transforms: signature, checks and documentation."""

from __future__ import annotations

import inspect
import types
from typing import Any, ClassVar

from mindspore import _c_data
from mindspore._spelling import bind
from mindspore.dataset.transforms._arguments import CONVERSIONS, default_of
from mindspore.dataset.transforms._operation import TensorOperation

_TYPE_WORDS = {
    "flag": "bool",
    "integer": "int",
    "real": "float",
    "text": "str",
    "number": "Union[str, bytes, int, float, bool]",
    "data_type": "Union[mindspore.dtype, numpy.dtype]",
    "size": "Union[int, Sequence[int]]",
    "edge": "Union[int, Sequence[int]]",
    "interpolation": "Inter",
    "border": "Border",
    "padding": "Union[int, Sequence[int]]",
    "fill": "Union[int, tuple[int]]",
    "interval": "Sequence[float]",
    "spread": "Union[float, Sequence[float]]",
    "hue_spread": "Union[float, Sequence[float]]",
    "degrees": "Union[int, float, Sequence[float]]",
    "threshold": "Union[float, Sequence[float]]",
    "integer_range": "Union[int, Sequence[int]]",
    "shear_range": "Union[int, float, Sequence[float]]",
    "colour_conversion": "ConvertMode",
    "integers": "Sequence[int]",
    "reals": "Sequence[float]",
    "choice": "enum.Enum",
}


def signature_of(schema: dict[str, Any]) -> inspect.Signature:
    """The signature of the class."""
    parameters = []
    for parameter in schema["parameters"]:
        default = default_of(parameter) if "default" in parameter else inspect.Parameter.empty
        parameters.append(
            inspect.Parameter(parameter["name"], inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        )
    return inspect.Signature(parameters)


def documentation_of(schema: dict[str, Any], signature: inspect.Signature) -> str:
    """The docstring of the class."""
    lines = [schema["doc"], ""]
    if schema["parameters"]:
        lines.append("Args:")
    for parameter in schema["parameters"]:
        name = parameter["name"]
        default = signature.parameters[name].default
        optional = ", optional" if default is not inspect.Parameter.empty else ""
        shown = f" Default: ``{default}``." if optional else ""
        low, high = parameter["low"], parameter["high"]
        limits = ""
        if low != float("-inf") or high != float("inf"):
            limits = f" Range: {'(' if parameter['low_is_open'] else '['}{low:g}, {high:g}]."
        lines.append(
            f"    {name} ({_TYPE_WORDS[parameter['kind']]}{optional}): {parameter['doc']}{limits}{shown}"
        )
    lines += ["", "Raises:"]
    lines.append("    TypeError: If an argument has a wrong type.")
    lines.append("    ValueError: If an argument is out of range.")
    lines.append("    RuntimeError: If the input does not fit.")
    lines += ["", "Supported Platforms:", "    ``CPU``"]
    return "\n".join(lines)


class SchemaOperation(TensorOperation):
    """A transform whose arguments are described by a schema."""

    schema: ClassVar[dict[str, Any]]
    _signature: ClassVar[inspect.Signature]  # of the arguments, whatever a class of its own shows

    def __init_subclass__(cls, schema: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if schema is None:
            if "__init__" in cls.__dict__:
                shown = list(inspect.signature(cls.__init__).parameters.values())[1:]
                cls.__signature__ = inspect.Signature(shown)
            return
        cls.schema = _c_data.transform_schema(schema)
        cls.random = cls.schema["is_random"]
        cls.takes_columns = cls.schema["takes_columns"]
        cls._signature = signature_of(cls.schema)
        if "__init__" not in cls.__dict__:
            cls.__signature__ = cls._signature
        if not cls.__doc__:
            cls.__doc__ = documentation_of(cls.schema, inspect.signature(cls))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not hasattr(type(self), "schema"):  # a class of a user that begins from one of our bases
            super().__init__(*args, **kwargs)
            return
        bound = bind(self._signature, type(self).__name__, *args, **kwargs)
        bound.apply_defaults()
        self._set(bound.arguments)

    def _set(self, arguments: dict[str, Any]) -> None:
        """Keeps the arguments as attributes and checks them."""
        self._converted: dict[str, Any] = {}
        for parameter in self.schema["parameters"]:
            name = parameter["name"]
            value = arguments[name]
            setattr(self, name, value)
            absent = value is None and parameter.get("default", 0) is None
            self._converted[name] = None if absent else CONVERSIONS[parameter["kind"]](value, parameter)
        self._check()

    def _check(self) -> None:
        """What concerns several arguments."""

    def _native(self) -> Any:
        # Made when first needed and never pickled: worker processes make their own.
        native = self.__dict__.get("_made")
        if native is None and not hasattr(type(self), "schema"):
            return super()._native()
        if native is None:
            native = _c_data.make_transform(self.schema["name"], self._converted)
            self.__dict__["_made"] = native
        return native

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_made"}


def native_class(name: str, base: type[SchemaOperation], module: str) -> type[SchemaOperation]:
    """The class of a native transform that says nothing beyond its schema, which has the same name."""
    return types.new_class(name, (base,), {"schema": name}, lambda body: body.update(__module__=module))
