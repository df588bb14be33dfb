# SPDX-License-Identifier: Apache-2.0
"""Parameter: a tensor with a name that training changes."""

from __future__ import annotations

import contextlib
import itertools
import numbers
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._world import require_one_process
from mindspore.common import dtype as mstype
from mindspore.common._creation import refuse_in_graph
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

PARAMETER_NAME_DEFAULT = "Parameter"
PARAMETER_NAME_PREFIX_MAX_LEN = 1024
# A parameter takes values of its own type and of those before it.
_ORDER = {
    dtype: rank
    for rank, dtype in enumerate(
        (
            mstype.bool_,
            mstype.int8,
            mstype.uint8,
            mstype.int16,
            mstype.int32,
            mstype.int64,
            mstype.float16,
            mstype.float32,
            mstype.float64,
            mstype.bfloat16,
            mstype.complex64,
            mstype.complex128,
        )
    )
}


# All that a parameter says of itself beside its value.
_DESCRIPTION = (
    "_name",
    "_requires_grad",
    "_layerwise_parallel",
    "_parallel_optimizer",
    "_storage_format",
    "_comm_fusion",
    "_comm_recompute",
    "_cache_enable",
    "_cache_shape",
    "_key",
    "_sliced",
    "_unique",
    "_pipeline_stages",
)


def _checked_name(name) -> str:
    if name is None:
        return PARAMETER_NAME_DEFAULT
    if not isinstance(name, str):
        raise ValueError(
            f"The type of the Parameter's name should be 'string' or 'None', but got {type(name)}."
        )
    name = name.strip() or PARAMETER_NAME_DEFAULT
    if len(name) > PARAMETER_NAME_PREFIX_MAX_LEN:
        raise ValueError(
            f"The length of the Parameter's name should be less than {PARAMETER_NAME_PREFIX_MAX_LEN}."
        )
    return name


def _own_copy(value) -> Tensor:
    """A tensor nobody else refers to."""
    if isinstance(value, bool):
        raise ValueError("Parameter data can not be `bool`")
    if isinstance(value, Tensor):
        if not value._has_data():
            if value.init is None:
                raise ValueError(
                    "All shape elements of the Parameter must be positive. But got "
                    f"{value.__dict__.get('_pending_shape')}."
                )
            return Tensor(shape=value._pending_shape, dtype=value._pending_dtype, init=value.init).init_data()
        return op.copy(_c.detach(value))
    if isinstance(value, int):
        return Tensor(value, mstype.int32)
    if isinstance(value, float) and not isinstance(value, np.generic):
        return Tensor(value, mstype.float32)
    if isinstance(value, (np.ndarray, list)):
        return Tensor(value)
    raise TypeError(
        "The type of the argument 'default_input' must be in ['Tensor', 'int', 'float', 'numpy.ndarray', "
        "'list']. "
        f"But got type {type(value)}."
    )


@contextlib.contextmanager
def _room_for(name: str) -> Iterator[None]:
    """Says for which parameter there was no memory."""
    try:
        yield
    except MemoryError as error:
        reason = re.sub(r"^For '\w+', ", "", str(error))
        raise MemoryError(f"For the Parameter '{name}', {reason}") from None


def _checked_property(name: str, kind: type | tuple, what: str, alone: bool = False):
    """Property whose setter checks the type; the value lives in `_<name>`. `alone`: in one process only."""
    key = "_" + name

    def read(self):
        return self.__dict__[key]

    def write(self, value):
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            wanted = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
            raise TypeError(f"The argument `{name}` must be {wanted} type, but got {type(value)}.")
        if alone and value:
            require_one_process(f"Parameter.{name}")
        self.__dict__[key] = value
        _c.note_change()

    return property(read, write, doc=what)


_keys_given = itertools.count()
_INITIAL_VALUE = "In MindSpore a parameter is its value; parameter.set_data(value) gives it another one."


def _get_unique_parameter_key() -> int:
    """A number that no parameter of this process has had: 0 first, then one more each time."""
    return next(_keys_given)


class Parameter(Tensor):
    """A tensor that belongs to a Cell, has a name and is changed by training.

    Args:
        default_input (Union[Tensor, int, float, numpy.ndarray, list]): Initial value, copied.
        name (str): Name; by default the attribute it is assigned to. Default: ``None``.
        requires_grad (bool): Whether optimizers change it. Default: ``True``.
        layerwise_parallel (bool): Not broadcast in parallel training. Default: ``False``.
        parallel_optimizer (bool): May be split by a parallel optimizer. Default: ``True``.
        storage_format (str): Layout of the data on accelerators. Default: ``""``.

    Raises:
        TypeError: `default_input` is of a type that is not supported.
        ValueError: `name` is not a string.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    def __init__(
        self,
        default_input,
        name=None,
        requires_grad=True,
        layerwise_parallel=False,
        parallel_optimizer=True,
        storage_format="",
    ):
        refuse_in_graph("mindspore.common.parameter.Parameter")
        self._describe(name, requires_grad, layerwise_parallel, parallel_optimizer, storage_format)
        with _room_for(self.name):
            content = _own_copy(default_input)
        self._take(content)

    def _describe(
        self, name, requires_grad=True, layerwise_parallel=False, parallel_optimizer=True, storage_format=""
    ) -> None:
        """Sets everything but the value."""
        fields = self.__dict__
        fields["_name"] = _checked_name(name)
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        fields.update(_comm_fusion=1, _cache_enable=False, _cache_shape=(), _key=-1, _sliced=False)
        fields.update(
            _unique=False, _pipeline_stages=[], _comm_recompute=False, _storage_format=storage_format
        )

    @classmethod
    def _adopt(cls, tensor: Tensor, name) -> Parameter:
        """A parameter made of a tensor that nobody else refers to, without a copy."""
        parameter = cls.__new__(cls)
        parameter._describe(name)
        parameter._take(tensor)
        return parameter

    # Marks that scripts set; whether there is data does not depend on them.
    is_init = init_flag = False
    # Of parameter servers, federated and parallel training: one process has none of it.
    is_param_ps = init_in_server = push_weight_to_server = pull_weight_from_server = False
    is_in_parallel = is_in_shard = is_default_input_init = from_ckpt = False
    requires_aggr, slice_num, init_mode = True, 1, None

    requires_grad = _checked_property("requires_grad", bool, "Whether optimizers change it.")
    layerwise_parallel = _checked_property(
        "layerwise_parallel", bool, "Not broadcast in parallel training.", alone=True
    )
    parallel_optimizer = _checked_property(
        "parallel_optimizer", bool, "May be split by a parallel optimizer."
    )
    cache_enable = _checked_property("cache_enable", bool, "Whether a cache holds part of it.")
    cache_shape = _checked_property("cache_shape", (tuple, list), "Shape of that part.")
    key = _checked_property("key", int, "Number of the parameter in a parameter server.")
    sliced = _checked_property("sliced", bool, "Whether the data is already a slice.")

    def _take(self, tensor: Tensor) -> None:
        """Becomes another name of `tensor`, which must be ours alone."""
        self._share(tensor)
        _c.mark_parameter(self)
        self.__dict__["_memory"] = object()  # compiled functions that know the memory before must notice
        _c.note_change()

    @property
    def name(self) -> str:
        """Name in checkpoints and in results of `grad`."""
        return self.__dict__["_name"]

    @name.setter
    def name(self, value) -> None:
        self.__dict__["_name"] = _checked_name(value)

    @property
    def param_info(self):
        """The parameter's description; here the parameter describes itself.

        Another parameter's description, once assigned, is copied: name, ``requires_grad`` and all but the
        value.
        """
        return self

    @param_info.setter
    def param_info(self, description) -> None:
        if not isinstance(description, Parameter):
            raise TypeError(
                "The argument `param_info` must be the param_info of a Parameter, but got "
                f"{type(description)}."
            )
        self.__dict__.update({field: description.__dict__[field] for field in _DESCRIPTION})
        self.__dict__["_pipeline_stages"] = list(description._pipeline_stages)
        _c.note_change()

    @property
    def comm_fusion(self) -> int:
        """Group in which its gradient is communicated."""
        return self._comm_fusion

    @comm_fusion.setter
    def comm_fusion(self, value) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"The argument `comm_fusion` must be int type, but got {type(value)}.")
        if value < 0:
            raise ValueError(f"The argument `comm_fusion` must be a non-negative integer, but got {value}.")
        self.__dict__["_comm_fusion"] = value

    @property
    def unique(self):
        """Whether indices into it are made unique first."""
        return self._unique

    @unique.setter
    def unique(self, value) -> None:
        self.__dict__["_unique"] = value

    @property
    def parallel_optimizer_comm_recompute(self) -> bool:
        """Whether its gathering is repeated in backward."""
        return self._comm_recompute

    @parallel_optimizer_comm_recompute.setter
    def parallel_optimizer_comm_recompute(self, value) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"The argument `parallel_optimizer_comm_recompute` must be bool type, but got {type(value)}."
            )
        self.__dict__["_comm_recompute"] = value

    @property
    def inited_param(self):
        """The parameter after initialisation: itself."""
        return self

    @property
    def default_input(self):
        """The initial value before 1.0; what is assigned would not reach the parameter."""
        raise AttributeError(f"'Parameter' object has no attribute 'default_input'. {_INITIAL_VALUE}")

    @default_input.setter
    def default_input(self, value) -> None:
        raise AttributeError(f"'Parameter' object has no attribute 'default_input'. {_INITIAL_VALUE}")

    @property
    def data(self) -> Parameter:
        """The parameter itself."""
        return self

    def value(self) -> Tensor:
        """The value now, as a tensor that later changes do not reach."""
        return op.copy(self)

    def asnumpy(self):
        """NumPy array of the value, sharing memory where the device allows."""
        return super().asnumpy()

    def set_data(self, data, slice_shape: bool = False) -> Parameter:
        """Replaces the value; shape and type stay.

        Args:
            data (Union[Tensor, int, float]): The new value.
            slice_shape (bool): The shape may change. Default: ``False``.

        Returns:
            Parameter, this one.

        Raises:
            TypeError: `data` is of another kind, or its type ranks above the parameter's.
            ValueError: The shapes differ.
        """
        is_number = (
            isinstance(data, numbers.Number) and isinstance(data, (int, float)) and not isinstance(data, bool)
        )
        if not isinstance(data, Tensor) and not is_number:
            raise TypeError(
                "Parameter data must be [`Tensor`, `int`, `float`] or a kind of `Tensor`, but got "
                f"{type(data)}."
            )
        incoming = data if isinstance(data, Tensor) else Tensor(data, self._number_type(data))
        if not incoming._has_data():
            incoming = _own_copy(incoming)
        if incoming.dtype is not self.dtype and _ORDER.get(incoming.dtype, 99) > _ORDER.get(self.dtype, 99):
            raise TypeError(
                "Incoming Parameter dtype can not be converted to current dtype implicitly. Current dtype is "
                f"{self.dtype}, and incoming is {incoming.dtype}. Use .set_dtype(xxx) to change it."
            )
        if incoming.shape == self.shape:
            self._overwrite(incoming)
        elif slice_shape:
            self._take(op.copy(op.cast(_c.detach(incoming), self.dtype)))
        else:
            raise ValueError(
                "Can not change the shape of Parameter which has been initialized. Current shape is "
                f"{self.shape}, "
                f"and incoming is {incoming.shape}."
            )
        return self

    def _number_type(self, number):
        if isinstance(number, float):
            return mstype.float32
        return mstype.int32 if _ORDER.get(self.dtype, 99) >= _ORDER[mstype.int32] else self.dtype

    def _overwrite(self, tensor: Tensor) -> None:
        value = _c.detach(tensor)
        op.assign(self, value if value.dtype is self.dtype else op.cast(value, self.dtype))

    def set_dtype(self, dtype) -> Parameter:
        """Changes the type of the elements."""
        self._take(op.copy(op.cast(_c.detach(self), dtype)))
        return self

    def assign_value(self, value: Tensor) -> Parameter:
        """Takes over value, type and shape of another tensor, without checks."""
        self._take(op.copy(_c.detach(value)))
        return self

    def clone(self, init="same") -> Parameter:
        """A new parameter with the same name and attributes.

        Args:
            init (Union[Tensor, str, numbers.Number]): ``"same"`` copies the value, otherwise what fills
                the new one. Default: ``"same"``.

        Returns:
            Parameter, the new one.
        """
        result = type(self).__new__(type(self))
        result.__dict__.update({k: v for k, v in self.__dict__.items() if k != "_hooks"})
        with _room_for(self.name):
            if isinstance(init, str) and init == "same":
                data = op.copy(_c.detach(self))
            else:
                from mindspore.common.initializer import initializer

                data = _own_copy(initializer(init, shape=self.shape, dtype=self.dtype))
        result._take(data)
        if self.cache_enable:
            result.key = _get_unique_parameter_key()
        return result

    def copy(self) -> Parameter:
        """The same as ``clone("same")``."""
        return self.clone()

    def init_data(self, layout: Any = None, set_sliced: bool = False) -> Parameter:
        """Runs the pending initializer; parameters are filled when they are made, so there is none."""
        return self

    def add_pipeline_stage(self, stage: int) -> None:
        """Marks the parameter as used in a pipeline stage."""
        if not isinstance(stage, int) or stage < 0:
            raise TypeError("`stage` must be a positive number of int type")
        self._pipeline_stages.append(stage)

    def set_param_ps(self, init_in_server: bool = False) -> None:
        """Lets a parameter server update the parameter."""
        raise RuntimeError(
            "Must complete following two steps before calling set_param_ps: 1. "
            "context.set_ps_context(enable_ps="
            "True) 2. export MS_ROLE environment variable."
        )

    def set_param_fl(self, push_to_server=False, pull_from_server=False, requires_aggr=True) -> None:
        """Accepted for scripts written for federated learning."""

    def __setstate__(self, state) -> None:
        super().__setstate__(state)
        if self._has_data():
            _c.mark_parameter(self)

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)


Parameter.__init__.__name__ = Parameter.__init__.__qualname__ = "Parameter"
Parameter.__init__ = _c.package_function(Parameter.__init__)


class ParameterTuple(tuple):
    """Tuple of parameters with different names.

    Args:
        iterable (Iterable): The parameters.

    Raises:
        TypeError: There is something that is not a Parameter.
        ValueError: Two parameters have one name.
    """

    def __new__(cls, iterable: Iterable) -> ParameterTuple:
        parameters = tuple(iterable)
        names: dict[str, Parameter] = {}
        for index, parameter in enumerate(parameters):
            if not isinstance(parameter, Parameter):
                raise TypeError(
                    f"ParameterTuple input should be 'Parameter' collection, but got {type(parameter)}."
                )
            if (
                parameter.name == PARAMETER_NAME_DEFAULT
                and names.get(PARAMETER_NAME_DEFAULT) is not parameter
            ):
                parameter.name = f"{PARAMETER_NAME_DEFAULT}${index + 1}"
                logger.warning(
                    "The parameter at position %d has no name and gets '%s'.", index, parameter.name
                )
            if names.setdefault(parameter.name, parameter) is not parameter:
                raise ValueError(
                    f"The value {parameter} , its name '{parameter.name}' already exists. Please set a "
                    "unique name "
                    "for the parameter."
                )
        return super().__new__(cls, parameters)

    def clone(self, prefix: str, init="same") -> ParameterTuple:
        """New parameters named ``prefix.name``.

        Args:
            prefix (str): Not empty.
            init (Union[Tensor, str, numbers.Number]): As for `Parameter.clone`. Default: ``"same"``.
        """
        if not isinstance(prefix, str) or not prefix:
            raise ValueError(f"For 'ParameterTuple.clone', 'prefix' must not be empty, but got {prefix!r}.")
        copies = []
        for parameter in self:
            copy = parameter.clone(init)
            copy.name = f"{prefix}.{parameter.name}"
            copies.append(copy)
        return ParameterTuple(copies)


__all__ = ["Parameter", "ParameterTuple"]
