# SPDX-License-Identifier: Apache-2.0
"""Functions, primitive classes and Tensor methods made from the operator registry."""

from __future__ import annotations

import inspect
from functools import cache

from mindspore import _c_expression as _c


@cache
def describe(name: str) -> dict:
    """Everything the registry knows about one operator."""
    return _c.describe_operator(name)


def _shown_default(default):
    """A single number stands for a tuple of one."""
    return default[0] if isinstance(default, tuple) and len(default) == 1 else default


def _parameter(entry: dict, kind: inspect._ParameterKind) -> inspect.Parameter:
    if "type" in entry:  # an attribute
        default = inspect.Parameter.empty if entry["required"] else _shown_default(entry["default"])
    else:
        default = None if entry["optional"] else inspect.Parameter.empty
    return inspect.Parameter(entry["name"], kind, default=default)


def _entries(operator: dict) -> list[dict]:
    """Inputs and attributes in the order of the Python function."""
    sources = {True: operator["inputs"], False: operator["attributes"]}
    return [sources[is_input][index] for is_input, index in operator["parameters"]]


def constructor_entries(operator: dict) -> list[dict]:
    """What the constructor of the primitive takes."""
    return [entry for entry in operator["attributes"] if not entry["in_call"]]


def call_entries(operator: dict) -> list[dict]:
    """What a call of the primitive takes."""
    constructor = {entry["name"] for entry in constructor_entries(operator)}
    return [entry for entry in _entries(operator) if entry["name"] not in constructor]


def _signature(entries: list[dict]) -> inspect.Signature:
    """What may be left out is followed only by what may be left out."""
    parameters = [_parameter(entry, inspect.Parameter.POSITIONAL_OR_KEYWORD) for entry in entries]
    seen_default = False
    for i, parameter in enumerate(parameters):
        if seen_default and parameter.default is inspect.Parameter.empty:
            parameters[i] = parameter.replace(default=None)
        seen_default |= parameter.default is not inspect.Parameter.empty
    return inspect.Signature(parameters)


def function_signature(operator: dict) -> inspect.Signature:
    """Signature of the function form: mandatory parameters first, as the registry orders them."""
    return _signature(_entries(operator))


def constructor_signature(operator: dict) -> inspect.Signature:
    """Signature of the primitive class."""
    return _signature(constructor_entries(operator))


def call_signature(operator: dict) -> inspect.Signature:
    """Signature of a primitive that has been made."""
    return _signature(call_entries(operator))


def _argument_lines(entries: list[dict]) -> list[str]:
    lines = []
    for entry in entries:
        if "type" in entry:
            kind = entry["type"]
        else:
            kind = "Union[tuple[Tensor], list[Tensor]]" if entry["variadic"] else "Tensor"
        suffix = ""
        if "type" in entry and not entry["required"]:
            suffix = f" Default: ``{_shown_default(entry['default'])!r}``."
        lines.append(f"    {entry['name']} ({kind}): {entry['doc']}{suffix}")
    return lines


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", f"{title}:", *lines] if lines else []


def _documentation(operator: dict, arguments: list[str], results: str) -> str:
    outputs = [f"    {name} (Tensor): {doc}" for name, doc, _, _ in operator["outputs"]]
    platforms = "    " + " ".join(f"``{platform}``" for platform in operator["platforms"])
    lines = [operator["doc"], *arguments, *_section(results, outputs)]
    return "\n".join(lines + _section("Supported Platforms", [platforms]))


def documentation(operator: dict) -> str:
    """Docstring of the function form."""
    return _documentation(operator, _section("Args", _argument_lines(_entries(operator))), "Returns")


def primitive_documentation(operator: dict) -> str:
    """Docstring of the primitive class: what its constructor takes, then what a call takes."""
    constructor = _section("Args", _argument_lines(constructor_entries(operator)))
    call = _section("Inputs", _argument_lines(call_entries(operator)))
    return _documentation(operator, constructor + call, "Outputs")


def method_signature(operator: dict) -> inspect.Signature:
    """Signature of the Tensor method: the tensor itself comes first."""
    first, *rest = function_signature(operator).parameters.values()
    return inspect.Signature([first.replace(name="self", default=inspect.Parameter.empty), *rest])


def _describe_function(name: str, what: str, is_method: int):
    if what == "operator":
        return name
    operator = describe(name)
    if what == "name":
        return operator["function"] or operator["name"]
    if what == "module":
        return "mindspore.Tensor" if is_method else "mindspore.ops"
    if what == "doc":
        return documentation(operator)
    return method_signature(operator) if is_method else function_signature(operator)


_c.set_function_describer(_describe_function)


@cache
def function(name: str):
    """The callable that runs the operator of this name."""
    return _c.operator_function(name)


def functions() -> dict:
    """Function name -> callable, for every operator that has a function form."""
    table = {}
    for names in _c.operators():
        for alias in ([names["function"]] if names["function"] else []) + names["function_aliases"]:
            table[alias] = function(names["name"])
    return table


def methods() -> dict:
    """Tensor method name -> callable."""
    table = {}
    for names in _c.operators():
        for alias in ([names["method"]] if names["method"] else []) + names["method_aliases"]:
            table[alias] = _c.operator_method(names["name"])
    return table


class Operators:
    """The operators by their own names, found when first used: `op.reduce_sum(x, axis=0)`."""

    def __getattr__(self, name: str):
        try:
            found = function(name)
        except Exception as error:
            raise AttributeError(f"there is no operator '{name}'") from error
        setattr(self, name, found)
        return found


op = Operators()
