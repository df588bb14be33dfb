# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators in every dtype and pair of dtypes: the result's type by the rule in the definition.

The promotion below is written down a second time on purpose.
"""

from __future__ import annotations

import itertools

import numpy as np
import operator_samples as samples
import pytest
from messages import unnamed

from mindspore import _c_expression as _c
from mindspore.ops import _registry

REAL_PARTS = {_c.complex64: _c.float32, _c.complex128: _c.float64}


def promoted(a, b):
    """The common dtype: the wider kind wins, within a kind the wider type.

    Signed and unsigned integers meet as in NumPy, except that beside uint64 they become float32, not float64.
    """
    if a is b:
        return a
    if a in samples.COMPLEX or b in samples.COMPLEX:
        return _c.complex128 if {a, b} & {_c.complex128, _c.float64} else _c.complex64
    floats = {a, b} & set(samples.FLOATS)
    if len(floats) == 1:
        return floats.pop()
    if floats == {_c.float16, _c.bfloat16}:
        return _c.float32
    if floats:
        return max(floats, key=samples.FLOATS.index)
    if _c.uint64 in (a, b) and {a, b} & {_c.int8, _c.int16, _c.int32, _c.int64}:
        return _c.float32
    return samples.TYPES_OF_NUMPY[np.result_type(samples.NUMPY_TYPES[a], samples.NUMPY_TYPES[b]).type]


def by_rule(operator: dict, types: list):
    """The result's dtype as the definition of the operator says it."""
    if operator["result_type"]:
        return operator["result_type"]
    if operator["gives_mask"] or operator["type_rule"] == "compare":
        return _c.bool_
    common = types[0]
    if operator["type_rule"] != "first":
        for other in types[1:]:
            common = promoted(common, other)
    if operator["type_rule"] == "promote to float" and common not in samples.FLOATS + samples.COMPLEX:
        common = _c.float32
    return REAL_PARTS.get(common, common) if operator["real_result"] else common


def combinations(operator: dict) -> list[tuple]:
    """Every dtype for all inputs, and every pair of dtypes for the first two."""
    count = len(operator["inputs"])
    choices = [entry["dtypes"] for entry in operator["inputs"]]
    same = [(dtype,) * count for dtype in choices[0]]
    pairs = itertools.product(*choices[:2], *([dtype] for dtype in [c[0] for c in choices[2:]]))
    return same + (list(pairs) if count == 2 else [])


@pytest.mark.parametrize("name", samples.operators("elementwise"))
def test_results_follow_the_rule(name):
    operator = _registry.describe(name)
    attributes = operator["samples"][0]["attributes"]
    problems = []
    for types in combinations(operator):
        tensors = [
            samples.to_tensor(np.ones(2, samples.NUMPY_TYPES[dtype]), dtype)
            if not entry["mask"]
            else samples.to_tensor(np.ones(2, np.bool_), _c.bool_)
            for dtype, entry in zip(types, operator["inputs"], strict=True)
        ]
        arguments = {**samples.by_name(operator, tensors), **attributes}
        try:
            result = _registry.function(name)(**arguments)
        except (TypeError, NotImplementedError) as error:  # not for this type
            problems += [wrong for wrong in [unnamed(operator, str(error))] if wrong]
            continue
        counted = [d for d, entry in zip(types, operator["inputs"], strict=True) if not entry["mask"]]
        expected = by_rule(operator, counted)
        said = _c.infer_operator(name, **arguments)[0][0]
        if not result.dtype is expected is said:
            problems.append(
                f"{[str(t) for t in types]}: {result.dtype}, inferred {said}, expected {expected}"
            )
    assert not problems, "\n".join(problems)
