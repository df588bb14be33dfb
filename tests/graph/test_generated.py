# SPDX-License-Identifier: Apache-2.0
"""Random programs give the same captured as eagerly."""

from __future__ import annotations

import os

import numpy as np
import pytest
from comparison import run, same
from generated import Writer
from programs import Program

from mindspore import Parameter, Tensor, nn, ops

COUNT = int(os.environ.get("MYCEL_GENERATED_PROGRAMS", "150"))


def _program(seed: int) -> Program:
    text = Writer(seed).text()
    namespace = {"nn": nn, "ops": ops, "Tensor": Tensor, "Parameter": Parameter, "__name__": __name__}
    exec(compile(text, f"<program {seed}>", "exec"), namespace)
    source = np.random.default_rng(seed)
    inputs = [tuple(source.uniform(-1, 1, (2, 4)).astype(np.float32)) for _ in range(3)]
    return Program(f"generated.{seed}", namespace["Net"], inputs, {}, True)


@pytest.mark.parametrize("seed", range(COUNT))
def test_same_in_both_modes(seed):
    one = _program(seed)
    expected, found = run(one, captured=False), run(one, captured=True)
    same(found.values, expected.values, "values", 1e-4)
    same(found.gradients, expected.gradients, "gradients", 1e-3)
    same(found.state, expected.state, "state", 1e-4)
    assert found.printed == expected.printed or _prints_numbers_close(found.printed, expected.printed)


def _prints_numbers_close(found: str, expected: str) -> bool:
    lines, wanted = found.splitlines(), expected.splitlines()
    if len(lines) != len(wanted):
        return False
    pairs = zip(lines, wanted, strict=True)
    return all(np.isclose(float(a.split()[1]), float(b.split()[1]), 1e-4, 1e-5) for a, b in pairs)
