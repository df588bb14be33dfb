# SPDX-License-Identifier: Apache-2.0
"""Functions called with ever new sizes: Python runs for the first few, and results are always PyNative's."""

from __future__ import annotations

import functools
import threading

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, jit, nn, ops
from mindspore._capture import explain

SIZES = (3, 4, 5, 7, 2, 9, 1, 6, 3, 12)
LEARNT = 4  # runs of Python: three captures and a rehearsal


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def rows(n: int, *others: int, dtype=np.float32, seed: int = 0) -> Tensor:
    values = np.random.default_rng(seed + n).normal(size=(n, *others)) * 3
    return Tensor(values.astype(dtype))


def values_in(result) -> list:
    if isinstance(result, Tensor):
        return [result.asnumpy()]
    if isinstance(result, (tuple, list)):
        return [value for part in result for value in values_in(part)]
    if isinstance(result, dict):
        return values_in(list(result.values()))
    return [np.asarray(result)]


class Counted:
    """A function and how often its Python ran: once for each capture and for each run that learns."""

    def __init__(self, function):
        self.function = function
        self.compiled = jit(function)

    def check(self, inputs, tolerance: float = 1e-6) -> None:
        for args in inputs:
            args = args if isinstance(args, tuple) else (args,)
            expected = values_in(self.function(*args))
            found = values_in(self.compiled(*args))
            assert len(expected) == len(found)
            for a, b in zip(expected, found, strict=True):
                assert a.dtype == b.dtype and a.shape == b.shape
                np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance)

    @property
    def runs(self) -> int:
        captured = self.compiled._captured
        assert not captured.reasons, captured.reasons
        return captured.captures + len(captured.recipes())

    @property
    def text(self) -> str:
        return explain(self.compiled)


def learns(function, inputs, runs: int = LEARNT) -> None:
    counted = Counted(function)
    counted.check(inputs)
    assert counted.runs == runs, counted.text


def is_right(function, inputs) -> Counted:
    counted = Counted(function)
    counted.check(inputs)
    return counted


# ---- Python runs no more -------------------------------------------------------------------------


def test_operators_alone():
    learns(lambda x: ops.relu(x) * 2 + ops.exp(-x), [rows(n, 3) for n in SIZES])


def test_reductions_and_products():
    weight = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    learns(
        lambda x: (ops.matmul(x, weight).sum(axis=0), x.mean(), x.max(axis=1)), [rows(n, 3) for n in SIZES]
    )


def test_two_sizes_at_once():
    learns(
        lambda x, y: ops.matmul(x, y),
        [(rows(n, m), rows(m, n + 1)) for n, m in zip(SIZES, SIZES[::-1], strict=True)],
    )


def test_reshape_by_computed_sizes():
    def halves(x):
        n, m = x.shape
        y = ops.reshape(x, (n * 2, m // 2))
        return ops.reshape(y, (-1,)), ops.reshape(y, (n, 2, m // 2)).transpose(1, 0, 2), y.reshape(x.shape)

    learns(halves, [rows(n, 4) for n in SIZES])


def test_sizes_in_arithmetic():
    def centred(x):
        n = x.shape[0]
        return x.sum(axis=0) / n + (n - 1) * 0.5 - x[0] / (n + 1.5), x * (1 / n)

    learns(centred, [rows(n, 3) for n in SIZES])


def test_element_counts():
    learns(lambda x: x.sum() / x.size + x.nbytes, [rows(n, 3) for n in SIZES])


def test_made_tensors():
    def positions(x):
        n = x.shape[0]
        mask = ops.ones((n, n), ms.float32)
        return x + ops.arange(n).astype(ms.float32).expand_dims(1), ops.matmul(mask, x), ops.zeros_like(x) + 1

    learns(positions, [rows(n, 3) for n in SIZES])


def test_slices():
    def parts(x):
        n = x.shape[0]
        return x[-1], x[: n // 2 + 1], x[n - 1], x[..., 1:], x[::2], x[:, None, 0], x[1 - n :]

    learns(parts, [rows(n, 3) for n in SIZES])


def test_writes_into_slices():
    def changed(x):
        y = ops.zeros((x.shape[0], 4), ms.float32)
        y[:, 1:] = x
        y[-1] = 7.0
        z = x * 1
        z[0] = 5.0
        return y, z

    learns(changed, [rows(n, 3) for n in SIZES])


def test_gradients():
    weight = Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))

    def loss(x, w):
        y = ops.tanh(ops.matmul(x, w)) + x[:, :1]
        return (y * y).sum() / x.shape[0]

    gradient = ms.value_and_grad(loss, grad_position=(0, 1))
    learns(lambda x: gradient(x, weight), [rows(n, 3) for n in SIZES])


def test_gradients_of_gradients():
    def cube(x):
        return (x * x * x).mean()

    learns(ms.grad(lambda x: ms.grad(cube)(x).sum()), [rows(n, 3) for n in SIZES])


def test_gradients_through_writes():
    def loss(x):
        y = ops.zeros((x.shape[0], 4), ms.float32)
        y[:, 1:] = x * 2
        return (y * y).sum()

    learns(ms.grad(loss), [rows(n, 3) for n in SIZES])


def test_sizes_of_sequences_and_batches():
    norm = nn.LayerNorm((8,))
    attention = nn.MultiheadAttention(8, 2)

    def block(x):
        return norm(attention(x, x, x)[0] + x)

    inputs = [rows(n, m, 8) for n, m in zip(SIZES, SIZES[::-1], strict=True)]
    counted = is_right(block, inputs)
    assert counted.runs < len(inputs), counted.text


# ---- networks ------------------------------------------------------------------------------------


class Lenet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool, self.relu, self.flatten = nn.MaxPool2d(2, 2), nn.ReLU(), nn.Flatten()
        self.fc1, self.fc2 = nn.Dense(16 * 5 * 5, 32), nn.Dense(32, 10)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        return self.fc2(self.relu(self.fc1(self.flatten(x))))


def train(network, inputs, optimizer) -> list:
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer(network.trainable_params()))
    step.set_train()
    losses = []
    for x in inputs:
        labels = Tensor(np.arange(x.shape[0], dtype=np.int32) % 10)
        losses.append(float(step(x, labels)))
    return [losses, *[p.asnumpy() for p in network.trainable_params()]], step


@pytest.mark.parametrize("optimizer", [lambda p: nn.SGD(p, 0.1), lambda p: nn.Adam(p, 0.01)])
def test_training_steps(optimizer):
    inputs = [rows(n, 1, 32, 32) for n in SIZES]
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(3)
        try:
            values, step = train(Lenet(), inputs, optimizer)
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        found.append(values)
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-4, atol=2e-5)
    assert step._captured.captures == 3, explain(step)


def test_declared_sizes_are_learnt_at_once(graph_mode):
    net = nn.Dense(4, 2)
    net.set_inputs(Tensor(shape=[None, 4], dtype=ms.float32))
    for n in SIZES:
        net(rows(n, 4))
    assert net._captured.captures == 1, explain(net)

    @jit(input_signature=Tensor(shape=[None, 4], dtype=ms.float32))
    def double(x):
        return x * 2

    for n in SIZES:
        np.testing.assert_array_equal(double(rows(n, 4)).asnumpy(), rows(n, 4).asnumpy() * 2)
    assert double._captured.captures == 1, explain(double)


def test_parameters_stay_the_same(graph_mode):
    net = nn.Dense(3, 2)
    for n in SIZES:
        net(rows(n, 3))
    net.weight.set_data(ops.ones_like(net.weight))
    net.bias.set_data(ops.ones_like(net.bias))
    for n in (20, 21, 3):
        expected = rows(n, 3).asnumpy().sum(axis=1, keepdims=True).repeat(2, axis=1) + 1
        np.testing.assert_allclose(net(rows(n, 3)).asnumpy(), expected, rtol=1e-5, atol=1e-5)


def test_changes_outside_are_seen(graph_mode):
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.factor = 2

        def construct(self, x):
            return x * self.factor

    net = Scaled()
    for n in SIZES:
        net(rows(n, 3))
    net.factor = 3
    for n in (20, 21, 22, 23, 24, 3):
        np.testing.assert_allclose(net(rows(n, 3)).asnumpy(), rows(n, 3).asnumpy() * 3, rtol=1e-6)


def test_dropout_draws_what_pynative_draws():
    dropout = ops.Dropout(keep_prob=0.5)
    found = []
    for function in (lambda x: dropout(x)[0], jit(lambda x: dropout(x)[0])):
        ms.set_seed(5)
        found.append([function(rows(n, 30)).asnumpy() for n in SIZES])
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_counters_in_parameters_go_on():
    steps = Parameter(Tensor(0.0), name="steps")

    @jit
    def counted(x):
        ops.assign_add(steps, Tensor(1.0))
        return x + steps

    for i, n in enumerate(SIZES):
        np.testing.assert_allclose(counted(rows(n, 2)).asnumpy(), rows(n, 2).asnumpy() + i + 1, rtol=1e-6)
    assert float(steps) == len(SIZES)


# ---- what depends on sizes otherwise -------------------------------------------------------------


def test_branches_on_sizes():
    def branch(x):
        if x.shape[0] > 4:
            return x * 2
        return x + 1 if x.shape[0] % 2 else x - 1

    assert is_right(branch, [rows(n, 3) for n in SIZES * 2]).runs < 2 * len(SIZES)


def test_loops_over_sizes():
    def total(x):
        result = x[0] * 0
        for i in range(x.shape[0]):
            result = result + x[i] * (i + 1)
        return result

    is_right(total, [rows(n, 3) for n in SIZES])


def test_rows_by_iteration():
    def total(x):
        result = 0
        for row in x:
            result = result * 2 + row
        return result

    is_right(total, [rows(n, 3) for n in SIZES])


def test_unpacked_results():
    is_right(lambda x: sum(ops.unstack(x, axis=0)), [rows(n, 3) for n in SIZES])
    is_right(lambda x: sum(ops.split(x, 1)), [rows(n, 3) for n in SIZES])


def test_plain_numbers():
    def plain(x):
        n = x.shape[0]
        return (
            x * int(n)
            + float(n)
            + len(x)
            + n**2
            + (n << 1)
            + abs(n)
            + round(n / 2)
            + max(n, 4)
            + divmod(n, 3)[1]
        )

    is_right(plain, [rows(n, 3) for n in SIZES])


def test_sizes_in_numpy():
    def scaled(x):
        table = np.arange(int(np.prod(x.shape)), dtype=np.float32).reshape(x.shape)
        return (
            x + Tensor(table) + float(np.sqrt(x.shape[0])) + Tensor(np.array([x.shape[0], 1, 2], np.float32))
        )

    is_right(scaled, [rows(n, 3) for n in SIZES])


def test_sizes_as_keys_and_texts():
    table = {3: 1.0, 4: 2.0, 5: 3.0}

    def looked_up(x):
        return x * table.get(x.shape[0], 0.5) + len(f"{x.shape[0]}") + len(str(x.shape)) + hash(x.shape[0])

    is_right(looked_up, [rows(n, 3) for n in SIZES])


def test_sizes_in_lists():
    def listed(x):
        return x + Tensor([x.shape[0], 0, 1], ms.float32) + ops.mul(x, [x.shape[0], 1, 2])

    is_right(listed, [rows(n, 3) for n in SIZES])


def test_sizes_that_are_returned():
    def sizes(x):
        n = x.shape[0]
        return x + 1, n, x.shape, [x.size, n / 2], {"twice": n * 2, "same": x.shape}

    learns(sizes, [rows(n, 3) for n in SIZES])
    compiled = jit(sizes)
    for n in (*SIZES, *SIZES):
        _, first, shape, (size, half), table = compiled(rows(n, 3))
        assert (first, shape, size, half, table) == (
            n,
            (n, 3),
            n * 3,
            n / 2,
            {"twice": n * 2, "same": (n, 3)},
        )
        assert {type(each) for each in (first, *shape, size, table["twice"])} == {int} and type(half) is float


def test_sizes_that_are_kept():
    class Box:
        pass

    def boxed(x):
        box = Box()
        box.rows, box.values = x.shape[0], x * 2
        return box

    compiled = jit(boxed)
    for n in SIZES:
        box = compiled(rows(n, 3))
        assert box.rows == n and box.values.shape == (n, 3)


def test_made_tensors_that_are_returned():
    def made(x):
        ones = ops.ones((x.shape[0], 2), ms.float32)
        return x, ones, ones[:, 0], [Tensor(np.arange(3)), x.shape and ops.zeros_like(x)]

    learns(made, [rows(n, 3) for n in SIZES])
    compiled = jit(made)
    for n in (*SIZES, *SIZES):
        results = compiled(rows(n, 3))
        assert results[1].asnumpy().tolist() == [[1.0, 1.0]] * n
        assert results[3][0].asnumpy().tolist() == [0, 1, 2]
        for result in (results[1], results[2], results[3][0]):
            result[0] = 5  # the caller's own: no other call sees it


def test_gradients_that_do_not_depend_on_values():
    net = nn.Dense(3, 2)
    gradient = ms.grad(net, None, net.trainable_params())
    learns(gradient, [rows(n, 3) for n in SIZES])


def test_parameters_that_are_handed_back():
    bias = Parameter(Tensor(np.ones((3,), np.float32)), name="bias")

    @jit
    def shaped(x):
        return ops.broadcast_to(bias, x.shape[1:]), x + bias

    for n in SIZES:
        bias.set_data(Tensor(np.full((3,), n, np.float32)))
        values, total = shaped(rows(n, 3))
        assert values.asnumpy().tolist() == [n] * 3
        np.testing.assert_allclose(total.asnumpy(), rows(n, 3).asnumpy() + n, rtol=1e-6)


def test_values_of_made_tensors():
    def looked(x):
        return x * float(ops.arange(x.shape[0]).sum()) + int(ops.ones((x.shape[0],), ms.int32).sum())

    is_right(looked, [rows(n, 3) for n in SIZES])


def test_values_that_are_looked_at():
    def looked(x):
        return x * 2 if x.sum() > 0 else x - x.shape[0]

    is_right(looked, [rows(n, 3) for n in SIZES])


def test_errors_that_are_caught():
    def tried(x):
        try:
            return x[4] * 1
        except IndexError:
            return x[0] * 2

    is_right(tried, [rows(n, 3) for n in SIZES])


def test_a_size_equal_to_another_by_accident():
    def product(x, y):
        return x + y if x.shape[0] == x.shape[1] else ops.matmul(x, ops.ones((x.shape[1], 2), ms.float32))

    is_right(product, [(rows(n, 5), rows(1, 5)) for n in (5, 5, 3, 4, 6, 5, 7, 8, 2)])


@pytest.mark.parametrize("sizes", [(3, 4, 5, 1, 0, 6), (1, 2, 3, 4, 1), (1, 3, 1, 4, 5, 6)])
def test_sizes_one_and_nothing(sizes):
    bias = Tensor(np.ones((1, 3), np.float32))
    column = rows(4, 1)

    def stretched(x):
        return (x + bias).sum(axis=0), x * 2

    def gradient(x):
        return ms.grad(lambda a: ((a + bias) * a).sum())(x)

    is_right(stretched, [rows(n, 3) for n in sizes])
    is_right(gradient, [rows(n, 3) for n in sizes])
    by_column = [(rows(n, 3), column if n in (1, 4) else rows(n, 1)) for n in sizes]
    is_right(ms.grad(lambda x, y: (x * y).sum(), grad_position=(0, 1)), by_column)


def test_operators_that_give_back_what_they_get():
    def same(x):
        y = ops.broadcast_to(x, (4, 3))
        z = ops.tile(x, (1, 1))
        w = ops.addn([x])
        return y.sum(), z + x, w - y

    is_right(same, [rows(n, 3) for n in (4, 4, 1)])
    grads = ms.grad(lambda x, y: (x + y).sum(), grad_position=(0, 1))

    def both(x, y):
        a, b = grads(x, y)
        return a * 2, b * 3, a + b

    is_right(
        both, [(rows(n, 3), rows(m, 3)) for n, m in ((3, 3), (4, 4), (5, 5), (6, 6), (7, 1), (1, 7), (8, 8))]
    )


def test_local_tensors_are_new_in_every_call():
    def written(x):
        made = Tensor(np.zeros((1, 3), np.float32))
        made[0] = made[0] + 1
        return x + made

    is_right(written, [rows(n, 3) for n in SIZES])


def test_prints_are_not_lost(capfd):
    @jit
    def printed(x):
        print("rows:", x.shape[0])
        return x + 1

    for n in SIZES:
        printed(rows(n, 2))
    assert capfd.readouterr().out == "".join(f"rows: {n}\n" for n in SIZES)


def test_hooks_and_custom_backward_are_seen():
    seen = []

    class Doubled(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * x * x.shape[0],)

    cell = Doubled()
    gradient = ms.grad(lambda x: cell(x).sum())
    is_right(lambda x: gradient(x), [rows(n, 3) for n in SIZES])
    assert not seen


def test_many_sizes_are_bounded():
    double = jit(lambda x: x * 2)
    for n in range(1, 150):
        assert double(rows(n)).shape == (n,)
    assert double._captured.captures == 3
    assert len(double._captured.report()) <= 64


def test_explain_tells_about_sizes():
    double = jit(lambda x: x * 2)
    for n in SIZES:
        double(rows(n, 3))
    assert "Tensor[Float32](?, 3)" in explain(double) and "sizes are symbols" in explain(double)
    loop = jit(lambda x: sum(x[i] for i in range(x.shape[0])))
    for n in range(1, 12):
        loop(rows(n, 3))
    assert "captured all the same" in explain(loop) and "relies on" in explain(loop)


def test_caches_of_python():
    @functools.lru_cache
    def mask(n: int) -> Tensor:
        return Tensor(np.tril(np.ones((n, n), np.float32)))

    is_right(lambda x: ops.matmul(mask(x.shape[0]), x), [rows(n, 3) for n in SIZES])


def test_sizes_beside_numbers_of_numpy():
    limit, step = np.int64(4), np.float64(1.5)

    def compared(x):
        n = x.shape[0]
        return x * step * n + (1 if n < limit else 2) + (n == limit) + limit * n

    is_right(compared, [rows(n, 3) for n in SIZES])


def test_sizes_in_another_thread():
    def elsewhere(x):
        found = []
        thread = threading.Thread(target=lambda n: found.append(sum(range(n))), args=(x.shape[0],))
        thread.start()
        thread.join()
        return x * found[0]

    compiled = jit(elsewhere)
    for n in SIZES:
        expected = rows(n, 3).asnumpy() * sum(range(n))
        np.testing.assert_allclose(compiled(rows(n, 3)).asnumpy(), expected, rtol=1e-6)


def test_an_outer_tape_is_left_alone():
    @jit
    def square(x):
        return (x * x).sum()

    for n in SIZES:
        found = ms.grad(lambda x: square(x) * 2)(rows(n, 3)).asnumpy()
        np.testing.assert_allclose(found, rows(n, 3).asnumpy() * 4, rtol=1e-5)
        np.testing.assert_allclose(float(square(rows(n, 3))), (rows(n, 3).asnumpy() ** 2).sum(), rtol=1e-5)
