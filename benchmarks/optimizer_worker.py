# SPDX-License-Identifier: Apache-2.0
"""One side of the comparison of optimizer steps: parameters of known networks, random gradients, a step."""

from __future__ import annotations

import gc
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from worker import fitting_count, serve, time_calls  # noqa: E402

STREAM = 1 << 26  # elements of the addition in place that shows what the memory can do


def resnet50() -> list[tuple[int, ...]]:
    """Shapes of the parameters of ResNet-50."""
    shapes: list[tuple[int, ...]] = [(64, 3, 7, 7), (64,), (64,)]

    def convolution(outputs: int, inputs: int, size: int) -> None:
        shapes.extend([(outputs, inputs, size, size), (outputs,), (outputs,)])

    inputs = 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            convolution(width, inputs, 1)
            convolution(width, width, 3)
            convolution(4 * width, width, 1)
            if block == 0:
                convolution(4 * width, inputs, 1)
            inputs = 4 * width
    return [*shapes, (1000, 2048), (1000,)]


def gpt2() -> list[tuple[int, ...]]:
    """Shapes of the parameters of GPT-2 small."""
    width = 768
    layer = [(width,), (width,), (width, 3 * width), (3 * width,), (width, width), (width,)]
    layer += [(width,), (width,), (width, 4 * width), (4 * width,), (4 * width, width), (width,)]
    return [(50257, width), (1024, width), *(layer * 12), (width,), (width,)]


NETWORKS = {"ResNet-50": resnet50, "GPT-2 small": gpt2}
# Bytes an element must move in a step: what is read, and what is written.
BYTES = {"SGD": 12, "Momentum": 20, "Adam": 28, "AdamW": 28}


class Ours:
    """mindspore, this repository's package, in one of its modes."""

    def __init__(self, mode: str, threads: int) -> None:
        import mindspore
        from mindspore import _c_expression

        self.package = mindspore
        mindspore.set_context(mode=mindspore.GRAPH_MODE if mode == "graph" else mindspore.PYNATIVE_MODE)
        _c_expression.set_compute_threads(threads)

    def version(self) -> str:
        return f"mindspore {self.package.__version__}"

    def step(self, name: str, arrays: list, gradients: list):
        Parameter, Tensor, nn = self.package.Parameter, self.package.Tensor, self.package.nn
        weights = [Parameter(Tensor(array), name=f"w{i}") for i, array in enumerate(arrays)]
        given = tuple(Tensor(gradient) for gradient in gradients)
        optimizer = {
            "SGD": lambda: nn.SGD(weights, 1e-3),
            "Momentum": lambda: nn.Momentum(weights, 1e-3, 0.9),
            "Adam": lambda: nn.Adam(weights, 1e-3),
            "AdamW": lambda: nn.AdamWeightDecay(weights, 1e-3, weight_decay=0.01),
        }[name]()
        return lambda: optimizer(given)

    def stream(self):
        from mindspore.ops._registry import op

        target = self.package.Parameter(self.package.Tensor(numpy.ones(STREAM, numpy.float32)), name="t")
        other = self.package.Tensor(numpy.ones(STREAM, numpy.float32))
        return lambda: op.assign_add(target, other)


class Peer:
    """PyTorch, in one of the ways its optimizers run."""

    def __init__(self, way: str, threads: int) -> None:
        import torch

        self.torch, self.way = torch, {way: True}
        torch.set_num_threads(threads)

    def version(self) -> str:
        return f"torch {self.torch.__version__}"

    def step(self, name: str, arrays: list, gradients: list):
        optim = self.torch.optim
        # In memory of its own, where parameters and gradients of a model lie, not in NumPy's.
        weights = [self.torch.nn.Parameter(self.torch.from_numpy(array).clone()) for array in arrays]
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = self.torch.from_numpy(gradient).clone()
        return {
            "SGD": lambda: optim.SGD(weights, 1e-3, **self.way),
            "Momentum": lambda: optim.SGD(weights, 1e-3, 0.9, **self.way),
            "Adam": lambda: optim.Adam(weights, 1e-3, **self.way),
            "AdamW": lambda: optim.AdamW(weights, 1e-3, weight_decay=0.01, **self.way),
        }[name]().step

    def stream(self):
        target, other = self.torch.ones(STREAM), self.torch.ones(STREAM)
        return lambda: target.add_(other)


class Worker:
    """State between two requests."""

    def __init__(self, side: str, threads: int) -> None:
        library, way = side.split("-")
        self.side = (Ours if library == "ours" else Peer)(way, threads)
        self.call, self.count = None, 1

    def hello(self) -> dict:
        return {"version": self.side.version()}

    def prepare(self, network: str, optimizer: str, seconds: float) -> dict:
        self.forget()
        if network == "stream":
            self.call = self.side.stream()
        else:
            generator = numpy.random.default_rng(7)
            shapes = NETWORKS[network]()
            arrays = [generator.standard_normal(shape, dtype=numpy.float32) for shape in shapes]
            gradients = [generator.standard_normal(shape, dtype=numpy.float32) for shape in shapes]
            self.call = self.side.step(optimizer, arrays, gradients)
        self.count = fitting_count(self.call, seconds)
        return {"count": self.count}

    def measure(self) -> dict:
        gc.disable()
        took = time_calls(self.call, self.count)
        gc.enable()
        return {"seconds": took / self.count}

    def forget(self) -> dict:
        self.call = None
        gc.collect()
        return {}


if __name__ == "__main__":
    serve(Worker)
