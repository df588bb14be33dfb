# SPDX-License-Identifier: Apache-2.0
"""What a captured function can get at through values: containers, objects, arrays, tensors, functions.

Whatever is found is guarded, in the way its kind can change. What can change unseen and is named by code that
has run makes the call an eager one.
"""

from __future__ import annotations

import collections
import collections.abc
import contextvars
import ctypes
import datetime
import functools
import gc
import operator
import random
import re
import struct
import sys
import threading
import types
import weakref
from typing import Any, NamedTuple

import numpy as np

from mindspore._c_expression import BufferContent, Tensor, shows_memory
from mindspore._capture import code as codes
from mindspore._capture.cell_state import ATOMS, state_of
from mindspore._capture.kept import MISSING
from mindspore._capture.names import Names
from mindspore._capture.numbers import NumberStandIn
from mindspore._capture.questions import (
    CLASS,
    ENTRY,
    MAPPING,
    QUESTION,
    SEQUENCE,
    SET,
    TYPE,
    fields_question,
    keys_question,
    names_of_slots,
    order_question,
    partial_question,
    queue_question,
    slots_question,
    steady_question,
    variable_question,
)

_MOST_OBJECTS = 200_000
_MOST_BYTES_COMPARED = 32 << 20  # of an array, in every call
_MADE_IN_PYTHON = 1 << 9  # flag of classes that can be changed
UNSTEADY_TYPES = (random.Random, np.random.RandomState, np.random.Generator)
_STEADY = (*ATOMS, types.CodeType, np.generic)
_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
_DICT_VIEWS = (type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType)
_C_DATA = ctypes.Structure.__mro__[-2]
# Written in C, and nothing about them changes that a function could see.
_UNCHANGING = (
    np.dtype,
    np.ufunc,
    re.Pattern,
    re.Match,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    datetime.tzinfo,
    struct.Struct,
    operator.itemgetter,
    operator.attrgetter,
    operator.methodcaller,
    property,
    staticmethod,
    classmethod,
    super,
    type(threading.Lock()),
    type(threading.RLock()),
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GenericAlias,
    types.UnionType,
    types.CapsuleType if hasattr(types, "CapsuleType") else types.CodeType,
    type(NotImplemented),
    type(collections.abc.Sized._abc_impl),
)


class Opaque(NamedTuple):
    """Something that can change unseen."""

    name: str  # under which code would get at it
    reason: str


def _is_logger(cls: type) -> bool:
    """Without importing it, which takes a tenth of a short first step: who has a logger has done so."""
    logging = sys.modules.get("logging")
    return logging is not None and issubclass(cls, logging.Logger)


def _is_opaque(cls: type, fields) -> bool:
    """Whether objects of a class keep what they know where nobody sees it, and may change it."""
    has_fields = fields is not None or any("__slots__" in each.__dict__ for each in cls.__mro__)
    # What is compared and hashed by value does not change.
    is_value = cls.__hash__ not in (None, object.__hash__)
    is_steady = is_value or hasattr(cls, "__get__") or issubclass(cls, _UNCHANGING)
    return not has_fields and not is_steady and codes.is_users_class(cls)


class Values(Names):
    """The part of `Surroundings` that follows values."""

    def reach_argument(self, value) -> None:
        """An argument; the containers among them are compared with every call anyway."""
        if isinstance(value, (tuple, list)):
            for part in value:
                self.reach_argument(part)
        elif isinstance(value, dict):
            for part in value.values():
                self.reach_argument(part)
        elif not isinstance(value, Tensor) or hasattr(value, "param_info") or value.__dict__:
            self.reach(value, "an argument")

    def reach(self, value, what: str) -> None:
        """Something that the function can get at."""
        if value is MISSING or id(value) in self._seen:
            return
        kind = type(value)  # an object may say that it is of another class
        if kind is NumberStandIn:
            return
        if issubclass(kind, _STEADY):
            if kind not in _STEADY:
                self._reach_fields(value, what)
            return
        if issubclass(kind, Tensor):
            self._reach_tensor(value)
            return
        if len(self._seen) > _MOST_OBJECTS:
            self._problem = self._problem or f"it can reach more than {_MOST_OBJECTS} objects"
            return
        self._seen[id(value)] = value
        if kind is types.FunctionType:
            self._reach_function(value, what)
        elif kind is types.MethodType:
            self.reach(value.__self__, what)
            self.reach(value.__func__, what)
        elif issubclass(kind, type):
            self._reach_class(value)
        elif kind is functools._lru_cache_wrapper:
            self._reach_cached(value, what)
        elif issubclass(kind, functools.partial):
            self._reach_partial(value, what)
        elif issubclass(kind, self._cell_class):
            for _, each in value.cells_and_names():
                self._watch_cell(each)
        elif issubclass(kind, types.ModuleType):
            self._meet_module(value)
        elif kind in _BOUND:
            if not isinstance(value.__self__, types.ModuleType):
                self.reach(value.__self__, what)
        elif issubclass(kind, (tuple, list, dict, set, frozenset)):
            self._reach_container(value, what)
        else:
            self._reach_other(value, what)

    def _reach_partial(self, value: functools.partial, what: str) -> None:
        self._ask(partial_question(value), what, value)
        self._reach_fields(value, what)
        self.reach(value.func, what)
        self._reach_parts(value.args, what)
        self.reach(value.keywords, what)

    def _reach_tensor(self, value: Tensor) -> None:
        if ("fields", id(value)) in self._seen:
            return
        self._seen["fields", id(value)] = value
        self._reach_parts(list(value.__dict__.values()), "an attribute of a tensor")
        self._parameters.append((value, state_of(value)))
        if hasattr(value, "param_info"):
            if value._has_data():
                self._session.watch(value, value.name)
        elif value._has_data() and value.is_contiguous():
            self._session.watch(value)

    def _reach_parts(self, parts, what: str) -> None:
        for part in parts:
            self.reach(part, what)

    def _reach_fields(self, value, what: str) -> None:
        """Attributes that an object of a class derived from a number, a text or a container may have."""
        fields = getattr(value, "__dict__", None)
        if type(fields) is dict and fields is not value and fields:
            self._seen[id(value)] = value
            self._watch_mapping(fields, f"an attribute of {what}")

    def _reach_container(self, value, what: str) -> None:
        kind = type(value)
        self._reach_fields(value, what)
        if issubclass(kind, tuple):
            self._reach_parts(value, what)
        elif issubclass(kind, list):
            self._guard(SEQUENCE, value, None, tuple(value), what)
            self._reach_parts(value, what)
        elif issubclass(kind, dict):
            self._watch_mapping(value, what)
        else:
            if issubclass(kind, set):
                self._guard(SET, value, None, tuple(value), what)
            self._reach_parts(value, what)

    def _reach_other(self, value, what: str) -> None:
        kind = type(value)
        if issubclass(kind, np.ndarray):
            self._reach_array(value, what)
        elif kind in _DICT_VIEWS:
            self._reach_parts(gc.get_referents(value), what)  # the dict behind it
        elif kind in weakref.ProxyTypes:
            self.reach(value.__dir__.__self__, what)
        elif issubclass(kind, weakref.ref):
            self.reach(value(), what)
        elif issubclass(kind, weakref.WeakKeyDictionary):
            # A cache, as a rule: what a run adds to it follows from other things.
            known = steady_question(lambda: [(id(key), id(part)) for key, part in value.items()])
            self._session.add_guard(QUESTION, known, value, None)
            self._reach_parts(list(value.values()), what)
        elif issubclass(kind, collections.deque):
            self._ask(queue_question(value), what, value)
            self._reach_parts(value, what)
        elif issubclass(kind, threading.local):
            self._ask(fields_question(value), f"an attribute of {what}", value)
            self._reach_parts(list(vars(value).values()), what)
        elif issubclass(kind, threading.Event):
            self._ask(steady_question(value.is_set), what, value)
        elif _is_logger(kind):
            self._ask(steady_question(lambda: (value.getEffectiveLevel(), value.disabled)), what, value)
        elif kind is contextvars.ContextVar:
            self._ask(variable_question(value), what, value)
            self.reach(value.get(MISSING), what)
        elif hasattr(kind, "__next__"):
            self._problem = self._problem or f"it uses {what}, an iterator that can be used up only once"
        elif issubclass(kind, UNSTEADY_TYPES):
            self._problem = self._problem or f"it uses {what}, which gives other numbers in every call"
        elif issubclass(kind, _C_DATA) and value._objects is not None:
            self._meet_opaque(what, f"{what} refers to memory that may change unseen")
        elif shows_memory(value):
            self._reach_memory(value, memoryview(value).nbytes, what)
        else:
            self._reach_object(value, what)

    def _reach_array(self, value: np.ndarray, what: str) -> None:
        self._reach_fields(value, what)
        if value.dtype.hasobject:
            before = value.copy()  # keeps what is in it
            self._ask(
                lambda: value.shape == before.shape and value.tobytes() == before.tobytes(), what, value
            )
            self._reach_parts(before.ravel().tolist(), what)
        elif value.dtype.kind in "mM":  # NumPy does not show the memory of times
            self._ask(steady_question(lambda: (value.shape, value.dtype.str, value.tobytes())), what, value)
        else:
            self._reach_memory(value, value.nbytes, what)

    def _reach_memory(self, value, nbytes: int, what: str) -> None:
        if nbytes > _MOST_BYTES_COMPARED:
            self._meet_opaque(
                what,
                f"{what} holds {nbytes} bytes, more than can be compared in every call; make it a Tensor",
            )
        else:
            self._ask(BufferContent(value), what, value)

    def _meet_opaque(self, what: str, reason: str) -> None:
        """Something that may change unseen; the call is an eager one if code names it."""
        self._opaque.append(
            Opaque(codes.name_in(what), f"it can reach something that is not guarded: {reason}")
        )

    def _watch_mapping(self, value: dict, what: str) -> None:
        if issubclass(type(value), collections.OrderedDict):
            self._ask(order_question(value), what, value)
        kept = [place for place in (*self._places, *self._inputs) if place.holder is value]
        if kept:
            for key, part in list(value.items()):
                if not any(place.key == key for place in kept):
                    self._guard(ENTRY, value, key, part, what)
            skipped = [place.key for place in self._places if place.holder is value]  # may come and go
            self._ask(keys_question(value, skipped), what, value)
        else:
            self._guard(MAPPING, value, None, dict(value), what)
        self._reach_parts(list(value.values()), what)

    def _reach_object(self, value: Any, what: str) -> None:
        cls = type(value)
        if not codes.holds_state(cls):
            return
        fields = getattr(value, "__dict__", None)
        if _is_opaque(cls, fields):
            self._meet_opaque(
                what, f"{what} is of the class '{cls.__name__}', which is not written in Python"
            )
            return
        self._reach_class(cls)
        self._session.add_guard(TYPE, value, fields if type(fields) is dict else None, cls)
        if type(fields) is dict:
            self._holders.add(id(fields))
            self._watch_mapping(fields, f"an attribute of {what}")
        names = [name for each in cls.__mro__ for name in names_of_slots(each) if not name.startswith("__")]
        if names:
            self._ask(slots_question(value, names), f"an attribute of {what}", value)
            self._reach_parts([getattr(value, name, None) for name in names], what)

    def _reach_class(self, cls: type) -> None:
        if type(cls) is not type and codes.is_users_class(type(cls)):
            self._reach_class(type(cls))
        for each in cls.__mro__:
            if ("class", each) in self._seen or not each.__flags__ & _MADE_IN_PYTHON:
                continue
            self._seen["class", each] = each
            file = getattr(sys.modules.get(each.__module__), "__file__", None) or ""
            is_ours = file.startswith(codes.PACKAGE)
            if file.startswith(codes.FOREIGN) and not is_ours and "site-packages" not in file:
                continue
            fields = gc.get_referents(each.__dict__)[0]  # the dict itself: what the class shows is a stand-in
            what, content = f"the class '{each.__name__}'", dict(fields)
            self._session.add_guard(CLASS, each, fields, content)
            if is_ours:
                continue
            self.contents.append((MAPPING, fields, each, content, what))
            for value in list(fields.values()):
                if isinstance(value, property):
                    self._reach_parts((value.fget, value.fset), what)
                elif isinstance(value, (staticmethod, classmethod)):
                    self.reach(value.__func__, what)
                elif not isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType)):
                    self.reach(value, what)
