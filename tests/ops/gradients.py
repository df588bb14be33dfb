# SPDX-License-Identifier: Apache-2.0
"""Gradients beside central differences, in float64.

Where a function bends or jumps, the gradient is compared with the slopes of its two sides; an element that
has no slope on either side is left out, and `allowances.NO_SLOPE` says how many of them a sample has.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import numpy as np
from allowances import NO_SLOPE
from operator_samples import GRADIENT, Case, Tolerance, to_tensor

import mindspore
from mindspore import _c_expression as _c
from mindspore.ops import _registry

STEP = 6e-6  # near the cube root of the precision of float64
PROBES = 24  # elements looked at in each input
SECOND = Tolerance(1e-5, 1e-6)
SIDES = 1e-3  # what slopes of two steps may differ, and a gradient from the slope of a side


@dataclass
class Findings:
    """What came of the probes of one sample."""

    problems: list[str] = field(default_factory=list)
    probed: int = 0
    without_slope: int = 0


def pull_back(function, inputs: list, seeds: list) -> list:
    """Gradients of `inputs` of what the function gives, for these gradients of its results."""

    def weighted(*tensors):
        results = function(list(tensors))
        return tuple(results[i] * seed for i, seed in seeds)

    found = mindspore.grad(weighted, tuple(range(len(inputs))))(*inputs)
    return list(found) if isinstance(found, tuple) else [found]


class RealCase:
    """A case as a function of real arrays: a complex input or result counts as two."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.arrays, self._places = [], []
        for i, array in enumerate(case.arrays):
            kind = array.dtype.type if isinstance(array, np.ndarray) else None
            parts = {np.float64: [array], np.complex128: [np.real(array), np.imag(array)]}.get(kind, [])
            self.arrays += [np.array(part) for part in parts]
            self._places += [i] * len(parts)

    def tensors(self) -> list:
        return [to_tensor(array, _c.float64) for array in self.arrays]

    def __call__(self, tensors: list) -> tuple:
        if self.case.operator["random"] or self.case.operator["composite"]:
            _c.set_global_seed(11)  # the same draw for every probe
        inputs = self.case.tensors()
        for place in set(self._places):
            parts = [t for t, at in zip(tensors, self._places, strict=True) if at == place]
            inputs[place] = parts[0] if len(parts) == 1 else _registry.function("complex")(*parts)
        results = []
        for result in self.case.call(inputs):
            if result.dtype is _c.float64:
                results.append(result)
            elif result.dtype is _c.complex128:
                results += [_registry.function("real")(result), _registry.function("imag")(result)]
        return tuple(results)


def _finite(result) -> np.ndarray:
    """The values in a row, without those that stand for "nothing there" (the maximum of no elements)."""
    values = result.asnumpy().reshape(-1)
    return np.where(np.abs(values) <= 1e100, values, 0)


def _probes(array: np.ndarray, rng: np.random.Generator, most: int) -> list[int]:
    finite = np.flatnonzero(np.isfinite(array))
    return sorted(rng.permutation(finite)[:most].tolist())


class Difference:
    """Slope of a function of one element: of its two sides, and of both together if there is one."""

    def __init__(self, function, array: np.ndarray, element: int) -> None:
        middle = function(array)
        right, left = self._sides(function, array, element, STEP)
        near_right, near_left = self._sides(function, array, element, STEP / 2)
        self.slope = float(np.sum(right - left) / (2 * STEP))
        again = float(np.sum(near_right - near_left) / STEP)
        to_right = float(np.sum(right - middle)) / STEP
        to_left = float(np.sum(middle - left)) / STEP
        allowed = SIDES * (1 + abs(self.slope))
        self.is_smooth = (
            np.isfinite(self.slope)
            and abs(to_right - to_left) <= allowed
            and abs(again - self.slope) <= allowed
        )
        sides = [
            (to_right, float(np.sum(near_right - middle)) / (STEP / 2)),
            (to_left, float(np.sum(middle - near_left)) / (STEP / 2)),
        ]
        self.sides = [one for one, other in sides if abs(one - other) <= SIDES * (1 + abs(one))]
        # Cancellation leaves this much of the slope unknown.
        largest = float(np.max(np.abs([right, left]), initial=0, where=np.isfinite([right, left])))
        self.noise = 8 * np.finfo(np.float64).eps * largest * max(1, np.sqrt(middle.size)) / STEP

    @staticmethod
    def _sides(function, array: np.ndarray, element: int, step: float) -> list[np.ndarray]:
        sides = []
        for sign in (1, -1):
            moved = array.copy()
            moved.reshape(-1)[element] += sign * step
            sides.append(function(moved))
        return sides

    @property
    def has_slope(self) -> bool:
        return self.is_smooth or bool(self.sides)

    def allows(self, gradient: float, allowed: Tolerance) -> bool:
        """Whether this can be the gradient: the slope, or at a bend something between those of the sides."""
        if self.is_smooth:
            bound = allowed.absolute + allowed.relative * abs(self.slope) + self.noise
            return abs(gradient - self.slope) <= bound
        low, high = min(self.sides), max(self.sides)
        return low - SIDES * (1 + abs(low)) <= gradient <= high + SIDES * (1 + abs(high))

    def __str__(self) -> str:
        return repr(self.slope) if self.is_smooth else f"{self.sides} on the sides"


def _compare(function, arrays: list, gradients: list, rng, allowed: Tolerance, most: int) -> Findings:
    """Probes a function from lists of arrays to a row of numbers."""
    found = Findings()
    for position, (array, gradient) in enumerate(zip(arrays, gradients, strict=True)):
        values = np.zeros(array.shape) if gradient is None else gradient.asnumpy()
        if values.shape != array.shape:
            found.problems.append(f"gradient {position} has shape {values.shape}, not {array.shape}")
            continue

        def of_one(moved: np.ndarray, position=position) -> np.ndarray:
            return function([moved if i == position else other for i, other in enumerate(arrays)])

        for element in _probes(array, rng, most):
            difference = Difference(of_one, array, element)
            if not difference.has_slope:
                found.without_slope += 1
                continue
            found.probed += 1
            got = float(values.reshape(-1)[element])
            if not difference.allows(got, allowed):
                found.problems.append(
                    f"gradient of input {position} at element {element} is {got!r}, "
                    f"differences say {difference}"
                )
                break
    return found


def _weights(results, rng) -> list:
    return [rng.uniform(0.5, 1.5, tuple(result.shape)) for result in results]


def _row(results, weights) -> np.ndarray:
    parts = [_finite(r) * w.reshape(-1) for r, w in zip(results, weights, strict=True) if r is not None]
    return np.concatenate(parts) if parts else np.zeros(0)


def _labelled(case: Case, found: Findings, most_without: int) -> Findings:
    found.problems = [f"{case.label}: {problem}" for problem in found.problems]
    if not found.problems and found.without_slope != most_without:
        found.problems.append(
            f"{case.label}: {found.without_slope} elements have no slope, {most_without} are listed"
        )
    return found


def check_first(case: Case) -> Findings:
    """The gradient of one sample."""
    function = RealCase(case)
    results = function(function.tensors())
    if not function.arrays or not results:
        return Findings()
    rng = np.random.default_rng(zlib.crc32(case.label.encode()))
    weights = _weights(results, rng)
    seeds = [(i, to_tensor(w, _c.float64)) for i, w in enumerate(weights)]
    found = pull_back(function, function.tensors(), seeds)

    def weighted(arrays: list) -> np.ndarray:
        return _row(function([to_tensor(array, _c.float64) for array in arrays]), weights)

    listed, _ = NO_SLOPE.get(f"{case.operator['name']}/{case.sample['name']}", (0, ""))
    listed *= 2 if case.dtype is _c.complex128 else 1
    return _labelled(case, _compare(weighted, function.arrays, found, rng, GRADIENT, PROBES), listed)


def check_second(case: Case) -> Findings:
    """The gradient of the gradient of one sample."""
    function = RealCase(case)
    results = function(function.tensors())
    if not function.arrays or not results:
        return Findings()
    rng = np.random.default_rng(zlib.crc32(case.label.encode()))
    seeds = [(i, to_tensor(w, _c.float64)) for i, w in enumerate(_weights(results, rng))]

    def first(tensors: list) -> list:
        return [part for part in pull_back(function, tensors, seeds) if part is not None]

    gradient = first(function.tensors())
    if not gradient:
        return Findings()
    weights = _weights(gradient, rng)
    second_seeds = [(i, to_tensor(w, _c.float64)) for i, w in enumerate(weights)]
    found = pull_back(first, function.tensors(), second_seeds)

    def weighted(arrays: list) -> np.ndarray:
        return _row(first([to_tensor(array, _c.float64) for array in arrays]), weights)

    listed, _ = NO_SLOPE.get(f"{case.operator['name']}/{case.sample['name']}/second", (0, ""))
    return _labelled(case, _compare(weighted, function.arrays, found, rng, SECOND, 8), listed)
