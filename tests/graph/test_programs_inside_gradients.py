# SPDX-License-Identifier: Apache-2.0
"""Every program gives the same gradients when it is compiled and called inside a gradient that is not."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import programs
import pytest
from comparison import same
from programs import is_cell_class
from test_generated import _program as generated_program

import mindspore as ms
from mindspore import nn

PROGRAMS = {
    name: one
    for name, one in programs.load().items()
    if one.gradient
    and not one.is_script
    and any(isinstance(a, np.ndarray) for args in one.inputs for a in args)
}

# Programs that run eagerly there; the reasons are in the guide.
EAGER = {
    "parameters.CopiesAParameterAndDecides",
    "parameters.WritesPartOfAParameter",
    "state.AddsUp",
    "state.AppendsToItsList",
    "state.StateInOneBranch",
    "state.StateOfAChild",
    "state.StateOrNone",
    "state.StoresATensor",
    "state.WritesItsDict",
    "values.returns_a_data_class",
    "values.returns_a_frozen_data_class",
}


def _given(value):
    if isinstance(value, np.ndarray):
        return ms.Tensor(value)
    if type(value) in (tuple, list):
        return type(value)(map(_given, value))
    return {key: _given(part) for key, part in value.items()} if isinstance(value, dict) else value


def _outcome(one, compiled) -> tuple:
    """Gradients, or the error, of several rounds of calls; what was printed."""
    ms.set_seed(7)
    target = one.target() if is_cell_class(one.target) else one.target
    run = compiled(target)
    weights = target.trainable_params() if isinstance(target, nn.Cell) else ()
    found, printed = [], io.StringIO()
    with contextlib.redirect_stdout(printed):
        for args in one.inputs * 4:
            where = tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind == "f")
            if not where:
                continue
            around = ms.value_and_grad(
                lambda *given: run(*given, **_given(one.keywords)), where, ms.ParameterTuple(weights) or None
            )
            try:
                found.append(around(*_given(args)))
            except Exception as error:  # noqa: BLE001  (whatever it is, both ways must raise it)
                found.append(error)
    return found, printed.getvalue()


def _compiled(target):
    return (
        ms.jit(lambda *args, **kwargs: target(*args, **kwargs))
        if isinstance(target, nn.Cell)
        else ms.jit(target)
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_gradients(name):
    one, made = PROGRAMS[name], []

    def compiled(target):
        made.append(_compiled(target))
        return made[-1]

    expected, found = _outcome(one, lambda target: target), _outcome(one, compiled)
    same(found, expected, "gradients", 1e-4)
    inside = made[0]._captured._differentiated
    if inside is not None:
        assert bool(inside.reasons) == (name in EAGER), inside.reasons


@pytest.mark.parametrize("seed", range(60))
def test_same_gradients_of_random_programs(seed):
    one = generated_program(seed)
    expected, found = _outcome(one, lambda target: target), _outcome(one, _compiled)
    same(found[0], expected[0], "gradients", 1e-3)
