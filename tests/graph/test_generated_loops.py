# SPDX-License-Identifier: Apache-2.0
"""Random loops: recorded whole, turn by turn or not at all, they give what PyNative mode gives."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from generated_loops import Generator

import mindspore as ms
from mindspore import Tensor

PROGRAMS = 60
CALLS = [((1.0, 2.0, 3.0), (0.5, -1.0, 2.0), 5), ((4.0, -2.0, 0.5), (1.0, 1.5, -0.5), 9)] * 2


def loaded(text: str, folder, name: str):
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(function, call):
    """What a call gives or raises, and what has become of its arguments."""
    a, b, limit = Tensor(np.float32(call[0])), Tensor(np.float32(call[1])), Tensor(call[2])
    try:
        result = function(a, b, limit)
    except Exception as error:
        result = (type(error).__name__,)
    return [plain(part) for part in (*result, a, b)]


def plain(value):
    if isinstance(value, Tensor):
        return str(value.dtype), value.shape, value.asnumpy().tobytes()
    return type(value), repr(value)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_loops_mean_the_same(seed, tmp_path, monkeypatch):
    monkeypatch.setenv("MYCEL_LOOKS_BEFORE_LOOPS", "3")
    text = Generator(seed).text()
    expected = loaded(text, tmp_path, f"eager_{seed}").function
    compiled = ms.jit(loaded(text, tmp_path, f"compiled_{seed}").function)
    for i, call in enumerate(CALLS):
        assert outcome(compiled, call) == outcome(expected, call), f"call {i} of\n{text}"
