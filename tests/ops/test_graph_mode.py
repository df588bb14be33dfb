# SPDX-License-Identifier: Apache-2.0
"""Every operator sample in Graph mode beside PyNative: results, gradients, random numbers."""

from __future__ import annotations

import gradients
import numpy as np
import operator_samples as samples
import pytest

import mindspore
from mindspore import _c_expression as _c

CALLS = 2  # the first captures, the second replays


def every(*properties: str):
    return pytest.mark.parametrize("name", samples.operators(*properties))


def differences(case, got, wanted, relative: float) -> list[str]:
    if len(got) != len(wanted):
        return [f"{case.label}: {len(got)} results, PyNative gives {len(wanted)}"]
    problems = []
    for i, (ours, expected) in enumerate(zip(got, wanted, strict=True)):
        if (ours.dtype, ours.shape) != (expected.dtype, expected.shape):
            problems.append(
                f"{case.label}: result {i} is {ours.dtype}{ours.shape}, PyNative gives "
                f"{expected.dtype}{expected.shape}"
            )
            continue
        a, b = ours.asnumpy(), expected.asnumpy()
        if not np.allclose(a, b, rtol=relative, atol=1e-6, equal_nan=True):
            problems.append(f"{case.label}: result {i} is {a.ravel()[:4]}, PyNative gives {b.ravel()[:4]}")
    return problems


def fallbacks(case, compiled) -> list[str]:
    """Eager execution would agree with itself: what is compared must have been replayed."""
    entries = compiled._captured.report()
    refusals = [entry["refusal"] for entry in entries if entry["refusal"]]
    replayed = sum(entry["runs"] for entry in entries) >= CALLS - 1
    return [] if replayed and not refusals else [f"{case.label}: not replayed: {refusals}"]


def splits(values: list) -> tuple[list[int], list]:
    """Where the tensors are."""
    places = [i for i, value in enumerate(values) if isinstance(value, _c.Tensor)]
    return places, [values[i] for i in places]


@every()
def test_results(name):
    problems = []
    for case in samples.cases(name):
        places, tensors = splits(case.tensors())

        def run(*given, case=case, places=places):
            values = case.tensors()
            for place, tensor in zip(places, given, strict=True):
                values[place] = tensor
            return tuple(case.call(values))

        compiled = mindspore.jit(run)
        for _ in range(CALLS):
            _c.set_global_seed(5)
            wanted = run(*[tensor.copy() for tensor in tensors])
            _c.set_global_seed(5)
            got = compiled(*[tensor.copy() for tensor in tensors])
            problems += differences(case, got, wanted, 1e-5)
        problems += fallbacks(case, compiled)
    assert not problems, "\n" + "\n".join(problems)


@every("differentiable")
def test_gradients(name):
    problems = []
    for case in samples.cases(name, dtypes=[_c.float32]):
        chosen = [
            i
            for i, tensor in enumerate(case.tensors())
            if isinstance(tensor, _c.Tensor) and tensor.ndim >= 0 and tensor.dtype is _c.float32
        ]
        results = case.call(case.tensors())
        outputs = [i for i, result in enumerate(results) if result.dtype is _c.float32]
        if not chosen or not outputs:
            continue
        rng = np.random.default_rng(3)
        seeds = [
            (i, samples.to_tensor(rng.uniform(0.5, 1.5, results[i].shape).astype(np.float32), _c.float32))
            for i in outputs
        ]

        def run(*given, case=case, chosen=chosen, seeds=seeds):
            def inner(given_now):
                values = case.tensors()
                for place, tensor in zip(chosen, given_now, strict=True):
                    values[place] = tensor
                return case.call(values)

            return tuple(gradients.pull_back(inner, list(given), seeds))

        tensors = [case.tensors()[i] for i in chosen]
        compiled = mindspore.jit(run)
        for _ in range(CALLS):
            _c.set_global_seed(5)
            wanted = run(*tensors)
            _c.set_global_seed(5)
            got = compiled(*tensors)
            present = [i for i, gradient in enumerate(wanted) if gradient is not None]
            problems += differences(case, [got[i] for i in present], [wanted[i] for i in present], 1e-4)
        problems += fallbacks(case, compiled)
    assert not problems, "\n" + "\n".join(problems)
