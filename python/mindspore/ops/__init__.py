# SPDX-License-Identifier: Apache-2.0
"""Operators as functions and as primitive classes.

The names come from three places: the operator registry, functions whose signature does not follow from it
(`function/`), and primitive classes that do not (`_primitives/`). What belongs to other parts of the
package is looked up there when it is first used.
"""

from __future__ import annotations

from importlib import import_module as _import_module

from mindspore._spelling import unknown_in_module as _unknown_in_module
from mindspore.ops import _primitives, _registry, composite, function, primitive
from mindspore.ops.composite import HyperMap, Map, MultitypeFuncGraph
from mindspore.ops.primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    prim_arg_register,
    prim_attr_register,
)

globals().update({**primitive.primitive_classes(), **_primitives.classes()})
globals().update({**_registry.functions(), **function.functions()})

_ELSEWHERE = {
    "auto_generate": "mindspore.ops.auto_generate",
    "GradOperation": "mindspore.common._gradient",
    "HookBackward": "mindspore.common.hook",
    "InsertGradientOf": "mindspore.common.hook",
    "constexpr": "mindspore.ops.primitive",
    "derivative": "mindspore.common._derivatives",
    "functional": "mindspore.ops.functional",
    "get_grad": "mindspore.common._gradient",
    "grad": "mindspore.common._gradient",
    "jacfwd": "mindspore.common._derivatives",
    "jacrev": "mindspore.common._derivatives",
    "jet": "mindspore.common._derivatives",
    "jvp": "mindspore.common._derivatives",
    "linearize": "mindspore.common._derivatives",
    "operations": "mindspore.ops.operations",
    "value_and_grad": "mindspore.common._gradient",
    "vjp": "mindspore.common._derivatives",
    "vmap": "mindspore.common._derivatives",
}


def __getattr__(name: str):
    """Names that live in other parts of the package."""
    if name not in _ELSEWHERE:
        raise _unknown_in_module("mindspore.ops", name, __dir__)
    home = _ELSEWHERE[name]
    module = _import_module(home)
    found = module if home.endswith(f".{name}") else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """All names, also those that have not been looked up yet."""
    return sorted({*globals(), *_ELSEWHERE})
