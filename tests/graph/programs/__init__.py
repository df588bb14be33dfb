# SPDX-License-Identifier: Apache-2.0
"""Small programs as users write them; every one must do the same captured and eagerly.

A program is a function, a Cell class, or a script: a function that is given `compiled` (`mindspore.jit`, or
what leaves functions alone when it is run eagerly) and returns what is compared.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass
class Program:
    """One program and what it is called with."""

    name: str
    target: Callable
    inputs: list[tuple]
    keywords: dict
    gradient: bool
    is_script: bool = False


every_program: dict[str, Program] = {}


def _enter(one: Program) -> None:
    assert one.name not in every_program, one.name
    every_program[one.name] = one


def program(*inputs: tuple, gradient: bool = True, **keywords):
    """Enters a function or a Cell class.

    Args:
        inputs: Sets of positional arguments; NumPy arrays in them become Tensors. No set means
            one call without arguments.
        gradient: Gradients by floating point arguments are compared too.
        keywords: Given with every set.
    """

    def enter(target):
        module = target.__module__.rsplit(".", 1)[-1]
        name = f"{module}.{target.__name__}"
        _enter(Program(name, target, list(inputs) or [()], keywords, gradient))
        return target

    return enter


def script(target):
    """Enters a script."""
    module = target.__module__.rsplit(".", 1)[-1]
    _enter(Program(f"{module}.{target.__name__}", target, [()], {}, False, is_script=True))
    return target


def is_cell_class(target) -> bool:
    """Whether a program is a Cell class."""
    return inspect.isclass(target)


def f32(*values) -> np.ndarray:
    """A float32 tensor argument: one value makes a scalar, several a vector, a list whatever it says."""
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def i32(*values) -> np.ndarray:
    """An int32 tensor argument."""
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def ramp(*shape: int) -> np.ndarray:
    """A float32 tensor argument without ties."""
    count = int(np.prod(shape))
    return (np.arange(1, count + 1, dtype=np.float32) / 4 - count / 10).reshape(shape)


def load() -> dict[str, Program]:
    """Every program there is."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return every_program
