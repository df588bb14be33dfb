# SPDX-License-Identifier: Apache-2.0
"""Networks whose files would compute something else: export says so, and leaves no file."""

from __future__ import annotations

import numpy as np
import pytest
import test_mindir_export
import test_onnx_export
from looping_networks import floats, whole

from mindspore import _c_expression as _c
from mindspore import nn, ops
from mindspore.train._onnx.importer import load_onnx

HERE = r"test_exports_that_would_be_wrong\.py:\d+"


def two_names(x, n):
    rows = x * 1
    other = rows
    for _ in range(n):
        rows[0] = rows[0] + 1
        x = x + other
    return x


def two_variables(x, n):
    rows = x * 1
    other = rows
    for _ in range(n):
        rows[0] = rows[0] + 1
        x = x + other
        other = other * 1
    return x, other


def the_same_after_a_turn(x, n):
    rows, other = x * 1, x * 2
    for _ in range(n):
        rows[0] = rows[0] + 1
        x = x + other
        other = rows
    return x


def a_view(x, n):
    table = ops.stack((x, x * 2))
    row = table[0]
    for _ in range(n):
        table[0] = table[0] + 1
        x = x + row
    return x


def in_a_list(x, n):
    rows = x * 1
    kept = [rows, x]
    for _ in range(n):
        rows[0] = rows[0] + 1
        x = x + kept[0]
    return x


def add_one(rows):
    rows[0] = rows[0] + 1


def by_a_function(x, n):
    rows = x * 1
    other = rows
    for _ in range(n):
        add_one(rows)
        x = x + other
        rows = rows * 2
    return x, rows


def known_turns(x, n):
    rows = x * 1
    other = rows
    for _ in range(3):
        rows[0] = rows[0] + 1
        x = x + other if x.sum() > 5 else x + 2
    for _ in range(n):
        x = x + 1
    return x


def read_by_a_function(x, n):
    y = x

    def following():
        return y + 1

    for _ in range(n):
        y = following()
    return y


def read_by_a_lambda(x, n):
    times = 1
    scaled = lambda value: value * times  # noqa: E731
    while times < n:
        x = scaled(x)
        times += 1
    return x


def assigned_finally(x, n):
    i = 0
    while i < n:
        try:
            if x.sum() > 10:
                break
            x = x * 2
        finally:
            x = x + 1
        i += 1
    return x


def caught(x, n):
    try:
        scale = float(x.sum())
    except RuntimeError:
        scale = 100.0
    return x * scale


def more_results_on_a_way(x, n):
    if x.sum() > 0:
        return x, x * 2
    return x, 3


def another_number_on_a_way(x, n):
    if x.sum() > 0:
        return x, 3
    return x, 4


@pytest.mark.parametrize(
    ("net", "text"),
    [
        (two_names, rf"the loop at .*{HERE} writes into 'rows', which has the same memory as 'other'"),
        (two_variables, rf"{HERE} writes into 'rows', which has the same memory as 'other'"),
        (the_same_after_a_turn, rf"{HERE} writes into 'rows', which has the same memory as 'other'"),
        (a_view, rf"{HERE} writes into 'table', which has the same memory as 'row'"),
        (in_a_list, rf"{HERE} writes into 'rows', which has the same memory as 'kept'"),
        (by_a_function, rf"{HERE} writes into 'rows', which has the same memory as 'other'"),
        (known_turns, rf"{HERE} writes into 'rows', which has the same memory as 'other'"),
        (read_by_a_function, rf"depends on values it computes, the first of them at .*{HERE}"),
        (read_by_a_lambda, rf"more than 32 ways, the last time at .*{HERE}"),
        (assigned_finally, rf"more than 32 ways, the last time at .*{HERE}"),
        (caught, rf"depends on values it computes, the first of them at .*{HERE}"),
        (another_number_on_a_way, "'another_number_on_a_way' .* it returns the number 3 or 4, as values are"),
        (more_results_on_a_way, rf"gives 2 tensors, and 1 when an 'if' is answered otherwise .*{HERE}"),
    ],
)
@pytest.mark.parametrize("kind", [test_mindir_export, test_onnx_export], ids=["mindir", "onnx"])
def test_export_is_refused(tmp_path, net, text, kind):
    with pytest.raises(RuntimeError, match=text):
        kind.exported(tmp_path, net, floats(1, 2, 3), whole(2))
    assert not list(tmp_path.iterdir())


# ---- what is like that and can be written ------------------------------------------------------------------


def written_under_another_name(x, n):
    out = x
    for i in range(n):
        out[i % 3] = out[i % 3] * 2
    return x + out


def one_tensor_twice_in_a_list(x, n):
    state = [x, x]
    for _ in range(n):
        state[0] = state[0] * 0.5 + x
    return state[0] + state[1]


def functions_of_a_turn(x, n):
    for i in range(n):

        def moved(value):
            return value + i  # noqa: B023

        scaled = lambda value: value * i  # noqa: E731, B023
        x = scaled(moved(x)) * 0.5
    return x


def late_lambdas(x, n):
    scales = []
    for k in range(3):
        scales.append(lambda value: value * k)  # noqa: B023
    for _ in range(n):
        for scale in scales:
            x = x + scale(x)
    return x


def catching_everything(x, n):
    for _ in range(3):
        try:
            x = x - 5 if x.sum() > 10 else x + 1
        except:  # noqa: E722
            x = x * 100
    for _ in range(n):
        x = x + 1
    return x


@pytest.mark.parametrize(
    "net",
    [
        written_under_another_name,
        one_tensor_twice_in_a_list,
        functions_of_a_turn,
        late_lambdas,
        catching_everything,
    ],
)
def test_export_is_right(tmp_path, net):
    test_onnx_export.exported(tmp_path, net, floats(1, 2, 3), whole(2))
    read = load_onnx(tmp_path / "net.onnx")
    for x, n in (((1, 2, 3), 3), ((5, -2, 8), 0), ((-1, 0.5, 2), 4)):
        wanted = net(floats(*x), whole(n)).asnumpy()
        np.testing.assert_allclose(read(floats(*x), whole(n)).asnumpy(), wanted, rtol=1e-5)


# ---- too much to write -------------------------------------------------------------------------------------


def deep(x, n):
    for _ in range(n):
        for _ in range(n):
            for _ in range(n):
                if x[0] > 1:
                    x = x + 1
                if x[1] > 1:
                    x = x - 2
                if x[2] > 1:
                    x = x * 2
            if x[0] > 2:
                x = x + 1
            if x[1] > 2:
                x = x - 2
            if x[2] > 2:
                x = x * 2
        if x[0] > 3:
            x = x + 1
        if x[1] > 3:
            x = x - 2
        if x[2] > 3:
            x = x * 2
    return x


def deeper(x, n):
    for _ in range(n):
        rows = x * 1
        for _ in range(n):
            rows[0] = deep(rows, n)[1]
            if rows[0] > 2:
                rows = rows * 2
        x = deep(rows, n)
    return x


def test_ways_inside_ways_end(tmp_path):
    text = rf"too many ways through pieces inside others, the last time at .*{HERE}"
    with pytest.raises(RuntimeError, match=text):
        test_onnx_export.exported(tmp_path, deeper, floats(1, 2, 3), whole(2))
    assert not list(tmp_path.iterdir())


# ---- regions in a wrong order ------------------------------------------------------------------------------

CALLS = {
    "begin_turn": lambda x: _c.begin_turn(x.sum() > 0),
    "end_loop": lambda x: _c.end_loop([x]),
    "begin_other_branch": lambda x: _c.begin_other_branch([x]),
    "end_branch": lambda x: _c.end_branch([x]),
}


FOLLOWS = {
    "nothing": None,
    "loop": "begin_turn",
    "turn": "end_loop",
    "branch": "begin_other_branch",
    "other branch": "end_branch",
}


@pytest.mark.parametrize(
    ("before", "name"), [(before, name) for before in FOLLOWS for name in CALLS if FOLLOWS[before] != name]
)
def test_parts_in_a_wrong_order(tmp_path, name, before):
    class Net(nn.Cell):
        """Calls one after the other."""

        def construct(self, x):
            """Of the recorder."""
            if before in ("loop", "turn"):
                _c.begin_loop([x])
            if before == "turn":
                _c.begin_turn(x.sum() > 0)
            if before in ("branch", "other branch"):
                _c.begin_branch(x.sum() > 0)
            if before == "other branch":
                _c.begin_other_branch([x])
            return CALLS[name](x)

    net = Net()
    with pytest.raises(RuntimeError, match="goes on or ends where no such part of it has begun"):
        test_onnx_export.exported(tmp_path, net, floats(1, 2, 3))
    with pytest.raises(_c.Declined, match="stands in a function that is not recorded"):
        net(floats(1, 2, 3))


def test_another_number_of_variables(tmp_path):
    def losing_one(x):
        _c.begin_loop([x, x])
        _c.begin_turn(x.sum() > 0)
        return _c.end_loop([x])[0]

    with pytest.raises(RuntimeError, match="has 2 variables before a turn and 1 after it"):
        test_onnx_export.exported(tmp_path, losing_one, floats(1, 2, 3))


def counting_tenths(x):
    t = 0.0
    while t < 1.0:
        t += 0.1
        if x.sum() > 1000:
            break
        x = x + 1
    return x


def test_a_counter_that_is_rounded_is_told(tmp_path, capfd):
    test_onnx_export.exported(tmp_path, counting_tenths, floats(1, 2))
    assert "counts with 't', which is float32 in an exported file" in capfd.readouterr().err
