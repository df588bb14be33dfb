# SPDX-License-Identifier: Apache-2.0
"""Text forms of tensors."""

from __future__ import annotations

import numpy as np

_EDGE = 3  # elements shown at either end of a shortened axis
_LONG_AXIS = 6
_LONG_VECTOR = 1000


def _real(value: float, digits: int, width: int) -> str:
    return f"{value:.{digits}e}".rjust(width)


def _formatter(array: np.ndarray, half: bool):
    """(function from an element to its text, elements per line of a vector)."""
    kind = array.dtype.kind
    if kind == "f":
        digits, width = (4, 11) if half else (8, 15)
        return lambda value: _real(value, digits, width), 12
    if kind == "b":
        return lambda value: str(bool(value)).rjust(5), 12
    if kind == "c":
        return lambda value: f"{value.real:g}{value.imag:+g}j", 12
    width = max((len(str(value)) for value in _shown(array).ravel()), default=1)
    return lambda value: str(value).rjust(width), 24


def _shown(array: np.ndarray) -> np.ndarray:
    """The elements that will be printed."""
    for axis, length in enumerate(array.shape):
        if length > (_LONG_VECTOR if array.ndim == 1 else _LONG_AXIS):
            array = np.take(array, [*range(_EDGE), *range(length - _EDGE, length)], axis)
    return array


def _vector(array: np.ndarray, form, per_line: int, threshold: int) -> str:
    if len(array) > threshold:
        head = ", ".join(map(form, array[:_EDGE]))
        tail = ", ".join(map(form, array[-_EDGE:]))
        return f"[{head} ... {tail}]"
    texts = list(map(form, array))
    if per_line:
        lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
        return "[" + ", \n ".join(lines) + "]"
    return "[" + ", ".join(texts) + "]"


def _nested(array: np.ndarray, form, depth: int) -> str:
    if array.ndim == 1:
        return _vector(array, form, 0, _LONG_AXIS)
    indent = "\n" + " " * (depth + 1)
    if len(array) <= _LONG_AXIS:
        return "[" + f",{indent}".join(_nested(row, form, depth + 1) for row in array) + "]"
    head = f",{indent}".join(_nested(row, form, depth + 1) for row in array[:_EDGE])
    tail = f",{indent}".join(_nested(row, form, depth + 1) for row in array[-_EDGE:])
    return f"[{head},{indent}...{indent}{tail}]"


def _scalar(value) -> str:
    if isinstance(value, np.bool_):
        return str(bool(value))
    if isinstance(value, np.complexfloating):
        return f"{value.real:g}{value.imag:+g}j"
    if isinstance(value, np.floating):
        return f"{value:g}"
    return str(value)


def elements(array: np.ndarray, half: bool) -> str:
    """The elements as `repr` shows them."""
    if array.ndim == 0:
        return _scalar(array[()])
    if array.size == 0:
        return np.array2string(array, separator=", ")
    form, per_line = _formatter(array, half)
    if array.ndim == 1:
        return _vector(array, form, per_line, _LONG_VECTOR)
    return _nested(array, form, 0)


def to_repr(self) -> str:
    head = f"shape={list(self.shape)}, dtype={self.dtype}, value="
    if not self._has_data():
        return f"Tensor({head} <uninitialized>)"
    array = self.asnumpy()
    body = elements(array, array.dtype.itemsize == 2)
    if str(self.dtype) == "BFloat16":
        body = np.array2string(array, separator=", ")
    return f"Tensor({head}{chr(10) if array.ndim > 1 else ' '}{body})"


def to_str(self) -> str:
    return str(self.asnumpy()) if self._has_data() else to_repr(self)


def to_format(self, spec: str) -> str:
    if spec and self._has_data() and self.size == 1:
        return format(self._item(), spec)
    return format(to_str(self), spec)
