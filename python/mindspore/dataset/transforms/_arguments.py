# SPDX-License-Identifier: Apache-2.0
"""From what a caller passes to what a native transform takes, one function per kind of parameter.

The kinds are those of the schema; ranges and names come from it too.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore.dataset.core.checks import check_interval, check_type

FLOAT_MAX_INTEGER = 16777216
INT32_MAX = 2147483647

Parameter = dict[str, Any]

_TYPE_NAMES = {"bool", "float16", "float32", "float64", "string"}
_TYPE_NAMES |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def bound(value: float, as_real: bool) -> Any:
    """A bound as messages show it."""
    if math.isinf(value):
        return INT32_MAX if value > 0 else -INT32_MAX - 1
    return float(value) if as_real else int(value) if value == int(value) else value


def check_bounds(value: Any, parameter: Parameter, name: str, as_real: bool) -> None:
    """The range of the schema."""
    low, high = parameter["low"], parameter["high"]
    if math.isinf(low) and math.isinf(high):
        return
    check_interval(value, bound(low, as_real), bound(high, as_real), name, left_open=parameter["low_is_open"])


def check_element(value: Any, types: tuple[type, ...], name: str) -> None:
    """As `check_type`; elements of lists are shown as they are."""
    if isinstance(value, bool) or not isinstance(value, types):
        raise TypeError(
            f"Argument {name} with value {value} is not of type {list(types)}, but got {type(value)}."
        )


def flag(value: Any, parameter: Parameter) -> bool:
    """A bool."""
    check_type(value, bool, parameter["name"])
    return value


def integer(value: Any, parameter: Parameter) -> int:
    """An int in the range."""
    name = parameter["name"]
    if name != "max_attempts":
        check_element(value, (int, np.integer) if isinstance(value, np.integer) else (int,), name)
    elif isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(
            f"Argument {name} with value {value} is not of type (<class 'int'>,), but got {type(value)}."
        )
    check_bounds(value, parameter, name, as_real=False)
    return int(value)


def real(value: Any, parameter: Parameter) -> float:
    """An int or float in the range."""
    name = parameter["name"]
    check_type(value, (float, int), name)
    if math.isnan(value):
        raise ValueError(
            f"Input {name} is not within the required interval of ({parameter['low']}, {parameter['high']})."
        )
    check_bounds(value, parameter, name, as_real=True)
    return float(value)


def number_or_text(value: Any, parameter: Parameter) -> Any:
    """A number, or a string."""
    check_type(value, (str, float, bool, int, bytes), parameter["name"])
    return value.decode() if isinstance(value, bytes) else value


def data_type(value: Any, parameter: Parameter) -> str:
    """A type of NumPy or MindSpore, as its NumPy name."""
    from mindspore.common import dtype as mstype

    name = parameter["name"]
    if isinstance(value, str) and value in _TYPE_NAMES:
        return value
    is_mindspore = isinstance(value, mstype.DType) or value is mstype.string
    is_numpy = isinstance(value, np.dtype) or (
        isinstance(value, type) and issubclass(value, (np.generic, bool, int, float, str, bytes))
    )
    if not (is_mindspore or is_numpy):
        types = [mstype.DType, type]
        raise TypeError(f"Argument {name} with value {value} is not of type {types}, but got {type(value)}.")
    if is_numpy:
        dtype = np.dtype(value)
    elif value is mstype.string:
        return "string"
    else:
        dtype = np.dtype(mstype.dtype_to_nptype(value))
    return {"U": "string", "S": "bytes"}.get(dtype.kind, dtype.name)


def size(value: Any, parameter: Parameter) -> list[int]:
    """An edge or (height, width)."""
    name = parameter["name"]
    if isinstance(value, (int, np.integer)):
        if not 1 <= value <= FLOAT_MAX_INTEGER:
            raise ValueError(f"Input is not within the required interval of [1, {FLOAT_MAX_INTEGER}].")
        return [int(value), int(value)]
    if isinstance(value, (list, tuple)) and len(value) == 2:
        for position, length in enumerate(value):
            check_element(length, (int,), f"{name} at dim {position}")
            check_interval(length, 1, INT32_MAX, f"{name} at dim {position}")
        return [int(value[0]), int(value[1])]
    raise TypeError("Size should be a single integer or a list/tuple (h, w) of length 2.")


def edge(value: Any, parameter: Parameter) -> list[int]:
    """The shorter edge or (height, width)."""
    lengths = size(value, parameter)
    return lengths[:1] if isinstance(value, (int, np.integer)) else lengths


def member(of: str) -> Callable[[Any, Parameter], int]:
    """A member of an enumeration of `vision.utils`, by its number."""

    def convert(value: Any, parameter: Parameter) -> int:
        from mindspore.dataset.vision import utils

        kind = getattr(utils, of)
        if not isinstance(value, kind):
            name = parameter["name"]
            raise TypeError(
                f"Argument {name} with value {value} is not of type [{kind}], but got {type(value)}."
            )
        return kind.to_c_type(value)

    return convert


def padding(value: Any, parameter: Parameter) -> list[int]:
    """One number, (left and right, top and bottom), or left, top, right, bottom."""
    from mindspore.dataset.vision.utils import parse_padding

    name = parameter["name"]
    check_type(value, (tuple, list, int), name)
    if not isinstance(value, int):
        if len(value) not in (2, 4):
            raise ValueError("The size of the padding list or tuple should be 2 or 4.")
        for position, length in enumerate(value):
            check_element(length, (int,), f"{name}[{position}]")
    for position, length in enumerate([value] if isinstance(value, int) else value):
        check_interval(length, 0, INT32_MAX, name if isinstance(value, int) else f"{name}[{position}]")
    return list(parse_padding(value))


def fill(value: Any, parameter: Parameter) -> list[int]:
    """One number for all channels, or three."""
    name = parameter["name"]
    if isinstance(value, int) and not isinstance(value, bool):
        check_interval(value, 0, 255, name)
        return [value] * 3
    if isinstance(value, tuple) and len(value) == 3:
        for position, channel in enumerate(value):
            check_element(channel, (int,), f"{name}[{position}]")
            check_interval(channel, 0, 255, f"{name}[{position}]")
        return list(value)
    raise TypeError(f"{name} should be a single integer or a 3-tuple.")


def interval(value: Any, parameter: Parameter) -> list[float]:
    """(low, high)."""
    name = parameter["name"]
    check_type(value, (tuple, list), name)
    if len(value) != 2:
        raise TypeError(f"{name} should be a list/tuple of length 2.")
    for position, end in enumerate(value):
        check_element(end, (float, int), f"{name}[{position}]")
    for end in value:
        check_bounds(end, parameter, name, as_real=False)
    if value[0] > value[1]:
        raise ValueError(f"{name} should be in (min,max) format. Got (max,min).")
    if value[1] == 0:
        raise ValueError(f"Input {name}[1] must be greater than 0.")
    return [float(value[0]), float(value[1])]


def spread(value: Any, parameter: Parameter) -> list[float]:
    """v for (max(0, 1 - v), 1 + v), or (low, high)."""
    return _around(value, parameter, 1.0)


def hue_spread(value: Any, parameter: Parameter) -> list[float]:
    """v for (-v, v), or (low, high), within half a turn."""
    return _around(value, parameter, 0.0)


def _around(value: Any, parameter: Parameter, centre: float) -> list[float]:
    name = parameter["name"]
    check_type(value, (float, int, list, tuple), name)
    if isinstance(value, (float, int)):
        check_interval(value, 0, bound(parameter["high"], False), name)
        low, high = (-value, value) if centre == 0.0 else (max(0, centre - value), centre + value)
        return [float(low), float(high)]
    if len(value) != 2:
        raise ValueError(f"{name} needs to be a single number or a list/tuple of length 2.")
    for position, end in enumerate(value):
        check_element(end, (float, int), f"{name}[{position}]")
        check_bounds(end, parameter, f"{name}[{position}]", as_real=False)
    if value[0] > value[1]:
        raise ValueError(f"{name} range is not valid: the first value is greater than the second.")
    return [float(value[0]), float(value[1])]


def degrees(value: Any, parameter: Parameter) -> list[float]:
    """v for (-v, v), or (low, high)."""
    name = parameter["name"]
    check_type(value, (int, float, list, tuple), name)
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError("If degrees is a single number, it cannot be negative.")
        return [-float(value), float(value)]
    if len(value) != 2:
        raise TypeError("If degrees is a sequence, the length must be 2.")
    for position, end in enumerate(value):
        check_element(end, (int, float), f"{name}[{position}]")
    if value[0] > value[1]:
        raise ValueError("degrees should be in (min,max) format. Got (max,min).")
    return [float(value[0]), float(value[1])]


def threshold(value: Any, parameter: Parameter) -> list[float]:
    """v for (v, v), or (low, high)."""
    name = parameter["name"]
    check_type(value, (float, int, list, tuple), name)
    ends = [value, value] if isinstance(value, (float, int)) else list(value)
    if len(ends) != 2:
        raise TypeError(f"{name} should be a single number or a list/tuple of length 2.")
    for position, end in enumerate(ends):
        check_element(end, (float, int), f"{name}[{position}]")
        check_bounds(
            end, parameter, name if not isinstance(value, (list, tuple)) else f"{name}[{position}]", False
        )
    return [float(end) for end in ends]


def integer_range(value: Any, parameter: Parameter) -> list[int]:
    """v for (v, v), or (low, high)."""
    name = parameter["name"]
    check_type(value, (int, list, tuple), name)
    ends = [value, value] if isinstance(value, int) else list(value)
    if len(ends) != 2:
        raise TypeError(f"Size of {name} should be a single integer or a list/tuple (min, max) of length 2.")
    for position, end in enumerate(ends):
        check_element(end, (int,), f"{name}[{position}]")
        check_bounds(end, parameter, name, as_real=False)
    return ends


def shear_range(value: Any, parameter: Parameter) -> list[float]:
    """v for (-v, v), (low, high), or both ends for x and for y."""
    name = parameter["name"]
    check_type(value, (int, float, list, tuple), name)
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError(f"Input {name} must be greater than 0.")
        return [-float(value), float(value)]
    if len(value) not in (2, 4):
        raise TypeError(f"{name} must be of length 2 or 4.")
    for low, high in zip(value[::2], value[1::2], strict=True):
        if low > high:
            raise ValueError(f"Input {name} is not valid: {low} is greater than {high}.")
    return [float(end) for end in value]


def integers(value: Any, parameter: Parameter) -> list[int]:
    """A list or tuple of ints."""
    name = parameter["name"]
    check_type(value, (list, tuple), name)
    for position, element in enumerate(value):
        check_element(element, (int,), f"{name}[{position}]")
        check_bounds(element, parameter, f"{name}[{position}]", as_real=False)
    return list(value)


def reals(value: Any, parameter: Parameter) -> list[float]:
    """A list or tuple of numbers."""
    name = parameter["name"]
    check_type(value, (list, tuple), name)
    for position, element in enumerate(value):
        check_element(element, (int, float), f"{name}[{position}]")
        check_bounds(element, parameter, f"{name}[{position}]", as_real=False)
    return [float(element) for element in value]


def text(value: Any, parameter: Parameter) -> str:
    """A str."""
    check_type(value, str, parameter["name"])
    return value


def choice(value: Any, parameter: Parameter) -> int:
    """A member of an enumeration."""
    if not isinstance(value, enum.Enum):
        raise TypeError(f"Argument {parameter['name']} with value {value} is not of type [<enum 'Enum'>].")
    return int(value.value)


CONVERSIONS: dict[str, Callable[[Any, Parameter], Any]] = {
    "flag": flag,
    "integer": integer,
    "real": real,
    "text": text,
    "number": number_or_text,
    "data_type": data_type,
    "size": size,
    "edge": edge,
    "interpolation": member("Inter"),
    "border": member("Border"),
    "padding": padding,
    "fill": fill,
    "interval": interval,
    "spread": spread,
    "hue_spread": hue_spread,
    "degrees": degrees,
    "threshold": threshold,
    "integer_range": integer_range,
    "shear_range": shear_range,
    "colour_conversion": member("ConvertMode"),
    "integers": integers,
    "reals": reals,
    "choice": choice,
}


def default_of(parameter: Parameter) -> Any:
    """The default of the schema as a Python signature shows it."""
    value, kind = parameter["default"], parameter["kind"]
    if value is None:
        return None
    if kind in ("interpolation", "border"):
        from mindspore.dataset.vision import utils

        return utils.Inter(value) if kind == "interpolation" else list(utils.Border)[value]
    if kind == "data_type":
        return getattr(np, value)
    if kind == "fill":
        return value[0] if len(set(value)) == 1 else tuple(value)
    if kind in ("interval", "spread", "hue_spread", "degrees", "integer_range"):
        ends = tuple(value)
        return tuple(int(end) for end in ends) if kind.endswith("spread") else ends
    return tuple(value) if isinstance(value, (list, tuple)) else value
