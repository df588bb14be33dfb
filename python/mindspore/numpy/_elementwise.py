# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions: an operator each, and the type of the result if one is asked for."""

from __future__ import annotations

import inspect

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

# name -> operator
_UNARY = {
    "abs": "abs",
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctanh": "atanh",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "floor": "floor",
    "invert": "invert",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "logical_not": "logical_not",
    "negative": "neg",
    "reciprocal": "reciprocal",
    "sign": "sign",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}
_BINARY = {
    "add": "add",
    "arctan2": "atan2",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "divide": "div",
    "equal": "equal",
    "floor_divide": "floor_div",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "less": "less",
    "less_equal": "less_equal",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "matmul": "matmul",
    "maximum": "maximum",
    "minimum": "minimum",
    "multiply": "mul",
    "not_equal": "not_equal",
    "power": "pow",
    "remainder": "floor_mod",
    "subtract": "sub",
    "true_divide": "div",
}


def tensor_of(value):
    """A tensor from anything like an array; tensors and numbers stay as they are."""
    if isinstance(value, (Tensor, int, float, bool, complex)):
        return value
    if isinstance(value, (list, tuple)):
        value = Tensor(value)
        return op.cast(value, mstype.int32) if value.dtype == mstype.int64 else value
    return Tensor(value)


def typed(value, dtype):
    """In another type, if one is given."""
    if dtype is None:
        return value
    return value.astype(dtype)


def _function(name: str, operator: str, inputs: tuple[str, ...]):
    run = getattr(op, operator)
    parameters = [inspect.Parameter(i, inspect.Parameter.POSITIONAL_OR_KEYWORD) for i in inputs]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters.append(inspect.Parameter("dtype", kind, default=None))
    signature = inspect.Signature(parameters, return_annotation=Tensor)

    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        values = [tensor_of(given[key]) for key in inputs]
        if not isinstance(values[0], Tensor):
            values[0] = Tensor(values[0])
        return typed(run(*values), given.get("dtype"))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{name}` of NumPy, element by element; `dtype` is the type of the result."
    call.__signature__ = signature
    return call


_functions = {name: _function(name, operator, ("x",)) for name, operator in _UNARY.items()}
_functions.update({name: _function(name, operator, ("x1", "x2")) for name, operator in _BINARY.items()})
_functions["arccos"] = _function("arccos", "acos", ("input",))
globals().update(_functions)

__all__ = list(_functions)  # noqa: PLE0604
