# SPDX-License-Identifier: Apache-2.0
"""Views and writes mean the same in both modes, whatever a program does with them."""

from __future__ import annotations

import os

import alias_programs as programs
import pytest

import mindspore as ms
from mindspore import jit

COUNT = int(os.environ.get("MYCEL_ALIAS_PROGRAMS", "400"))
GROUPS = 8


def _check(seed: int) -> None:
    program = programs.random_program(seed)
    given, weight, outer = programs.fresh(seed)
    compiled = programs.Interpreter(program, weight, outer)
    run = jit(compiled.run)
    for call in range(4):
        again, other_weight, other_outer = programs.fresh(seed)
        plain = programs.Interpreter(program, other_weight, other_outer)
        expected = programs.outcome(plain.run, again, other_weight, other_outer)
        found = programs.outcome(run, given, weight, outer)
        assert found == expected, f"program {seed}, call {call}: {program}"
        given, fresh_weight, fresh_outer = programs.fresh(seed)
        # The same Parameter and outer tensor, as they were at the beginning.
        weight.set_data(fresh_weight)
        outer[...] = fresh_outer
        if seed % 9 == 4:
            given = (given[0], outer[0], given[2])
        elif seed % 9 == 5:
            given = (given[0], weight[2], given[2])


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_programs_are_equal_in_both_modes(group):
    for seed in range(group, COUNT, GROUPS):
        _check(seed)


def _check_gradient(seed: int) -> None:
    program = programs.random_program(seed, differentiable=True)

    def gradient_of(wrap_inside, wrap_outside):
        given, weight, outer = programs.fresh(9 * seed + 7)
        interpreter = programs.Interpreter(program, weight, outer)

        def loss(x, y, scale):
            total, *others = wrap_inside(interpreter.run)(x, y, scale)
            return total + sum((each * each).sum() for each in others)

        run = wrap_outside(ms.grad(loss, (0, 1)))
        found = []
        for _ in range(3):
            try:
                found.append(programs._bytes(run(*given)))
            except Exception as error:
                found.append(type(error).__name__)
            given, fresh_weight, fresh_outer = programs.fresh(9 * seed + 7)
            weight.set_data(fresh_weight)
            outer[...] = fresh_outer
        return found

    def plain(function):
        return function

    expected = gradient_of(plain, plain)
    assert gradient_of(plain, jit) == expected, f"program {seed}: {program}"
    assert gradient_of(jit, plain) == expected, f"program {seed}, compiled inside: {program}"


@pytest.mark.parametrize("group", range(GROUPS))
def test_gradients_of_random_programs_are_equal_in_both_modes(group):
    for seed in range(group, COUNT // 2, GROUPS):
        _check_gradient(seed)
