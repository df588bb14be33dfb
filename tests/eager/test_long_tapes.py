# SPDX-License-Identifier: Apache-2.0
"""Very long chains of operators are released without using up the stack."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

_LENGTH = 200_000


def _run(code: str) -> str:
    program = (
        f"import mindspore as ms\nfrom mindspore import Tensor\nLENGTH = {_LENGTH}\n{textwrap.dedent(code)}"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_an_error_after_a_long_chain():
    code = """
    def function(x):
        for _ in range(LENGTH):
            x = x + 1
        raise ValueError("in the end")
    try:
        ms.grad(function)(Tensor(1.0))
    except ValueError as error:
        print(error)
    """
    assert _run(code) == "in the end\n"


@pytest.mark.parametrize("order", ["x + 1", "1 * x", "x - y"])
def test_the_gradient_of_a_long_chain(order):
    code = f"""
    def function(x):
        y = Tensor(0.0)
        for _ in range(LENGTH // 4):
            x = {order}
        return x
    print(float(ms.grad(function)(Tensor(1.0))))
    """
    assert _run(code) == "1.0\n"
