# SPDX-License-Identifier: Apache-2.0
"""Gradients beside central differences, in float64."""

from __future__ import annotations

import zlib

import numpy as np
from operator_samples import GRADIENT, Case, Tolerance, to_tensor

import mindspore
from mindspore import _c_expression as _c

STEP = 6e-6  # near the cube root of the precision of float64
PROBES = 24  # elements looked at in each input
SECOND = Tolerance(1e-5, 1e-6)


def pull_back(function, inputs: list, seeds: list) -> list:
    """Gradients of `inputs` of what the function gives, for these gradients of its results."""

    def weighted(*tensors):
        results = function(list(tensors))
        return tuple(results[i] * seed for i, seed in seeds)

    found = mindspore.grad(weighted, tuple(range(len(inputs))))(*inputs)
    return list(found) if isinstance(found, tuple) else [found]


def _inputs_of_interest(case: Case) -> list[int]:
    return [
        i
        for i, array in enumerate(case.arrays)
        if isinstance(array, np.ndarray) and array.dtype == np.float64 and np.all(np.isfinite(array))
    ]


def _smooth_outputs(results: tuple) -> list[int]:
    return [i for i, result in enumerate(results) if result.dtype is _c.float64]


def _finite(result) -> np.ndarray:
    """The values in a row, without those that stand for "nothing there" (the maximum of no elements)."""
    values = result.asnumpy().reshape(-1)
    return np.where(np.abs(values) > 1e100, 0, values)


def _probes(array: np.ndarray, rng: np.random.Generator) -> list[int]:
    count = array.size
    return (
        list(range(count)) if count <= PROBES else sorted(rng.choice(count, PROBES, replace=False).tolist())
    )


class Difference:
    """Slope of a function of one element, and whether there is one."""

    def __init__(self, function, array: np.ndarray, element: int) -> None:
        middle = function(array)
        right, left = self._sides(function, array, element, STEP)
        self.slope = float(np.sum(right - left) / (2 * STEP))
        bend = float(np.sum(right - middle) - np.sum(middle - left)) / STEP
        near, far = self._sides(function, array, element, STEP / 2)
        again = float(np.sum(near - far) / STEP)
        allowed = 1e-3 * (1 + abs(self.slope))
        self.is_smooth = (
            np.isfinite(self.slope) and abs(bend) <= allowed and abs(again - self.slope) <= allowed
        )
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


def _disagrees(gradient: float, difference: Difference, allowed: Tolerance) -> bool:
    bound = allowed.absolute + allowed.relative * abs(difference.slope) + difference.noise
    return difference.is_smooth and not abs(gradient - difference.slope) <= bound


def check_first(case: Case) -> list[str]:
    """Problems of the gradient of one sample."""
    chosen = _inputs_of_interest(case)
    results = case.call(case.tensors())
    outputs = _smooth_outputs(results)
    if not chosen or not outputs:
        return []
    rng = np.random.default_rng(zlib.crc32(case.label.encode()))
    weights = [rng.uniform(0.5, 1.5, results[i].shape) for i in outputs]

    def run(tensors: list, replaced: dict | None = None) -> tuple:
        fresh = case.tensors()
        for i, tensor in (replaced or dict(zip(chosen, tensors, strict=True))).items():
            fresh[i] = tensor
        return case.call(fresh)

    seeds = [(i, to_tensor(w, _c.float64)) for i, w in zip(outputs, weights, strict=True)]
    plain = case.tensors()
    found = pull_back(run, [plain[i] for i in chosen], seeds)
    problems = []
    for input_index, gradient in zip(chosen, found, strict=True):
        array = case.arrays[input_index]
        values = np.zeros(array.shape) if gradient is None else gradient.asnumpy()
        if values.shape != array.shape:
            problems.append(
                f"{case.label}: gradient {input_index} has shape {values.shape}, not {array.shape}"
            )
            continue

        def weighted(moved: np.ndarray, input_index=input_index) -> np.ndarray:
            got = run([], {input_index: to_tensor(moved, _c.float64)})
            parts = [_finite(got[i]) * w.reshape(-1) for i, w in zip(outputs, weights, strict=True)]
            return np.concatenate(parts)

        for element in _probes(array, rng):
            difference = Difference(weighted, array, element)
            if _disagrees(values.reshape(-1)[element], difference, GRADIENT):
                problems.append(
                    f"{case.label}: gradient of input {input_index} at element {element} is "
                    f"{values.reshape(-1)[element]!r}, differences say {difference.slope!r}"
                )
                break
    return problems


def check_second(case: Case) -> list[str]:
    """Problems of the gradient of the gradient of one sample."""
    chosen = _inputs_of_interest(case)
    results = case.call(case.tensors())
    outputs = _smooth_outputs(results)
    if not chosen or not outputs:
        return []
    rng = np.random.default_rng(zlib.crc32(case.label.encode()))
    seeds = [(i, to_tensor(rng.uniform(0.5, 1.5, results[i].shape), _c.float64)) for i in outputs]

    def run(tensors: list) -> tuple:
        fresh = case.tensors()
        for i, tensor in zip(chosen, tensors, strict=True):
            fresh[i] = tensor
        return case.call(fresh)

    def first(tensors: list) -> tuple:
        return tuple(pull_back(run, tensors, seeds))

    plain = [case.tensors()[i] for i in chosen]
    gradient = first(plain)
    present = [i for i, part in enumerate(gradient) if part is not None]
    if not present:
        return []
    weights = [rng.uniform(0.5, 1.5, gradient[i].shape) for i in present]
    second_seeds = [(i, to_tensor(w, _c.float64)) for i, w in zip(present, weights, strict=True)]
    found = pull_back(first, plain, second_seeds)
    problems = []
    for position, (input_index, second) in enumerate(zip(chosen, found, strict=True)):
        array = case.arrays[input_index]
        values = np.zeros(array.shape) if second is None else second.asnumpy()

        def weighted(moved: np.ndarray, position=position) -> np.ndarray:
            tensors = list(plain)
            tensors[position] = to_tensor(moved, _c.float64)
            got = first(tensors)
            return np.concatenate(
                [_finite(got[i]) * w.reshape(-1) for i, w in zip(present, weights, strict=True)]
            )

        for element in _probes(array, rng)[:8]:
            difference = Difference(weighted, array, element)
            if _disagrees(values.reshape(-1)[element], difference, SECOND):
                problems.append(
                    f"{case.label}: second gradient of input {input_index} at element {element} is "
                    f"{values.reshape(-1)[element]!r}, differences say {difference.slope!r}"
                )
                break
    return problems
