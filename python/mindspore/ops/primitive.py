# SPDX-License-Identifier: Apache-2.0
"""Primitive: an operator as an object, configured once and called many times."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from mindspore import _c_expression as _c
from mindspore._spelling import bind, keyword_hint
from mindspore.common.mutable import is_variable_container
from mindspore.ops import _registry


class Primitive:
    """Base of all primitive classes.

    Args:
        name (str): Name of the operator, as users know it.
    """

    def __init__(self, name: str):
        self.name = name
        self.attrs: dict = {}
        self.instance_name = ""
        self._user_data: dict = {}

    def add_prim_attr(self, name: str, value: Any):
        """Keeps an attribute with the primitive; returns the primitive."""
        self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str):
        """Removes an attribute set by `add_prim_attr`."""
        self.__dict__.pop(name, None)
        self.attrs.pop(name, None)
        return self

    def set_user_data(self, key: str, value: Any) -> None:
        """Keeps a value of the user's with the primitive."""
        self._user_data[key] = value

    def get_user_data(self, key: str) -> Any:
        """The value kept under `key`; None when there is none."""
        return self._user_data.get(key)

    def set_prim_instance_name(self, instance_name: str):
        """Name under which a Cell holds the primitive."""
        self.instance_name = instance_name
        return self

    def init_prim_io_names(self, inputs: list, outputs: list):
        """Names of inputs and outputs, for graphs."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def set_device(self, device_target: str) -> Primitive:
        """Device the primitive prefers; one that is not in use has no effect."""
        from mindspore._settings.argument_keys import PRIMITIVE

        PRIMITIVE.tell("set_device", device_target)
        return self.add_prim_attr("primitive_target", device_target)

    def shard(self, in_strategy=None, out_strategy=None):
        """Strategy of parallel training; one process computes the whole operator.

        Args:
            in_strategy (tuple): For every input, a number of parts for every axis. Default: ``None``.
            out_strategy (tuple): The same for the outputs. Default: ``None``.

        Returns:
            Primitive, this one.

        Raises:
            TypeError, ValueError: A strategy is not valid.
            NotImplementedError: Several processes are meant.
        """
        from mindspore._sharding import check_sharding

        check_sharding(self.name, in_strategy, out_strategy)
        return self

    def set_stage(self, stage: int) -> Primitive:
        """Pipeline stage of the primitive; one process runs all of them."""
        from mindspore._world import require_one_process

        require_one_process(f"{self.name}.set_stage")
        return self.add_prim_attr("stage", stage)

    def recompute(self, mode: bool = True) -> Primitive:
        """Asks for the result to be computed again in backward; has no effect, see `Cell.recompute`."""
        from mindspore._settings.argument_keys import PRIMITIVE

        if not isinstance(mode, bool):
            raise TypeError(f"The input value must be a bool, but got {type(mode).__name__}.")
        PRIMITIVE.tell("recompute", mode)
        return self.add_prim_attr("recompute", mode)

    def place(self, role: str, rank_id: int) -> Primitive:
        """Process that runs the primitive: this one.

        Args:
            role (str): ``"MS_WORKER"``.
            rank_id (int): Number of the process.

        Raises:
            ValueError: An argument is out of range.
            NotImplementedError: Another process is meant.
        """
        from mindspore._world import require_this_process

        require_this_process(f"{self.name}.place", role, rank_id)
        return self.add_prim_attr("primitive_target", (role, rank_id))

    def check_elim(self, *args) -> tuple:
        """Whether the call needs no execution because its result is known, and that result."""
        return False, None

    @property
    def update_parameter(self) -> bool:
        """Whether the primitive writes into its inputs."""
        return bool(self.attrs.get("side_effect_mem", False))

    def __call__(self, *args) -> Any:
        raise RuntimeError(
            f"For '{self.name}', there is no implementation: Operator '{self.name}' is invalid. Define one "
            "in a subclass or with ops.Custom."
        )

    def __repr__(self) -> str:
        attributes = ", ".join(f"{key}={value}" for key, value in self.attrs.items())
        return f"Prim[{self.name}]<{attributes}>" if attributes else f"Prim[{self.name}]"


def _run_op(obj: Primitive, op_name: str, args: tuple | list) -> Any:
    """Calls a primitive, the way that classes of libraries do which have a call of their own."""
    return obj(*args)


class PrimitiveWithInfer(Primitive):
    """Primitive whose inference is written in Python."""

    def infer_shape(self, *args):
        """Shape of the result from the shapes of the inputs; to be overridden."""

    def infer_dtype(self, *args):
        """Type of the result from the types of the inputs; to be overridden."""


class PrimitiveWithCheck(Primitive):
    """Primitive whose checks are written in Python."""

    def check_shape(self, *args):
        """Checks the shapes of the inputs; to be overridden."""

    def check_dtype(self, *args):
        """Checks the types of the inputs; to be overridden."""


def prim_attr_register(fn) -> Callable:
    """Decorator of a primitive's ``__init__``: names the primitive and keeps its arguments as attributes."""

    signature: list = []  # read from the function when it is first needed

    def initialise(self, *args, **kwargs):
        if not signature:
            signature.append(inspect.signature(fn))
        Primitive.__init__(self, type(self).__name__)
        bound = bind(signature[0], self.name, self, *args, **kwargs)
        bound.apply_defaults()
        for key, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(key, value)
        fn(self, *args, **kwargs)

    initialise.__wrapped__ = fn
    initialise.__doc__ = fn.__doc__
    return initialise


prim_arg_register = prim_attr_register


def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True) -> Any:
    """Decorator of a function that is computed while a graph is built, from constants only.

    While a function is compiled, what is in a tuple or list that it is given and is not known yet is None,
    see `mindspore.ops.isconstant`; so is all that is in one called mutable.

    Args:
        fn (function): The function. Default: ``None``.
        get_instance (bool): Return an object to call rather than its class. Default: ``True``.
        name (str): Name of the operation. Default: ``None``.
        reuse_result (bool): Whether equal calls may share a result. Default: ``True``.
        check (bool): Whether constants are required. Default: ``True``.
    """
    return _constant_function(fn, get_instance, name, _with_what_is_known)


def _primexpr(fn=None, get_instance=True, name=None, reuse_result=True) -> Any:
    """The same for a function that may be given what is not known yet."""
    return _constant_function(fn, get_instance, name, lambda value: value)


def _constant_function(fn, get_instance: bool, name: str | None, prepare) -> Any:
    def decorate(function):
        class ConstantFunction(Primitive):
            """Runs the decorated function."""

            def __init__(self):
                super().__init__(name or function.__name__)
                self.fn = function

            def __call__(self, *args, **kwargs):
                if _c.is_capturing():
                    args = tuple(map(prepare, args))
                    kwargs = {key: prepare(value) for key, value in kwargs.items()}
                return function(*args, **kwargs)

        return ConstantFunction() if get_instance else ConstantFunction

    return decorate if fn is None else decorate(fn)


def _with_what_is_known(value):
    """A sequence with None for what is not known yet; anything else as it is."""
    from mindspore.ops.function.values import isconstant

    if not isinstance(value, (tuple, list)) or isconstant(value):
        return value
    if is_variable_container(value):
        return (tuple if isinstance(value, tuple) else list)([None] * len(value))
    parts = [_with_what_is_known(part) for part in value]
    known = [part if isinstance(part, (tuple, list)) or isconstant(part) else None for part in parts]
    if hasattr(value, "_make"):
        return value._make(known)
    return tuple(known) if isinstance(value, tuple) else known


class _LazySignature:
    """Signature of a generated class, or of the call of an instance; built when somebody asks."""

    def __get__(self, instance, owner):
        # Whoever walks the bases of a class meets the one that all generated classes share, and users may
        # derive classes with a constructor of their own: neither has a signature that the registry knows.
        if not owner._operator or owner.__init__ is not RegisteredPrimitive.__init__:
            raise AttributeError(f"the signature of '{owner.__name__}' is that of its constructor")
        operator = _registry.describe(owner._operator)
        if instance is None:
            return _registry.constructor_signature(operator)
        return _registry.call_signature(operator)


class _LazyDoc:
    def __get__(self, instance, owner):
        return _registry.primitive_documentation(_registry.describe(owner._operator))


class RegisteredPrimitive(Primitive):
    """Primitive generated from the registry: attributes in the constructor, tensors in the call."""

    _operator = ""
    _layout: tuple | None = None
    __signature__ = _LazySignature()

    @classmethod
    def _plan(cls) -> tuple:
        """(constructor attributes, call parameter names, operator function, attributes follow inputs)."""
        if cls.__dict__.get("_layout") is None:
            operator = _registry.describe(cls._operator)
            constructor = {entry["name"]: entry for entry in _registry.constructor_entries(operator)}
            call = [entry["name"] for entry in _registry.call_entries(operator)]
            simple = not any(e["in_call"] for e in operator["attributes"])
            cls._layout = (constructor, call, _registry.function(cls._operator), simple)
        return cls._layout

    def __init__(self, *args, **kwargs):
        super().__init__(type(self).__name__)
        constructor, *_ = self._plan()
        names = list(constructor)
        if len(args) > len(names):
            raise TypeError(
                f"For '{self.name}', the constructor takes {len(names)} arguments, but got {len(args)}."
            )
        given = dict(zip(names, args, strict=False))
        for key, value in kwargs.items():
            if key not in constructor:
                hint = keyword_hint(key, constructor)
                raise TypeError(f"For '{self.name}', got an unexpected keyword argument '{key}'.{hint}")
            given[key] = value
        self._given = given
        for name, entry in constructor.items():
            if name not in given and entry["required"]:
                raise TypeError(f"For '{self.name}', missing 1 required argument: '{name}'.")
            self.add_prim_attr(name, given.get(name, entry["default"]))

    def __call__(self, *args, **kwargs):
        _, call, function, simple = self._plan()
        if simple:
            if kwargs:
                return function(*args, **kwargs, **self._given)
            return function(*args, **self._given)
        if len(args) > len(call):
            raise TypeError(f"For '{self.name}', the call takes {len(call)} arguments, but got {len(args)}.")
        return function(**dict(zip(call, args, strict=False)), **kwargs, **self._given)


def primitive_class(operator_name: str, class_name: str) -> type:
    """A class for one operator of the registry."""
    body = {"_operator": operator_name, "__module__": "mindspore.ops", "__doc__": _LazyDoc()}
    return type(class_name, (RegisteredPrimitive,), body)


def primitive_classes() -> dict:
    """Class name -> class, for every operator that has a primitive form."""
    table = {}
    for names in _c.operators():
        for alias in ([names["primitive"]] if names["primitive"] else []) + names["primitive_aliases"]:
            table[alias] = primitive_class(names["name"], alias)
    return table
