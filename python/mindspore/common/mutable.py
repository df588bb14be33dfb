# SPDX-License-Identifier: Apache-2.0
"""Values that graphs treat as variables.

They are the numbers and containers they were made of. While a function is captured, what is computed from
them is marked like them, so that `ops.isconstant` can tell, and a sequence whose length may change keeps
elements of one type.
"""

from __future__ import annotations

import operator
from typing import Any

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor


class _Int(int):
    __slots__ = ()  # compared by value among the arguments of compiled functions


class _Float(float):
    __slots__ = ()


class _Tuple(tuple):
    pass


class _List(list):
    pass


class _Dict(dict):
    def copy(self) -> _Dict:
        """A copy that is marked as well."""
        return _Dict(self)


_NUMBERS = {int: _Int, float: _Float}
_SEQUENCES = {tuple: _Tuple, list: _List}
_OPERATORS = "add sub mul truediv floordiv mod pow and or xor lshift rshift"


def is_variable_number(value: object) -> bool:
    """Whether a number was marked, or computed from one that was."""
    return type(value) in (_Int, _Float)


def is_variable_container(value: object) -> bool:
    """Whether a tuple, list or dict was marked."""
    return type(value) in (_Tuple, _List, _Dict)


def has_open_length(value: object) -> bool:
    """Whether a sequence was marked as one whose length may change."""
    return type(value) in (_Tuple, _List) and value.dynamic_len


def _marked_number(value):
    kind = _NUMBERS.get(type(value)) if _c.is_capturing() else None
    return value if kind is None else kind(value)


def _computing(plain: type, calculate, is_swapped: bool):
    """A method of numbers whose result is marked as well."""

    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        pair = (other, plain(self)) if is_swapped else (plain(self), other)
        return _marked_number(calculate(*pair))

    return method


def _giving_a_number(calculate):
    return lambda self, *args: _marked_number(calculate(self, *args))


for _plain, _kind in _NUMBERS.items():
    for _name in _OPERATORS.split():
        if hasattr(_plain, f"__{_name}__"):
            _calculate = getattr(operator, f"__{_name}__")
            setattr(_kind, f"__{_name}__", _computing(_plain, _calculate, False))
            setattr(_kind, f"__r{_name}__", _computing(_plain, _calculate, True))
    for _name in ("neg", "pos", "abs"):
        setattr(_kind, f"__{_name}__", _giving_a_number(getattr(_plain, f"__{_name}__")))


def _form(value, any_length: bool = False) -> tuple:
    """Type of an element, and the forms of its own elements, or of one; shapes of tensors may differ."""
    if isinstance(value, Tensor):
        return Tensor, value.dtype
    if isinstance(value, (tuple, list)):
        parts = value[:1] if any_length else value
        return (tuple if isinstance(value, tuple) else list), *(_form(part, any_length) for part in parts)
    kinds = (kind for kind in (bool, int, float) if isinstance(value, kind))
    return (next(kinds, type(value)),)


def _check_alike(first, second) -> None:
    for one in first[:1]:
        for other in second[:1]:
            if _form(one) != _form(other):
                raise TypeError(
                    f"For a sequence whose length may change, the element of first input {one!r} is not same "
                    f"with the element of second input {other!r}: types must be the same."
                )


def _check_element(sequence, value) -> None:
    if (
        has_open_length(sequence)
        and len(sequence)
        and _c.is_capturing()
        and _form(sequence[0]) != _form(value)
    ):
        raise TypeError(
            f"The element within dynamic length sequence must keep its type: the first one is "
            f"{sequence[0]!r}, but got {value!r}."
        )


def _check_elements(sequence, values) -> None:
    if not (has_open_length(sequence) and _c.is_capturing()):
        return
    if len({_form(one) for one in (*sequence[:1], *values)}) > 1:
        raise ValueError("The element type do not match, can not convert to dynamic length sequence.")


def _made(plain: type, parts, likes: tuple):
    """A sequence computed from others; its length may change if that of one of them may."""
    if not _c.is_capturing():
        return plain(parts)
    made = _SEQUENCES[plain](parts)
    made.dynamic_len = any(map(has_open_length, likes)) or any(map(is_variable_number, likes))
    return made


def _joined(plain: type, is_swapped: bool):
    def method(self, other):
        if not isinstance(other, plain):
            return NotImplemented
        first, second = (other, self) if is_swapped else (self, other)
        if _c.is_capturing() and (has_open_length(first) or has_open_length(second)):
            _check_alike(first, second)
        return _made(plain, (*first, *second), (first, second))

    return method


def _repeated(plain: type):
    def method(self, times):
        if not hasattr(type(times), "__index__"):
            return NotImplemented
        return _made(plain, plain(self) * operator.index(times), (self, times))

    return method


def _part(plain: type):
    def method(self, key):
        found = plain.__getitem__(self, key)
        if not isinstance(key, slice):
            return found
        return _made(plain, found, (self, key.start, key.stop, key.step))

    return method


for _plain, _kind in _SEQUENCES.items():
    _kind.dynamic_len = False
    _kind.__add__, _kind.__radd__ = _joined(_plain, False), _joined(_plain, True)
    _kind.__mul__ = _kind.__rmul__ = _repeated(_plain)
    _kind.__getitem__ = _part(_plain)
    for _name in ("count", "index"):
        setattr(_kind, _name, _giving_a_number(getattr(_plain, _name)))


def _set_item(self: _List, key, value) -> None:
    if isinstance(key, slice):
        value = list(value)
        _check_elements(self, value)
    else:
        _check_element(self, value)
    list.__setitem__(self, key, value)


def _append(self: _List, value) -> None:
    _check_element(self, value)
    list.append(self, value)


def _insert(self: _List, index, value) -> None:
    _check_element(self, value)
    list.insert(self, index, value)


def _extend(self: _List, values) -> None:
    values = list(values)
    _check_elements(self, values)
    list.extend(self, values)


_List.__setitem__, _List.append, _List.insert, _List.extend = _set_item, _append, _insert, _extend


def _check(value, around: tuple = ()) -> None:
    if isinstance(value, (tuple, list, dict)):
        if any(value is one for one in around):
            raise TypeError(
                f"For 'mutable', the 'input_data' should be nested with no self-reference, but got {value!r}."
            )
        for part in value.values() if isinstance(value, dict) else value:
            _check(part, (*around, value))
    elif not isinstance(value, (bool, int, float, Tensor)):
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) "
            "or their "
            f"nested structures, but got {value}."
        )


_DEEPEST = 8  # of sequences inside of each other that are looked at


def check_open_lengths(value: object, depth: int = 0) -> None:
    """Checks sequences among the arguments of a compiled function whose length may change.

    Raises:
        ValueError: Elements of one differ in type.
    """
    if has_open_length(value):
        _check_same_form(value)
    if isinstance(value, (tuple, list)) and depth < _DEEPEST:
        for part in value:
            check_open_lengths(part, depth + 1)


def _check_same_form(sequence) -> None:
    if len({_form(part, any_length=True) for part in sequence}) > 1:
        raise ValueError(
            "In graph mode, the element type of dynamic length array must be the same. "
            f"The element type of the array is {[type(part).__name__ for part in sequence]}."
        )


def _marked(value, dynamic_len: bool):
    for plain, kind in _NUMBERS.items():
        if type(value) in (plain, kind):
            return kind(value)
    for plain, kind in _SEQUENCES.items():
        if type(value) in (plain, kind):
            made = kind(_marked(part, False) for part in value)
            made.dynamic_len = dynamic_len
            return made
    if type(value) in (dict, _Dict):
        return _Dict({key: _marked(part, False) for key, part in value.items()})
    if isinstance(value, Tensor) and value.const_arg:
        if _c.is_capturing():
            return value.view(value.shape)  # the same content; the argument itself stays as it is
        value.set_const_arg(False)
    return value


def mutable(input_data, dynamic_len: bool = False) -> Any:
    """The same value, marked as a variable for graphs.

    A number that is marked so is an input of the graph from the first call of a compiled function on. A
    tuple, list or dict of tensors that is marked gets gradients, in its own form.

    Args:
        input_data (Union[Tensor, bool, int, float, tuple, list, dict]): The value.
        dynamic_len (bool): The length may change; needs a tuple or list, whose elements are of one type in
            compiled functions. Default: ``False``.

    Returns:
        A value that compares and prints like `input_data`.

    Examples:
        >>> import mindspore as ms
        >>> pair = ms.mutable((ms.Tensor(3.0), ms.Tensor(5.0)))
        >>> [float(part) for part in ms.grad(lambda pair: pair[0] * pair[1])(pair)]
        [5.0, 3.0]

    Raises:
        TypeError: The value, or something in it, is of another type.
        ValueError: In a compiled function, elements of a sequence whose length may change differ in type.
        RuntimeError: In a compiled function, the length of such a sequence is fixed again.
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(
            f"For 'mutable', the second input should be bool, but got: {type(dynamic_len).__name__}."
        )
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(
            "For 'mutable', when the variable_len is True, the first input should be list or tuple, but got: "
            f"{type(input_data).__name__}."
        )
    _check(input_data)
    if _c.is_capturing():
        if has_open_length(input_data) and not dynamic_len:
            raise RuntimeError("For 'mutable', can not convert a dynamic length sequence to constant length.")
        if dynamic_len:
            _check_same_form(input_data)
    return _marked(input_data, dynamic_len)
