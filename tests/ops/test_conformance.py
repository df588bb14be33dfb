# SPDX-License-Identifier: Apache-2.0
"""Every operator against NumPy, from the samples in its definition.

Nothing here names an operator: a new one is tested from the day it is registered.
"""

from __future__ import annotations

import itertools

import gradients
import numpy as np
import operator_samples as samples
import pytest

from mindspore import _c_expression as _c
from mindspore.ops import _registry

PLUGIN = "libmindspore_backend_simulated.so"


def every(*properties: str):
    """Parametrises a test with the operators that have the properties."""
    return pytest.mark.parametrize("name", samples.operators(*properties))


def report(problems: list[str]) -> None:
    assert not problems, "\n" + "\n".join(problems)


# ---- the definitions ---------------------------------------------------------------------------


def test_every_operator_has_a_sample():
    report([name for name in samples.NAMES if not _registry.describe(name)["samples"]])


def test_definitions_are_complete():
    _c.check_definitions()  # lists operators without a gradient decision, inference or output


@every()
def test_sample_fits_the_schema(name):
    operator = _registry.describe(name)
    attributes = {entry["name"] for entry in operator["attributes"]}
    required = {entry["name"] for entry in operator["attributes"] if entry["required"]}
    for sample in operator["samples"]:
        given = set(sample["attributes"])
        assert given <= attributes and required <= given, sample["name"]
        assert len({s["name"] for s in operator["samples"]}) == len(operator["samples"])


# ---- values ------------------------------------------------------------------------------------


def compare(case, results, expected) -> list[str]:
    if len(results) != len(expected):
        return [f"{case.label}: {len(results)} results, expected {len(expected)}"]
    problems = []
    for i, (got, wanted) in enumerate(zip(results, expected, strict=True)):
        wrong = samples.differs(got, wanted, samples.tolerance(case.operator, got.dtype))
        if wrong:
            problems.append(f"{case.label}: result {i}: {wrong}")
    return problems


@every()
def test_values(name):
    if _registry.describe(name)["random"]:
        pytest.skip("random: see test_random_results_follow_the_seed")
    problems = []
    for case in samples.cases(name):
        results = case.call(case.tensors())
        expected = case.expected()
        wrong = compare(case, results, expected) if expected is not None else []
        if wrong:  # some formulas depend on the limits of the type itself
            wrong = compare(case, results, case.expected(widened=False)) and wrong
        problems += wrong
    report(problems)


def bits(tensors) -> list:
    return [(str(t.dtype), t.shape, np.ascontiguousarray(t.asnumpy()).tobytes()) for t in tensors]


@every()
def test_repeated_calls_agree(name):
    if _registry.describe(name)["random"]:
        pytest.skip("random")
    for case in samples.cases(name, dtypes=[_c.float32, _c.int32]):
        assert bits(case.call(case.tensors())) == bits(case.call(case.tensors())), case.label


def transposed(tensor):
    """The same elements, stored in the opposite order of axes."""
    perm = tuple(range(tensor.ndim))[::-1]
    transpose = _registry.function("transpose")
    return transpose(_registry.function("copy")(transpose(tensor, perm)), perm)


def spread(tensor):
    """The same elements, each axis with gaps, and not at the beginning of the storage."""
    array = tensor.asnumpy()
    wide = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    inside = tuple(slice(1, 2 * n + 1, 2) for n in array.shape)
    wide[inside] = array
    return samples.to_tensor(wide, tensor.dtype)[inside]


@pytest.mark.parametrize("layout", [transposed, spread], ids=["transposed", "spread"])
@every()
def test_strided_inputs(name, layout):
    operator = _registry.describe(name)
    if operator["random"]:
        pytest.skip("random")
    problems = []
    for case in samples.cases(name, dtypes=[_c.float32, _c.int32, _c.bool_, _c.complex64]):
        plain = case.call(case.tensors())
        strided = [
            layout(tensor) if isinstance(tensor, _c.Tensor) and tensor.ndim > 0 else tensor
            for tensor in case.tensors()
        ]
        problems += compare(case, case.call(strided), [result.asnumpy() for result in plain])
    report(problems)


# ---- odd shapes --------------------------------------------------------------------------------

CLEAN = (TypeError, ValueError, IndexError, RuntimeError, NotImplementedError)


def attempt(case) -> list[str]:
    """Runs a case that need not be valid: a result like NumPy's or an error that says why."""
    try:
        results = case.call(case.tensors())
    except CLEAN as error:
        return [] if str(error).startswith(("For '", "For primitive[")) else [f"{case.label}: {error}"]
    try:
        expected = case.expected()
    except Exception:  # NumPy cannot, or the formula is made for the sample's own shape
        return []
    if expected is None or case.operator["random"]:
        return []
    if all(got.shape == () for got in results):  # NumPy sometimes adds an axis to have one
        expected = [wanted.reshape(()) if wanted.shape == (1,) else wanted for wanted in expected]
    return compare(case, results, expected)


@every()
def test_empty_inputs(name):
    problems = []
    lengths = {
        n for s in _registry.describe(name)["samples"] for entry in s["inputs"] for n in entry["shape"]
    }
    for length in sorted(lengths):

        def emptied(entry, length=length):
            return tuple(0 if n == length else n for n in entry["shape"])

        for case in samples.cases(name, dtypes=[_c.float32, _c.int32], shapes=emptied, values=False):
            problems += attempt(case)
    report(problems)


@every()
def test_inputs_without_axes(name):
    problems = []
    for case in samples.cases(name, dtypes=[_c.float32, _c.int32], shapes=lambda _: (), values=False):
        problems += attempt(case)
    report(problems)


SHAPES = [((2, 1, 3), (4, 1)), ((), (2, 3)), ((3,), (2, 1)), ((0, 3), (1, 1)), ((1, 1, 1), (5,))]


@every("elementwise")
def test_elementwise_inputs_are_stretched(name):
    operator = _registry.describe(name)
    if len(operator["inputs"]) < 2:
        pytest.skip("one input")
    problems = []
    for pair in SHAPES:
        turn = itertools.cycle(pair)

        def next_shape(_, turn=turn):
            return next(turn)

        for case in samples.cases(name, dtypes=[_c.float32], shapes=next_shape, values=False)[:1]:
            expected = case.expected()
            results = case.call(case.tensors())
            if expected is not None:
                problems += compare(case, results, expected)
            else:
                arrays = [a for a in case.arrays if isinstance(a, np.ndarray)]
                assert results[0].shape == np.broadcast_shapes(*(a.shape for a in arrays)), case.label
    report(problems)


# ---- gradients ---------------------------------------------------------------------------------


@every("differentiable")
def test_gradients(name):
    problems = []
    for case in samples.cases(name, dtypes=[_c.float64]):
        problems += gradients.check_first(case)
    report(problems)


SECOND = {
    "matmul",
    "batch_matmul",
    "dense",
    "conv2d",
    "softmax",
    "layer_norm",
    "reduce_mean",
    "reduce_prod",
    "lstm_scan",
    "gru_scan",
    "simple_scan",
}


@pytest.mark.parametrize(
    "name",
    [n for n in samples.operators("differentiable") if n in SECOND or _registry.describe(n)["elementwise"]],
)
def test_second_gradients(name):
    problems = []
    for case in samples.cases(name, dtypes=[_c.float64])[:2]:
        problems += gradients.check_second(case)
    report(problems)


# ---- random operators --------------------------------------------------------------------------


@every("random")
def test_random_results_follow_the_seed(name):
    for case in samples.cases(name, dtypes=[_c.float32, _c.int32]):
        _c.set_global_seed(11)
        first, second = bits(case.call(case.tensors())), bits(case.call(case.tensors()))
        _c.set_global_seed(11)
        assert bits(case.call(case.tensors())) == first, f"{case.label}: the same seed, another result"
        assert bits(case.call(case.tensors())) == second, f"{case.label}: the second call is not repeated"
        _c.set_global_seed(12)
        other = bits(case.call(case.tensors()))
        if sum(len(content) for _, _, content in first) >= 64:
            assert first != second, f"{case.label}: the generator does not move on"
            assert first != other, f"{case.label}: the seed has no influence"


# ---- other devices -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def other_device():
    try:
        _c.load_plugin(PLUGIN)
    except RuntimeError as error:
        pytest.skip(f"no second device: {error}")
    return "Simulated"


@every()
def test_other_device_agrees_with_the_host(name, other_device):
    if _registry.describe(name)["random"]:
        pytest.skip("random")
    for case in samples.cases(name, dtypes=[_c.float32, _c.int32]):
        on_device = [
            _c.copy_to_device(tensor, other_device) if isinstance(tensor, _c.Tensor) else tensor
            for tensor in case.tensors()
        ]
        if not any(isinstance(tensor, _c.Tensor) for tensor in on_device):
            continue
        assert bits(case.call(on_device)) == bits(case.call(case.tensors())), case.label
