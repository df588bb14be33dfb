# SPDX-License-Identifier: Apache-2.0
"""Operators as functions and as primitive classes.

The names come from three places: the operator registry, functions whose signature does not follow from it
(`function/`), and primitive classes that do not (`_primitives/`). What belongs to other parts of the
package is looked up there when it is first used.
"""

from mindspore._later import imported_later as _imported_later
from mindspore._later import star_names as _star_names
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

_LATER = {
    "mindspore.common._derivatives": "derivative jacfwd jacrev jet jvp linearize vjp vmap",
    "mindspore.common._gradient": "GradOperation get_grad grad value_and_grad",
    "mindspore.common.hook": "HookBackward InsertGradientOf",
    "mindspore.ops.primitive": "constexpr",
}
_MODULES = "auto_generate composite function functional operations primitive"
__getattr__, __dir__ = _imported_later(globals(), _LATER, _MODULES.split())
__all__ = _star_names(__dir__(), _MODULES.split())
