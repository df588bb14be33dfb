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
from allowances import NO_SLOPE, NOTHING_TO_PROBE, OTHER_WORDS, RESULT_TYPES
from messages import unnamed

from mindspore import _c_expression as _c
from mindspore.ops import _registry

PLUGIN = "libmindspore_backend_simulated.so"


def every(*properties: str):
    """Parametrises a test with the operators that have the properties."""
    return pytest.mark.parametrize("name", samples.operators(*properties))


def report(problems: list[str]) -> None:
    assert not problems, "\n" + "\n".join(problems)


# ---- the tables --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "result"), RESULT_TYPES)
def test_exception_of_a_type_is_needed(name, result):
    different = []
    for case in samples.cases(name):
        results = case.call(case.tensors())
        count = len(results)
        different.append(case.usual_types(count)[result] is not case.expected_types(count)[result])
    assert any(different)


def test_tables_name_what_exists():
    known = {
        f"{name}/{sample['name']}" for name in samples.NAMES for sample in _registry.describe(name)["samples"]
    }
    listed = {key.removesuffix("/second") for key in NO_SLOPE}
    assert listed <= known
    assert NOTHING_TO_PROBE.keys() <= set(samples.operators("differentiable"))
    assert OTHER_WORDS.keys() <= set(samples.NAMES)


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


def wrong_types(case, results) -> list[str]:
    """Results of another dtype than the definition, NumPy or the table of exceptions gives them."""
    expected = case.expected_types(len(results))
    return [
        f"{case.label}: result {i} is {got.dtype}, expected {wanted}"
        for i, (got, wanted) in enumerate(zip(results, expected, strict=True))
        if got.dtype is not wanted
    ]


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
def test_result_types(name):
    report(
        [problem for case in samples.cases(name) for problem in wrong_types(case, case.call(case.tensors()))]
    )


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


def wrong_inference(case, tensors, results) -> list[str]:
    """Where the operator's inference differs from what came; lengths may be open where values decide."""
    said = case.inferred(tensors)
    came = [(result.dtype, tuple(result.shape)) for result in results]
    if case.operator["dynamic"]:
        said, came = ([(dtype, len(shape)) for dtype, shape in specs] for specs in (said, came))
    return [] if said == came else [f"{case.label}: inference says {said}, but {came} came"]


@every()
def test_inference_says_what_comes(name):
    problems = []
    for case in samples.cases(name):
        problems += wrong_inference(case, case.tensors(), case.call(case.tensors()))
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
        results = case.call(strided)
        problems += wrong_inference(case, strided, results)
        problems += compare(case, results, [result.asnumpy() for result in plain])
    report(problems)


# ---- odd shapes --------------------------------------------------------------------------------

CLEAN = (TypeError, ValueError, IndexError, RuntimeError, NotImplementedError)


def attempt(case) -> list[str]:
    """Runs a case that need not be valid: a result like NumPy's or an error that says why."""
    try:
        results = case.call(case.tensors())
    except CLEAN as error:
        wrong = unnamed(case.operator, str(error))
        return [f"{case.label}: {wrong}"] if wrong else []
    problems = wrong_inference(case, case.tensors(), results)
    if case.operator["random"]:
        return problems
    try:
        expected = case.expected()
        types = wrong_types(case, results)
    except Exception as error:
        shapes = [a.shape if isinstance(a, np.ndarray) else a for a in case.arrays]
        return [*problems, f"{case.label}: a result for {shapes}, but of the reference only {error!r}"]
    return problems + types + (compare(case, results, expected) if expected is not None else [])


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
            problems += wrong_inference(case, case.tensors(), results)
            if expected is not None:
                problems += compare(case, results, expected)
            else:
                arrays = [a for a in case.arrays if isinstance(a, np.ndarray)]
                assert results[0].shape == np.broadcast_shapes(*(a.shape for a in arrays)), case.label
    report(problems)


# ---- gradients ---------------------------------------------------------------------------------


@every("differentiable")
def test_gradients(name):
    problems, probed = [], 0
    for case in samples.cases(name, dtypes=[_c.float64, _c.complex128]):
        found = gradients.check_first(case)
        problems += found.problems
        probed += found.probed
    listed = name in NOTHING_TO_PROBE
    if not problems and listed != (probed == 0):
        problems.append(f"{probed} elements probed, but {'listed' if listed else 'not listed'} as unprobed")
    report(problems)


def complex_cases(name) -> list:
    """Samples in complex128 of an operator that takes it and does not say so in its samples."""
    operator = _registry.describe(name)
    inputs = operator["inputs"]
    if not inputs or _c.complex128 not in inputs[0]["dtypes"]:
        return []
    if _c.complex128 in samples.sample_dtypes(operator):
        return []  # test_gradients has them
    return samples.cases(name, forced=[_c.complex128])


@every("differentiable")
def test_gradients_of_complex_numbers(name):
    """They are right, or refused."""
    problems = []
    for case in complex_cases(name):
        try:
            case.call(case.tensors())
        except CLEAN:
            continue  # no kernel for complex numbers
        try:
            problems += gradients.check_first(case).problems
        except TypeError as error:  # of the operator, or of the part of it that has none
            if not str(error).startswith("For '"):
                problems.append(f"{case.label}: {error}")
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
        problems += gradients.check_second(case).problems
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
