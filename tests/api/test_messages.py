# SPDX-License-Identifier: Apache-2.0
"""Errors of calls whose arguments do not fit: they name what was called, nothing of ours, and both shapes."""

from __future__ import annotations

import numpy as np
import pytest
from provoked_errors import complaint, internal_operators, provoke

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore import _c_expression as _c


@pytest.fixture
def as_before():
    limit, level = _c.memory_statistics("CPU")["limit"], ms.get_level()
    yield
    _c.set_memory_limit("CPU", limit)
    ms.set_log_level(int(level))


def test_messages_of_everything_that_computes(as_before):
    internal, wrong, count = internal_operators(), {}, 0
    assert len(internal) > 100
    for provoked in provoke():
        count += 1
        about = complaint(provoked, internal)
        if about:
            wrong.setdefault((provoked.called, about), f"{type(provoked.error).__name__}: {provoked.error}")
    assert count > 10_000
    assert not wrong


def _x(*shape) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


_PARAMETER = ms.Parameter(_x(2, 3), name="parameter")
_BOTH_SHAPES = {
    "matmul": (lambda: ops.matmul(_x(2, 3), _x(4, 5)), (2, 3), (4, 5)),
    "@": (lambda: _x(2, 3) @ _x(4, 5), (2, 3), (4, 5)),
    "MatMul": (lambda: ops.MatMul()(_x(2, 3), _x(4, 5)), (2, 3), (4, 5)),
    "BatchMatMul": (lambda: ops.BatchMatMul()(_x(1, 2, 3), _x(1, 4, 5)), (1, 2, 3), (1, 4, 5)),
    "dense": (lambda: ops.dense(_x(2, 3), _x(4, 5)), (2, 3), (4, 5)),
    "Dense": (lambda: nn.Dense(5, 4)(_x(2, 3)), (2, 3), (4, 5)),
    "conv2d": (lambda: ops.conv2d(_x(1, 3, 8, 8), _x(4, 2, 3, 3)), (1, 3, 8, 8), (4, 2, 3, 3)),
    "Conv2D": (lambda: ops.Conv2D(4, 3)(_x(1, 3, 8, 8), _x(4, 2, 3, 3)), (1, 3, 8, 8), (4, 2, 3, 3)),
    "Conv2d": (lambda: nn.Conv2d(2, 4, 3)(_x(1, 3, 8, 8)), (1, 3, 8, 8), (4, 2, 3, 3)),
    "Conv3d": (lambda: nn.Conv3d(2, 4, 3)(_x(1, 3, 8, 8, 8)), (1, 3, 8, 8, 8), (4, 2, 3, 3, 3)),
    "concat": (lambda: ops.concat((_x(2, 3), _x(3, 4))), (2, 3), (3, 4)),
    "stack": (lambda: ops.stack((_x(2, 3), _x(3, 4))), (2, 3), (3, 4)),
    "+": (lambda: _x(2, 3) + _x(3, 4), (2, 3), (3, 4)),
    "DivNoNan": (lambda: ops.DivNoNan()(_x(2, 3), _x(3, 4)), (2, 3), (3, 4)),
    "where": (lambda: ops.where(_x(2, 3) > 0, _x(3, 4), _x(3, 4)), (2, 3), (3, 4)),
    "mse_loss": (lambda: ops.mse_loss(_x(2, 3), _x(3, 4)), (2, 3), (3, 4)),
    "reshape": (lambda: _x(2, 3).reshape(4, 5), (2, 3), (4, 5)),
    "broadcast_to": (lambda: ops.broadcast_to(_x(2, 3), (3, 4)), (2, 3), (3, 4)),
    "batch_norm": (lambda: ops.batch_norm(_x(2, 3), _x(3), _x(3), _x(4), _x(3)), (3,), (4,)),
    "assign": (lambda: ops.assign(_PARAMETER, _x(3, 4)), (2, 3), (3, 4)),
}


@pytest.mark.parametrize("is_jit", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("name", _BOTH_SHAPES)
def test_shapes_that_do_not_fit_are_both_shown(name, is_jit):
    call, *shapes = _BOTH_SHAPES[name]
    with pytest.raises((ValueError, RuntimeError)) as raised:
        ms.jit(call)() if is_jit else call()
    for shape in shapes:
        assert str(shape) in str(raised.value)


def test_the_name_is_that_of_what_was_called():
    with pytest.raises(ValueError, match="^For 'Conv2D', "):
        ops.Conv2D(4, 3)(_x(1, 3, 8), _x(4, 3, 3, 3))
    with pytest.raises(ValueError, match="^For 'LRN', "):
        ops.LRN()(_x(3, 8))
    x = _x(2, 3)
    with pytest.raises(ValueError, match="^For 'Tensor.__setitem__', "):
        x[:] = _x(4, 5)


def test_code_that_stumbles_says_over_what():
    with pytest.raises(TypeError, match=r"For 'block_diag', the arguments do not fit: inputs = \(1,\)"):
        ops.block_diag(1)
    with pytest.raises(TypeError, match=r"takes the inputs \(shape, alpha, beta\), but got 1"):
        ops.Gamma()((2,))


def test_an_error_of_the_users_own_function_stays_as_it_is():
    def broken(x):
        return x[5]

    with pytest.raises(IndexError, match="^tuple index out of range$"):
        ops.partial(broken, (1, 2))()


def test_keywords_of_python_functions():
    with pytest.raises(TypeError, match=r"^softmax\(\) got an unexpected .* In MindSpore it is 'axis'\.$"):
        ops.softmax(_x(2, 3), dim=1)
    with pytest.raises(TypeError, match="In MindSpore it is 'axis'."):
        _x(2, 3).max(dim=1)
