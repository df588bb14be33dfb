# SPDX-License-Identifier: Apache-2.0
"""Formulas of captured graphs as machine code: the same results, at any time, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import mindspore as ms
from mindspore import _c_expression, ops
from mindspore._capture import explain


def _formula(x, y, bias):
    return ops.tanh(x * y + bias) * 0.5 + ops.maximum(x, y * 0.25)


def _operands(shape: tuple, dtype=np.float32) -> list:
    random = np.random.default_rng(5)
    x, y = random.normal(size=shape).astype(dtype), random.normal(size=shape).astype(dtype)
    x.flat[:5] = [np.nan, np.inf, -np.inf, -0.0, 0.0]
    return [ms.Tensor(x), ms.Tensor(y), ms.Tensor(random.normal(size=shape[-1]).astype(dtype))]


@pytest.fixture
def generated():
    """Generated code, where there is a compiler."""
    _c_expression.use_generated_code(True)
    yield
    _c_expression.use_generated_code(True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(4097,), (65, 67), (3, 5, 1001)])
def test_results_do_not_tell_when_the_code_came(generated, shape, dtype):
    operands = _operands(shape, dtype)
    eager = _formula(*operands).asnumpy()
    compiled = ms.jit(_formula)
    for _ in range(6):
        np.testing.assert_array_equal(compiled(*operands).asnumpy(), eager)
    _c_expression.wait_for_code()
    np.testing.assert_array_equal(compiled(*operands).asnumpy(), eager)
    _c_expression.use_generated_code(False)
    np.testing.assert_array_equal(compiled(*operands).asnumpy(), eager)


def test_explain_tells_about_generated_code():
    assert "generated code: " in explain()


_PROGRAM = """
    import os, sys
    import numpy as np
    import mindspore as ms
    from mindspore import _c_expression, ops

    @ms.jit
    def formula(x):
        return ops.exp(x) * 0.5 + ops.sqrt(x) - x

    x = ms.Tensor(np.linspace(0, 2, 20000, dtype=np.float32))
    for _ in range(5):
        result = formula(x)
    {middle}
    print(float(formula(x).asnumpy().sum()), _c_expression.code_generation_status())
"""


def _run(middle: str = "_c_expression.wait_for_code()", **settings: str) -> tuple[float, dict]:
    program = textwrap.dedent(_PROGRAM).format(middle=middle)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    total, _, status = done.stdout.strip().splitlines()[-1].partition(" ")
    return float(total), eval(status)  # a dict we have just printed


def test_a_second_process_finds_the_code_and_replaces_what_is_damaged(tmp_path):
    folder = str(tmp_path / "code")
    total, status = _run(MYCEL_CODE_CACHE=folder)
    if status["state"] != "ready":
        pytest.skip(status["state"])
    assert status["compiled"] >= 1 and status["from_disk"] == 0
    again, status = _run(MYCEL_CODE_CACHE=folder)
    assert status["compiled"] == 0 and status["from_disk"] >= 1 and again == total
    for entry in (tmp_path / "code").iterdir():
        content = bytearray(entry.read_bytes())
        content[len(content) // 2] ^= 0xFF
        entry.write_bytes(content)
    again, status = _run(MYCEL_CODE_CACHE=folder)
    assert status["compiled"] >= 1 and status["from_disk"] == 0 and again == total
    _, status = _run(MYCEL_CODE_CACHE=folder)
    assert status["compiled"] == 0


def test_the_switch_leaves_everything_to_the_interpreter():
    total, status = _run(MYCEL_CODE_CACHE="off")
    interpreted, off = _run(MYCEL_CODE_CACHE="off", MYCEL_CODEGEN="off")
    assert off["state"] == "off" and off["compiled"] == 0 and interpreted == total


def test_a_process_may_end_or_fork_while_code_is_being_made():
    forking = """
    child = os.fork()
    if child == 0:
        other = ms.jit(lambda x: x * 2.5 + x * x)
        for _ in range(5):
            other(ms.Tensor(np.linspace(0, 2, 5000, dtype=np.float32)))
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    """
    for middle in ("", textwrap.dedent(forking).strip()):
        for _ in range(3):
            assert _run(middle, MYCEL_CODE_CACHE="off")[0] > 0
