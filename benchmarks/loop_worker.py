# SPDX-License-Identifier: Apache-2.0
"""One side of loops.py: loops that values decide, in one library and one way of running them."""

from __future__ import annotations

import pathlib
import time

import numpy
from worker import serve

TURNS = {"scalars": 1_000_000, "table": 1_000, "decoding": 1_000, "gradient": 1_000}
END = -1  # the token that ends a text; none does, so that every side makes all turns
WARMING = 5  # calls after which a loop of Python's own is compiled
ROWS, WIDTH, HEADS, LAYERS, TOKENS = 1024, 128, 4, 2, 512
STATE = 256  # of the loop with a gradient


def weights() -> dict[str, numpy.ndarray]:
    """Of a small network that continues a text."""
    generator = numpy.random.default_rng(7)
    shapes = {"tokens": (TOKENS, WIDTH), "places": (ROWS, WIDTH), "head": (WIDTH, TOKENS)}
    for i in range(LAYERS):
        shapes |= {f"qkv{i}": (WIDTH, 3 * WIDTH), f"out{i}": (WIDTH, WIDTH)}
        shapes |= {f"up{i}": (WIDTH, 4 * WIDTH), f"down{i}": (4 * WIDTH, WIDTH)}
    return {name: (generator.standard_normal(shape) / 8).astype("float32") for name, shape in shapes.items()}


def recurrence() -> list[numpy.ndarray]:
    """States, and a matrix that lets them and their gradients neither grow nor vanish."""
    generator = numpy.random.default_rng(11)
    matrix = numpy.linalg.qr(generator.standard_normal((STATE, STATE)))[0]
    return [(generator.standard_normal((STATE, STATE)) * 0.01).astype("float32"), matrix.astype("float32")]


def high_water(restart: bool = False) -> int:
    """Most bytes that the process has held, since the last restart."""
    if restart:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


class Ours:
    """This package, in PyNative mode or compiled; loops are `ops.WhileLoop` ("graph") or Python's own."""

    def __init__(self, way: str, threads: int) -> None:
        import mindspore
        from mindspore import _c_expression, ops

        _c_expression.set_compute_threads(threads)
        self.package, self.ops = mindspore, ops
        self.is_compiled, self.is_node = way != "eager", way == "graph"

    def version(self) -> str:
        return f"mindspore {self.package.__version__}"

    def loop(self, name: str):
        function = getattr(self, name)()
        turns = self.package.Tensor(TURNS[name], self.package.int64)
        call = self.package.jit(function) if self.is_compiled else function
        return lambda: call(turns).asnumpy()

    def _turning(self, turn, first, goes_on):
        if self.is_node:
            return self.ops.WhileLoop()(goes_on, turn, first)
        state = first
        while goes_on(state):
            state = turn(state)
        return state

    def scalars(self):
        ms, ops = self.package, self.ops

        def run(turns):
            def turn(state):
                return state[0] + 1, ops.sin(state[1] * 0.5) + 0.5

            return self._turning(
                turn, (ms.Tensor(0, ms.int64), ms.Tensor(1.0, ms.float32)), lambda state: state[0] < turns
            )[1]

        return run

    def table(self):
        ms, ops = self.package, self.ops

        def run(turns):
            def turn(state):
                i, rows, row = state
                rows = rows.copy()
                rows[i] = row
                return i + 1, rows, ops.tanh(row + rows[i - 1])

            first = ops.zeros((ROWS, ROWS), ms.float32), ops.ones(ROWS, ms.float32)
            return self._turning(turn, (ms.Tensor(0, ms.int64), *first), lambda state: state[0] < turns)[2]

        return run

    def decoding(self):
        ms, ops = self.package, self.ops
        given = {name: ms.Parameter(ms.Tensor(array), name=name) for name, array in weights().items()}
        places = ms.Tensor(numpy.arange(ROWS))

        def step(token, i, caches):
            x = given["tokens"][token].reshape(1, WIDTH) + given["places"][i].reshape(1, WIDTH)
            hidden = ops.where(places > i, ms.Tensor(-1e9, ms.float32), ms.Tensor(0.0, ms.float32))
            made = []
            for n, (keys, values) in enumerate(caches):
                query, key, value = ops.split(x @ given[f"qkv{n}"], WIDTH, axis=1)
                keys, values = keys.copy(), values.copy()
                keys[i], values[i] = key[0], value[0]
                made.append((keys, values))
                split = (ROWS, HEADS, WIDTH // HEADS)
                scores = query.reshape(HEADS, 1, -1) @ keys.reshape(split).transpose(1, 2, 0) * 0.18 + hidden
                seen = ops.softmax(scores, -1) @ values.reshape(split).transpose(1, 0, 2)
                x = x + seen.reshape(1, WIDTH) @ given[f"out{n}"]
                x = x + ops.relu(x @ given[f"up{n}"]) @ given[f"down{n}"]
            return (x @ given["head"])[0].argmax().astype(ms.int64), tuple(made)

        def run(turns):
            def turn(state):
                i, token, text, caches = state
                token, caches = step(token, i, caches)
                text = text.copy()
                text[i] = token
                return i + 1, token, text, caches

            zeros = ops.zeros((ROWS, WIDTH), ms.float32)
            first = ms.Tensor(3, ms.int64), ops.zeros(ROWS, ms.int64), ((zeros, zeros),) * LAYERS

            def goes_on(state):
                return ops.logical_and(state[0] < turns, state[1] != END)

            return self._turning(turn, (ms.Tensor(0, ms.int64), *first), goes_on)[2]

        return run

    def gradient(self):
        ms, ops = self.package, self.ops
        states, matrix = map(ms.Tensor, recurrence())

        def ended(x, w, turns):
            def turn(state):
                return state[0] + 1, ops.tanh(state[1] @ w)

            return (
                self._turning(turn, (ms.Tensor(0, ms.int64), x), lambda state: state[0] < turns)[1] ** 2
            ).sum()

        return lambda turns: ms.grad(ended, (0, 1))(states, matrix, turns)[1]


class Peer:
    """PyTorch, as its users write such loops."""

    def __init__(self, way: str, threads: int) -> None:
        import torch

        torch.set_num_threads(threads)
        self.torch = torch

    def version(self) -> str:
        return f"torch {self.torch.__version__}"

    def loop(self, name: str):
        call = getattr(self, name)()

        def run():
            with self.torch.inference_mode(name != "gradient"):
                return call(self.torch.tensor(TURNS[name])).numpy()

        return run

    def scalars(self):
        torch = self.torch

        def run(turns):
            i, x = torch.tensor(0), torch.tensor(1.0)
            while i < turns:
                i, x = i + 1, torch.sin(x * 0.5) + 0.5
            return x

        return run

    def table(self):
        torch = self.torch

        def run(turns):
            i, rows, row = torch.tensor(0), torch.zeros(ROWS, ROWS), torch.ones(ROWS)
            while i < turns:
                rows[i] = row
                row = torch.tanh(row + rows[i - 1])
                i = i + 1
            return row

        return run

    def decoding(self):
        torch = self.torch
        given = {name: torch.from_numpy(array) for name, array in weights().items()}
        places = torch.arange(ROWS)

        def run(turns):
            i, token, text = torch.tensor(0), torch.tensor(3), torch.zeros(ROWS, dtype=torch.int64)
            caches = [(torch.zeros(ROWS, WIDTH), torch.zeros(ROWS, WIDTH)) for _ in range(LAYERS)]
            while i < turns and token != END:
                x = (given["tokens"][token] + given["places"][i]).reshape(1, WIDTH)
                hidden = torch.where(places > i, -1e9, 0.0)
                for n, (keys, values) in enumerate(caches):
                    query, key, value = (x @ given[f"qkv{n}"]).split(WIDTH, dim=1)
                    keys[i], values[i] = key[0], value[0]
                    split = (ROWS, HEADS, WIDTH // HEADS)
                    scores = query.reshape(HEADS, 1, -1) @ keys.reshape(split).permute(1, 2, 0) * 0.18
                    weighted = torch.softmax(scores + hidden, -1) @ values.reshape(split).permute(1, 0, 2)
                    x = x + weighted.reshape(1, WIDTH) @ given[f"out{n}"]
                    x = x + torch.relu(x @ given[f"up{n}"]) @ given[f"down{n}"]
                token = (x @ given["head"])[0].argmax()
                text[i] = token
                i = i + 1
            return text

        return run

    def gradient(self):
        torch = self.torch
        states, matrix = (torch.from_numpy(one).requires_grad_() for one in recurrence())

        def run(turns):
            i, y = torch.tensor(0), states
            while i < turns:
                i, y = i + 1, torch.tanh(y @ matrix)
            return torch.autograd.grad((y**2).sum(), (states, matrix))[1]

        return run


class Worker:
    """State between two requests."""

    def __init__(self, side: str, threads: int) -> None:
        library, way = side.split("-")
        self.way = way
        self.side = (Ours if library == "ours" else Peer)(way, threads)
        self.call = None

    def hello(self) -> dict:
        return {"version": self.side.version()}

    def prepare(self, loop: str) -> dict:
        before = high_water(restart=True)
        self.call = self.side.loop(loop)
        result = numpy.asarray(self.call()).ravel()[:16].tolist()
        for _ in range(WARMING if self.way == "while" else 0):
            self.call()
        return {"result": result, "bytes": high_water() - before}

    def measure(self) -> dict:
        start = time.perf_counter()
        self.call()
        return {"seconds": time.perf_counter() - start}


if __name__ == "__main__":
    serve(Worker)
