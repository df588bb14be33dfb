# SPDX-License-Identifier: Apache-2.0
"""Operators whose body the user writes in Python."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.ops.primitive import Primitive

__all__ = ["Custom", "PyFunc", "kernel", "ms_kernel"]


class _Scope:
    """A `with` block of the kernel language: it directs a compiler and changes no result."""

    def __init__(self, *args, **kwargs) -> None:
        pass

    def __enter__(self) -> _Scope:
        return self

    def __exit__(self, *error) -> None:
        return None


# What a kernel function may call, as plain Python over arrays.
_KERNEL_NAMES = {
    "output_tensor": lambda shape, dtype: np.zeros(shape, dtype),
    "allocate": lambda shape, dtype, scope="local": np.zeros(shape, dtype),
    "grid": lambda extent: np.ndindex(*extent) if isinstance(extent, (tuple, list)) else range(extent),
    **dict.fromkeys(("serial", "vectorize", "parallel", "reduce"), range),
    **dict.fromkeys(("attr", "block_realize"), _Scope),
    **{name: getattr(np, name) for name in ("int8", "int16", "int32", "int64")},
    **{name: getattr(np, name) for name in ("float16", "float32", "float64")},
    **{name: getattr(np, name) for name in ("exp", "expm1", "log", "sqrt", "power", "sin", "cos", "tanh")},
    **{name: getattr(np, name) for name in ("floor", "ceil", "trunc", "round", "sign", "isnan", "isinf")},
    "isfinite": np.isfinite,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": math.erf,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "ceil_div": lambda x, y: (x + y - 1) // y,
    "abs": abs,
    "min": min,
    "max": max,
}


def kernel(fn=None, reg_info=None, compile_attrs=None) -> Any:
    """Decorator of a function over the elements of arrays, for `ops.Custom(func, func_type='hybrid')`.

    Args:
        fn (Function): The function. Default: ``None``.
        reg_info (tuple): Description of the operator. Default: ``None``.
        compile_attrs (Dict): Accepted for compatibility. Default: ``None``.
    """

    def wrap(function):
        scope = {**_KERNEL_NAMES, **function.__globals__}
        body = type(function)(
            function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
        )

        @functools.wraps(function)
        def run(*args):
            return body(*args)

        run.reg_info = reg_info
        return run

    return wrap if fn is None else wrap(fn)


ms_kernel = kernel


def _as_tensors(result):
    if isinstance(result, (tuple, list)):
        return tuple(_as_tensors(item) for item in result)
    return result if isinstance(result, Tensor) else Tensor(np.ascontiguousarray(result))


class Custom(Primitive):
    """An operator made of a Python function over NumPy arrays.

    Args:
        func (function): The function.
        out_shape (Union[function, list, tuple]): Shape of the result, or a function of the inputs' shapes.
            Default: ``None``.
        out_dtype (Union[function, mindspore.dtype, tuple]): Type of the result, or a function of the inputs'
            types. Default: ``None``.
        func_type (str): 'hybrid', 'pyfunc', or 'akg' for a function in the language of `kernel` without its
            decorator. Default: ``'hybrid'``.
        bprop (function): Gradients: bprop(*inputs, output, output gradient). Default: ``None``.
        reg_info (Union[str, dict, list, tuple]): Description of the operator. Default: ``None``.
    """

    def __init__(self, func, out_shape=None, out_dtype=None, func_type="hybrid", bprop=None, reg_info=None):
        super().__init__("Custom")
        if func_type not in ("hybrid", "pyfunc", "akg", "tbe", "aicpu", "aot", "julia"):
            raise ValueError(f"For 'Custom', there is no 'func_type' '{func_type}'.")
        if func_type not in ("hybrid", "pyfunc", "akg"):
            raise NotImplementedError(
                f"For 'Custom', the 'func_type' '{func_type}' needs a compiler that is not here: "
                "write the function for 'func_type' 'hybrid' (ops.kernel) or 'pyfunc'."
            )
        if not callable(func):
            raise TypeError(f"For 'Custom', the 'func' must be a function, but got {type(func).__name__}.")
        self.func = kernel(func) if func_type == "akg" else func
        self.bprop, self.func_type = bprop, func_type
        self.out_shape, self.out_dtype, self.reg_info = out_shape, out_dtype, reg_info

    def __call__(self, *input) -> Any:
        arrays = [x.asnumpy() if isinstance(x, Tensor) else x for x in input]
        outputs = _as_tensors(self.func(*arrays))
        if self.bprop is not None and any(isinstance(x, Tensor) and _c.is_tracked(x) for x in input):
            self._record(input, outputs)
        return outputs

    def _record(self, inputs, outputs) -> None:
        tensors = [x for x in inputs if isinstance(x, Tensor)]
        flat = list(outputs) if isinstance(outputs, tuple) else [outputs]

        def backward(*gradients):
            given = gradients[0] if len(gradients) == 1 else gradients
            result = self.bprop(*inputs, outputs, given)
            result = result if isinstance(result, tuple) else (result,)
            return [g for g, x in zip(result, inputs, strict=False) if isinstance(x, Tensor)]

        _c.record_custom("Custom", tensors, flat, backward)


class PyFunc(Primitive):
    """A Python function over NumPy arrays as an operator."""

    def __init__(self, fn, in_types, in_shapes, out_types, out_shapes, stateful=True):
        super().__init__("PyFunc")
        self.fn, self.out_types, self.out_shapes = fn, out_types, out_shapes

    def __call__(self, *input_x) -> Any:
        inputs = input_x[0] if len(input_x) == 1 and isinstance(input_x[0], (tuple, list)) else input_x
        result = self.fn(*(x.asnumpy() for x in inputs))
        outputs = result if isinstance(result, (tuple, list)) else (result,)
        return tuple(Tensor(np.asarray(x), dtype) for x, dtype in zip(outputs, self.out_types, strict=True))
