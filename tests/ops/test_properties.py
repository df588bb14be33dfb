# SPDX-License-Identifier: Apache-2.0
"""Every operator with arguments nobody chose: any ranks, empty axes, types and attribute values.

A call ends with results that hold together or with an error that names the operator. The examples are
the same in every run.
"""

from __future__ import annotations

import numpy as np
import operator_samples as samples
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import unnamed

from mindspore import _c_expression as _c
from mindspore.ops import _registry

EXAMPLES = 30
LENGTHS = st.sampled_from([0, 1, 1, 2, 2, 3, 4])
SHAPES = st.lists(LENGTHS, max_size=5).map(tuple)
ALLOWED = (TypeError, ValueError, IndexError, RuntimeError, NotImplementedError, MemoryError)
SMALL = st.integers(-4, 6)
NUMBERS = st.one_of(SMALL, st.floats(-3, 3), st.sampled_from([0.0, 0.5, 1e-5, -1.0]))


@st.composite
def tensors(draw, entry: dict, shape: tuple):
    dtype = draw(st.sampled_from(entry["dtypes"]))
    seed = draw(st.integers(0, 3))
    rng = np.random.default_rng(seed)
    kind = {"kind": "mask" if dtype is _c.bool_ else "normal", "shape": shape, "dtype": None}
    if np.issubdtype(samples.NUMPY_TYPES[dtype], np.integer) and seed % 2:
        kind.update(kind="integers", low=0, high=3)
    return samples.to_tensor(samples.make_array(kind, dtype, rng), dtype)


def attribute_values(entry: dict):
    kind = entry["type"]
    if entry["choices"]:
        values = st.sampled_from(entry["choices"])
    elif kind == "bool":
        values = st.booleans()
    elif kind == "int":
        values = SMALL
    elif kind == "float":
        values = st.floats(-2, 3)
    elif kind == "number":
        values = NUMBERS
    elif kind == "mindspore.dtype":
        values = st.sampled_from(list(samples.NUMPY_TYPES))
    elif "float" in kind:
        values = st.lists(st.floats(-2, 3), max_size=5).map(tuple)
    elif "int" in kind:
        values = st.one_of(SMALL, st.lists(SMALL, max_size=5).map(tuple))
    else:
        values = st.sampled_from(["", "same", "valid", "mean", "none"])
    if not entry["required"]:
        values = st.one_of(st.just(entry["default"]), values)
    return values


@st.composite
def arguments(draw, operator: dict):
    """Inputs of shapes that often, but not always, fit each other; attributes near what is usual."""
    base = draw(SHAPES)
    fitting = st.one_of(st.just(base), st.just(base[1:]), st.just(base[:1]), st.just(base[-1:]), SHAPES)
    given_arguments = {}
    for entry in operator["inputs"]:
        if entry["variadic"]:
            count = draw(st.integers(0, 3))
            given_arguments[entry["name"]] = [draw(tensors(entry, draw(fitting))) for _ in range(count)]
        elif entry["optional"] and draw(st.booleans()):
            given_arguments[entry["name"]] = None
        elif draw(st.integers(0, 9)) == 0:
            given_arguments[entry["name"]] = draw(NUMBERS)
        else:
            given_arguments[entry["name"]] = draw(tensors(entry, draw(fitting)))
    for entry in operator["attributes"]:
        if entry["required"] or draw(st.booleans()):
            given_arguments[entry["name"]] = draw(attribute_values(entry))
    return given_arguments


def check_result(result) -> None:
    """Shape, type and memory of a result agree."""
    assert result.size == int(np.prod(result.shape, dtype=np.int64))
    assert result.nbytes == result.size * result.itemsize
    array = result.asnumpy()
    assert array.shape == tuple(result.shape)
    assert array.dtype == samples.NUMPY_TYPES[result.dtype]


def check_inference(operator: dict, call: dict, results: tuple) -> None:
    """Inference said what came."""
    said = _c.infer_operator(operator["name"], **call)
    assert len(said) == len(results)
    for (dtype, shape), result in zip(said, results, strict=True):
        assert dtype is result.dtype
        if operator["dynamic"]:
            assert len(shape) == result.ndim
        else:
            assert shape == tuple(result.shape)


@pytest.mark.parametrize("name", samples.NAMES)
def test_call_ends_well(name):
    operator = _registry.describe(name)
    function = _registry.function(name)

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(arguments(operator))
    def run(call):
        try:
            results = function(**call)
        except ALLOWED as error:
            wrong = unnamed(operator, str(error))
            assert not wrong, wrong
            return
        results = results if isinstance(results, tuple) else (results,)
        check_inference(operator, call, results)
        for result in results:
            check_result(result)

    run()
