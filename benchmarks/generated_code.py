# SPDX-License-Identifier: Apache-2.0
"""Fused formulas of captured graphs: the interpreter against generated code.

    python benchmarks/generated_code.py [--sizes 10000 1000000] [--repeat 9] [--threads 1]

Prints a JSON line per formula and size: times in microseconds, gigabytes per second (operands read
and results written once), and the rate of a plain copy of the same size as the limit.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import mindspore as ms
from mindspore import _c_expression, ops

GELU_SCALE, GELU_CUBIC = 0.7978845608028654, 0.044715


def gelu_gradient(x, dy):
    """The gradient of the tanh form of gelu times another gradient, with a residual added."""
    t = ops.tanh(GELU_SCALE * (x + GELU_CUBIC * x * x * x))
    slope = GELU_SCALE * (1 + 3 * GELU_CUBIC * x * x)
    return dy * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope) + dy


def adam(parameter, gradient, first, second):
    """Adam's change of a parameter, its moments given."""
    m = 0.9 * first + 0.1 * gradient
    v = 0.999 * second + 0.001 * gradient * gradient
    return parameter - 0.001 * (m / (ops.sqrt(v) + 1e-8) + 0.01 * parameter)


def normalize(x, mean, scale, shift, residual):
    """Batch normalization with known moments, a residual and relu; channels are rows."""
    return ops.relu((x - mean) * scale + shift + residual)


def swish_gate(x, gate):
    """A gated unit: silu of one half times the other."""
    return x * ops.sigmoid(x) * gate + 0.1 * x


def clipped(x, y):
    """Arithmetic and comparisons only."""
    z = ops.maximum(ops.minimum(x * 0.5 + y, 1.0), -1.0)
    return ops.where(z > 0, z * z, z * 0.01) - y * 0.25


def _values(count: int, seed: int) -> ms.Tensor:
    return ms.Tensor(np.random.default_rng(seed).uniform(0.1, 2, count).astype(np.float32))


def _cases(count: int) -> dict:
    rows = max(count // 1024, 1)
    columns = count // rows
    flat = [_values(count, seed) for seed in range(4)]
    grid = [_values(rows * columns, seed).reshape((rows, columns)) for seed in range(2)]
    channels = [_values(rows, seed).reshape((rows, 1)) for seed in range(3)]
    return {
        "gelu gradient": (gelu_gradient, flat[:2], 3),
        "adam": (adam, flat, 5),
        "normalize, residual, relu": (normalize, [grid[0], *channels, grid[1]], 3),
        "swish gate": (swish_gate, flat[:2], 3),
        "clip and choose": (clipped, flat[:2], 3),
    }


def _best(function, repeat: int, inner: int) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(inner):
            function()
        times.append((time.perf_counter() - start) / inner)
    return min(times)


def _measure(name: str, count: int, formula, operands: list, streams: int, repeat: int) -> dict:
    compiled = ms.jit(formula)
    inner = max(1, 3_000_000 // count)
    for _ in range(8):
        compiled(*operands)
    _c_expression.wait_for_code()
    times = {"interpreted": [], "generated": []}
    for _ in range(repeat):  # by turns, so that noise of the machine meets both
        for side in times:
            _c_expression.use_generated_code(side == "generated")
            times[side].append(_best(lambda: compiled(*operands), 3, inner))
    source, target = np.ones(count, np.float32), np.zeros(count, np.float32)
    copy = _best(lambda: np.copyto(target, source), repeat, inner)
    interpreted, generated = min(times["interpreted"]), min(times["generated"])
    return {
        "formula": name,
        "elements": count,
        "interpreted_us": round(interpreted * 1e6, 1),
        "generated_us": round(generated * 1e6, 1),
        "speed_up": round(interpreted / generated, 2),
        "gb_per_s": round(4e-9 * streams * count / generated, 1),
        "copy_gb_per_s_one_thread": round(8e-9 * count / copy, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000, 10_000_000])
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are processors")
    options = parser.parse_args()
    if options.threads > 0:
        _c_expression.set_compute_threads(options.threads)
    for count in options.sizes:
        for name, (formula, operands, streams) in _cases(count).items():
            print(json.dumps(_measure(name, count, formula, operands, streams, options.repeat)), flush=True)
    print(json.dumps(_c_expression.code_generation_status()))


if __name__ == "__main__":
    main()
