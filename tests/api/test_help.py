# SPDX-License-Identifier: Apache-2.0
"""`help` and `inspect` over every public name."""

from __future__ import annotations

import inspect
import pydoc
from typing import get_origin

import pytest
from public_names import public_modules, public_names

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore._spelling import NotHere

_CLASSES = [Tensor, ms.Parameter, nn.Cell, nn.Dense, ops.Primitive, ops.Conv2D]


def _different_values():
    """Every public value once, with the first path that leads to it."""
    values = {id(name.value): name for name in reversed(list(public_names()))}
    return sorted(values.values(), key=lambda name: name.path)


def _failures(check, names) -> dict:
    failures = {}
    for name in names:
        try:
            check(name.value)
        except Exception as error:
            failures[name.path] = f"{type(error).__name__}: {error}"
    return failures


def test_help_of_every_name():
    assert not _failures(pydoc.render_doc, _different_values())


def test_help_of_every_module():
    failures = {}
    for module in public_modules():
        try:
            pydoc.render_doc(module)
        except Exception as error:
            failures[module.__name__] = f"{type(error).__name__}: {error}"
    assert not failures


def test_documentation_and_signature_of_every_callable():
    callables = [name for name in _different_values() if callable(name.value)]
    assert not _failures(inspect.getdoc, callables)
    # Exceptions without a constructor and aliases of types have none in Python itself.
    callables = [name for name in callables if not _is_exception(name.value) and not get_origin(name.value)]
    assert not _failures(inspect.signature, callables)


def _is_exception(value) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def test_source_of_every_callable():
    def source(value):
        try:
            inspect.getsource(value)
        except (OSError, TypeError):  # what Python says of that which no Python file defines
            assert not inspect.isfunction(value)

    assert not _failures(source, [name for name in _different_values() if callable(name.value)])


@pytest.mark.parametrize("cls", _CLASSES, ids=lambda cls: cls.__name__)
def test_members_of_classes(cls):
    failures = {}
    for name in dir(cls):
        if isinstance(inspect.getattr_static(cls, name), NotHere):
            continue
        try:
            value = getattr(cls, name)
            if not isinstance(value, str):  # of a text help looks for what it names
                pydoc.render_doc(value)
            inspect.getdoc(value)
            if callable(value) and not name.startswith("__"):
                inspect.signature(value)
        except Exception as error:
            failures[name] = f"{type(error).__name__}: {error}"
    assert not failures


def test_signature_of_a_primitive_is_that_of_its_constructor_and_then_of_its_call():
    assert "out_channel" in inspect.signature(ops.Conv2D).parameters
    assert list(inspect.signature(ops.Conv2D(4, 3)).parameters) == ["x", "weight"]


def test_signature_of_a_derived_primitive_is_that_of_its_own_constructor():
    class Wider(ops.ReLU):
        def __init__(self, width):
            super().__init__()

    assert list(inspect.signature(Wider).parameters) == ["width"]


def test_documentation_of_a_primitive_tells_constructor_from_call():
    text = inspect.getdoc(ops.Conv2D)
    assert text.index("Args:") < text.index("out_channel") < text.index("Inputs:")
