# SPDX-License-Identifier: Apache-2.0
"""Primitives that pass values on, choose among them, or compute with numbers and shapes."""

from __future__ import annotations

import math
import operator

from mindspore import ops
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op
from mindspore.train._export.loops.current import current_runner
from mindspore.train._mindir.interpreter import Closure
from mindspore.train._mindir.values import UMONAD, Functor, Monad

# These have no effect of their own: dropping them after a call changes nothing.
PASSING = frozenset(("Depend", "depend", "UpdateState", "MakeTuple", "make_tuple"))
# Begin the names of primitives that write into a parameter.
WRITING = ("Assign", "Apply", "SparseApply", "FusedSparse", "Scatter", "Inplace", "Adam", "Momentum", "SGD")


def _load(primitive, arguments):
    """The value of a parameter; a copy where the network also writes parameters."""
    value = arguments[0]
    return op.copy(value) if isinstance(value, Parameter) and primitive.copies else value


def _switch(primitive, arguments):
    condition, when_true, when_false = arguments[:3]
    return when_true if bool(condition) else when_false


def _switch_layer(primitive, arguments):
    index, branches = arguments[:2]
    if isinstance(index, Tensor) and current_runner() is not None:
        # Written down as questions, of which each has two answers.
        for place, branch in enumerate(branches[:-1]):
            if ops.logical_or(index == place, index == place - len(branches)):
                return branch
        return branches[-1]
    index = int(index)
    if not -len(branches) <= index < len(branches):
        raise IndexError(f"'switch_layer' chooses among {len(branches)} branches, but got the index {index}.")
    return branches[index]


def _partial(primitive, arguments):
    function, *given = arguments
    if isinstance(function, Closure):
        return function.bind(given)
    return lambda rest: function([*given, *rest])


def _item(primitive, arguments):
    sequence, index = arguments[:2]
    if not isinstance(sequence, (tuple, list, Tensor)):
        raise TypeError(f"'{primitive.name}' takes an item of {type(sequence).__name__}.")
    return sequence[int(index)]


def _set_item(primitive, arguments):
    sequence, index, value = arguments[:3]
    items = list(sequence)
    items[int(index)] = value
    return type(sequence)(items)


def _scalar_to_tensor(primitive, arguments):
    values = [one for one in arguments if not isinstance(one, Monad)]
    dtype = values[1] if len(values) > 1 else primitive.attributes.get("dtype")
    dtype = primitive.type_of(dtype) if isinstance(dtype, int) else dtype
    return values[0].astype(dtype) if isinstance(values[0], Tensor) else Tensor(values[0], dtype)


def _scalar_cast(primitive, arguments):
    value = arguments[0]
    name = str(primitive.type_of(arguments[1]) if isinstance(arguments[1], int) else arguments[1]).lower()
    if "bool" in name:
        return bool(value)
    return int(value) if "int" in name else float(value)


def _shape_of(value) -> tuple:
    return tuple(value.shape) if isinstance(value, Tensor) else tuple(int(one) for one in value)


def _broadcast_axes(first: tuple, second: tuple, skipped: int) -> tuple[tuple, tuple]:
    """Axes of the broadcast shape along which each of two operands was repeated."""
    if skipped:
        first, second = first[: len(first) - skipped], second[: len(second) - skipped]
    rank = max(len(first), len(second))
    first, second = (1,) * (rank - len(first)) + first, (1,) * (rank - len(second)) + second
    pairs = list(zip(first, second, strict=True))
    return (
        tuple(i for i, (one, other) in enumerate(pairs) if one == 1 and other != 1),
        tuple(i for i, (one, other) in enumerate(pairs) if other == 1 and one != 1),
    )


def _reduced_shape(shape: tuple, axes, is_skipped: bool) -> tuple[tuple, tuple]:
    """Shape after a reduction that keeps axes, and how often that is repeated to fill the shape."""
    axes = (int(axes),) if isinstance(axes, int) else _shape_of_axes(axes)
    if not axes and not is_skipped:
        axes = tuple(range(len(shape)))
    reduced = {axis % len(shape) for axis in axes}
    kept = tuple(1 if i in reduced else length for i, length in enumerate(shape))
    return kept, tuple(length if i in reduced else 1 for i, length in enumerate(shape))


def _shape_of_axes(axes) -> tuple:
    return tuple(axes.asnumpy().reshape(-1).tolist()) if isinstance(axes, Tensor) else tuple(axes)


def _shape_calculation(primitive, arguments):
    functor = primitive.attributes.get("functor")
    name = functor.name if isinstance(functor, Functor) else None
    if name == "ShapeCalc_BroadcastGradientArgs":
        return _broadcast_axes(_shape_of(arguments[0]), _shape_of(arguments[1]), int(functor.state or 0))
    if name == "ShapeCalc_ReduceShape":
        return _reduced_shape(_shape_of(arguments[0]), arguments[1], bool(functor.state))
    raise NotImplementedError(
        f"The calculation '{name}' on shapes, which a MindIR file uses, is not available."
    )


def _numbers(function):
    """A function of numbers, or of tensors that stand for them."""
    return lambda primitive, arguments: function(*(one for one in arguments if not isinstance(one, Monad)))


def _on_sequence(function):
    return lambda primitive, arguments: function(*arguments)


STRUCTURAL = {
    "Load": _load,
    "Depend": lambda primitive, arguments: arguments[0],
    "UpdateState": lambda primitive, arguments: UMONAD,
    "MakeTuple": lambda primitive, arguments: tuple(arguments),
    "MakeList": lambda primitive, arguments: list(arguments),
    "make_dict": lambda primitive, arguments: dict(zip(arguments[0], arguments[1], strict=True)),
    "make_slice": lambda primitive, arguments: slice(*arguments),
    "make_range": lambda primitive, arguments: tuple(range(*(int(one) for one in arguments))),
    "MakeCOOTensor": lambda primitive, arguments: tuple(arguments),
    "MakeCSRTensor": lambda primitive, arguments: tuple(arguments),
    "MakeRowTensor": lambda primitive, arguments: tuple(arguments),
    "TupleGetItem": _item,
    "RealTupleGetItem": _item,
    "tuple_setitem": _set_item,
    "dict_getitem": lambda primitive, arguments: arguments[0][arguments[1]],
    "dict_get_keys": lambda primitive, arguments: tuple(arguments[0]),
    "dict_get_values": lambda primitive, arguments: tuple(arguments[0].values()),
    "Switch": _switch,
    "switch_layer": _switch_layer,
    "Partial": _partial,
    "sequence_len": _on_sequence(len),
    "SequenceAdd": _on_sequence(operator.add),
    "InSequence": lambda primitive, arguments: arguments[0] in arguments[1],
    "ScalarToTensor": _scalar_to_tensor,
    "ScalarCast": _scalar_cast,
    "TensorToScalar": lambda primitive, arguments: arguments[0].item(),
    "TensorToTuple": lambda primitive, arguments: tuple(arguments[0].asnumpy().tolist()),
    "TupleToTensor": _scalar_to_tensor,
    "ListToTensor": _scalar_to_tensor,
    "Return": lambda primitive, arguments: arguments[0],
    "Identity": lambda primitive, arguments: arguments[0],
    "StopGradient": lambda primitive, arguments: ops.stop_gradient(arguments[0]),
    "ShapeCalc": _shape_calculation,
    "ScalarAdd": _numbers(operator.add),
    "ScalarSub": _numbers(operator.sub),
    "ScalarMul": _numbers(operator.mul),
    "ScalarDiv": _numbers(operator.truediv),
    "ScalarFloorDiv": _numbers(operator.floordiv),
    "ScalarMod": _numbers(operator.mod),
    "ScalarPow": _numbers(operator.pow),
    "ScalarUsub": _numbers(operator.neg),
    "ScalarUadd": _numbers(operator.pos),
    "ScalarMax": _numbers(max),
    "ScalarMin": _numbers(min),
    "ScalarLog": _numbers(math.log),
    "ScalarBool": _numbers(bool),
    "ScalarEq": _numbers(operator.eq),
    "ScalarGt": _numbers(operator.gt),
    "ScalarLt": _numbers(operator.lt),
    "ScalarGe": _numbers(operator.ge),
    "ScalarLe": _numbers(operator.le),
    "BoolNot": _numbers(operator.not_),
    "bool_and": _numbers(lambda one, other: bool(one and other)),
    "bool_or": _numbers(lambda one, other: bool(one or other)),
    "bool_eq": _numbers(operator.eq),
    "string_eq": _on_sequence(operator.eq),
    "string_not": _on_sequence(operator.not_),
}
# The same under names of other releases.
for _alias, _name in {
    "load": "Load",
    "depend": "Depend",
    "make_tuple": "MakeTuple",
    "make_list": "MakeList",
    "MakeDict": "make_dict",
    "MakeSparse": "MakeCOOTensor",
    "tuple_getitem": "TupleGetItem",
    "list_getitem": "TupleGetItem",
    "ListGetItem": "TupleGetItem",
    "TupleSetItem": "tuple_setitem",
    "list_setitem": "tuple_setitem",
    "switch": "Switch",
    "SwitchLayer": "switch_layer",
    "partial": "Partial",
    "bool_not": "BoolNot",
    "scalar_add": "ScalarAdd",
    "scalar_sub": "ScalarSub",
    "scalar_mul": "ScalarMul",
    "scalar_div": "ScalarDiv",
    "scalar_floordiv": "ScalarFloorDiv",
    "scalar_mod": "ScalarMod",
    "scalar_pow": "ScalarPow",
    "scalar_usub": "ScalarUsub",
    "scalar_uadd": "ScalarUadd",
    "scalar_eq": "ScalarEq",
    "scalar_gt": "ScalarGt",
    "scalar_lt": "ScalarLt",
    "scalar_ge": "ScalarGe",
    "scalar_le": "ScalarLe",
    "scalar_log": "ScalarLog",
    "sequence_add": "SequenceAdd",
    "tuple_add": "SequenceAdd",
    "in_sequence": "InSequence",
    "tuple_len": "sequence_len",
    "list_len": "sequence_len",
    "return": "Return",
}.items():
    STRUCTURAL[_alias] = STRUCTURAL[_name]
