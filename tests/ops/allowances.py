# SPDX-License-Identifier: Apache-2.0
"""What the conformance tests do not ask of an operator, and why.

The tests themselves name no operator; whatever does not hold for all of them stands here, one by one.
An entry that is not needed any more makes a test fail, so the tables only get shorter.
"""

from __future__ import annotations

from mindspore import _c_expression as _c

# ---- messages ----------------------------------------------------------------------------------

# Another beginning than "For '<operator>'", where MindSpore's users know the text by heart.
OTHER_WORDS = {
    "matmul": "For 'MatMul' the input dimensions must be equal",  # ops.matmul shares the primitive's text
}

# ---- dtypes of results -------------------------------------------------------------------------


def _first(case):
    """The dtype of the first tensor."""
    return case.input_types()[0]


def _at_least_float32(case):
    return _c.float64 if _first(case) is _c.float64 else _c.float32


def _float_of_integers(case):
    return _first(case) if _first(case) in (_c.float16, _c.bfloat16, _c.float32, _c.float64) else _c.float32


def _attribute(name):
    return lambda case: case.attribute(name)


_INDEX = "positions are int32 in MindSpore, int64 in NumPy"
_HALF = "statistics and losses of half precision are kept in float32"
_DEFAULT = "a Python float has no dtype of its own: float32 here, float64 in NumPy"
_RANDOM = "made from numbers alone, or by a generator that draws this type"

# (operator, result) -> dtype or rule, reason. All other results have the dtype that NumPy gives the formula;
# without a formula, that of the first tensor.
RESULT_TYPES = {
    ("argmax", 0): (_c.int32, _INDEX),
    ("argmin", 0): (_c.int32, _INDEX),
    ("argsort", 0): (_c.int32, _INDEX),
    ("sort", 1): (_c.int32, _INDEX),
    ("topk", 1): (_c.int32, _INDEX),
    ("top_k", 1): (_c.int32, _INDEX),
    ("max_pool2d", 1): (_c.int32, _INDEX),
    ("cummin", 1): (_c.int32, _INDEX),
    ("argmin_over", 0): (_c.int32, _INDEX),
    ("argmax_over", 0): (_c.int64, "positions; this function alone gives int64 in MindSpore"),
    ("cummax", 1): (_c.int64, "positions; this function alone gives int64 in MindSpore"),
    ("unique", 1): (lambda case: _c.int64 if _first(case) is _c.int64 else _c.int32, _INDEX),
    ("count_nonzero", 0): (_c.int32, "a count; int32 unless another type is asked for"),
    ("multinomial", 0): (_c.int32, "numbers of classes"),
    ("multinomial_primitive", 0): (_c.int32, "numbers of classes"),
    ("random_categorical", 0): (_attribute("dtype"), "numbers of classes in the type asked for"),
    ("randperm", 0): (_attribute("dtype"), "the type asked for"),
    ("batch_norm_training", 1): (_at_least_float32, _HALF),
    ("batch_norm_training", 2): (_at_least_float32, _HALF),
    ("layer_norm", 1): (_at_least_float32, _HALF),
    ("layer_norm", 2): (_at_least_float32, _HALF),
    ("sparse_cross_entropy", 0): (_at_least_float32, _HALF),
    ("sparse_cross_entropy", 1): (_at_least_float32, _HALF),
    ("arange", 0): (
        lambda case: _c.float32 if case.sample["name"] == "floats" else _c.int64,
        _DEFAULT,
    ),
    ("eye", 0): (_c.float32, _DEFAULT),
    ("one_hot", 0): (
        lambda case: _c.int64 if case.arrays[1] is None or isinstance(case.arrays[1], int) else _c.float32,
        _DEFAULT,
    ),
    ("bincount", 0): (_c.float32, "MindSpore counts in float32"),
    ("quantile_levels", 0): (_c.float64, "shares that many elements are counted with"),
    ("population_count", 0): (_c.uint8, "a number of bits"),
    ("div", 0): (_float_of_integers, "integers divide into float32"),
    ("masked_fill", 0): (_first, "the tensor's dtype; a Python number never widens it"),
    ("cast", 0): (_attribute("dtype"), "the type asked for"),
    ("polygamma", 0): (lambda case: case.input_types()[1], "the first tensor says which derivative"),
    ("class_weights", 0): (_attribute("dtype"), "the type asked for"),
    ("dropout", 1): (_c.bool_, "the mask"),
    ("bernoulli_draw", 0): (_c.float32, _RANDOM),
    ("random_poisson", 0): (_c.float32, _RANDOM),
    ("laplace", 0): (_c.float32, _RANDOM),
    ("normal", 0): (lambda case: _first(case) if case.input_types() else _c.float32, _RANDOM),
    ("initial_normal", 0): (_c.float32, _RANDOM),
    ("initial_truncated_normal", 0): (_c.float32, _RANDOM),
    ("initial_uniform", 0): (_c.float32, _RANDOM),
    ("random_normal", 0): (_c.float32, _RANDOM),
    ("random_uniform", 0): (_c.float32, _RANDOM),
    ("standard_laplace", 0): (_c.float32, _RANDOM),
    ("standard_normal", 0): (_c.float32, _RANDOM),
    ("truncated_normal", 0): (_c.float32, _RANDOM),
    ("uniform", 0): (
        lambda case: _c.int32 if case.sample["name"] == "integers" else _c.float32,
        _RANDOM,
    ),
    ("uniform_int", 0): (_c.int32, _RANDOM),
    ("uniform_real", 0): (_attribute("dtype"), "the type asked for"),
}

# ---- gradients ---------------------------------------------------------------------------------

_APART = "the value at 0 is set apart from its neighbours"

# Elements of a sample that have no slope on either side, exactly as many, and the reason. "/second" is about
# the gradient of the gradient.
NO_SLOPE = {
    "div_no_nan/some zeros": (1, _APART),
    "div_no_nan/some zeros/second": (1, _APART),
    "heaviside/all three cases": (1, _APART),
    "heaviside/all three cases/second": (1, _APART),
    "sign/zeros": (1, _APART),
}

_MASK = "its result is a truth value"
_WHOLE = "its result is a whole number"

# Operators with a gradient (of their parts, or derived) at whose samples there is nothing to probe.
NOTHING_TO_PROBE = {
    **dict.fromkeys(
        (
            "approximate_equal",
            "equal",
            "greater",
            "greater_equal",
            "isclose",
            "isfinite",
            "isinf",
            "isnan",
            "isneginf",
            "isposinf",
            "isreal",
            "less",
            "less_equal",
            "logical_and",
            "logical_not",
            "logical_or",
            "logical_xor",
            "not_equal",
            "signbit",
        ),
        _MASK,
    ),
    **dict.fromkeys(("argmax_over", "argmin_over", "argsort", "count_nonzero"), _WHOLE),
    **dict.fromkeys(
        (
            "bitwise_and",
            "bitwise_left_shift",
            "bitwise_or",
            "bitwise_right_shift",
            "bitwise_xor",
            "invert",
        ),
        "takes whole numbers only",
    ),
    **dict.fromkeys(("laplace", "range", "uniform"), "its samples have no tensors"),
}
