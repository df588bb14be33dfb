# SPDX-License-Identifier: Apache-2.0
"""Types of results: a Python number beside a tensor never changes its type, bounds and slopes neither."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

REAL = {ms.float16: 1e-3, ms.float32: 1e-6, ms.float64: 1e-12}
WHOLE = (ms.int8, ms.int16, ms.int32, ms.int64, ms.uint8)


def check(found, dtype, values, rtol=1e-6):
    assert found.dtype == dtype
    np.testing.assert_allclose(found.asnumpy(), values, rtol=rtol)


# ---- Python numbers ------------------------------------------------------------------------------------

SUBTRACTIONS = {
    "subtract": ops.subtract,
    "Tensor.subtract": lambda x, y: x.subtract(y),
    "sub": ops.sub,
    "-": lambda x, y: x - y,
}


@pytest.mark.parametrize("name", SUBTRACTIONS)
def test_a_number_is_subtracted_in_the_tensors_type(both_modes, name):
    run = SUBTRACTIONS[name]
    for dtype in (ms.int8, ms.int32, ms.int64):
        check(both_modes(lambda x: run(x, 2), Tensor([1, 5], dtype)), dtype, [-1, 3])
    for dtype in REAL:
        check(both_modes(lambda x: run(x, 1.5), Tensor([1.0, 5.0], dtype)), dtype, [-0.5, 3.5])
    check(both_modes(lambda x: run(x, 1.5), Tensor([1], ms.int32)), ms.float32, [-0.5])


def test_subtract_with_a_factor(both_modes):
    check(both_modes(lambda x: ops.subtract(x, 2, alpha=3), Tensor([1], ms.int32)), ms.int32, [-5])
    check(both_modes(lambda x: ops.subtract(x, 1, alpha=2.5), Tensor([1], ms.int32)), ms.float32, [-1.5])
    check(both_modes(lambda x: ops.subtract(x, 2, alpha=0.5), Tensor([1.0], ms.float16)), ms.float16, [0])
    check(both_modes(lambda x: ops.subtract(2, x, alpha=3), Tensor([1], ms.int32)), ms.int32, [-1])
    gradient = both_modes.gradient(lambda x: ops.subtract(1.0, x, alpha=3).sum(), Tensor([1.0, 2.0]))
    check(gradient, ms.float32, [-3, -3])


@pytest.mark.parametrize("dtype", WHOLE)
def test_divisors_and_multiples(both_modes, dtype):
    x = Tensor([4, 9, 0], dtype)
    for form in (lambda x: ops.gcd(x, 6), lambda x: x.gcd(6)):
        check(both_modes(form, x), dtype, [2, 3, 6])
    for form in (lambda x: ops.lcm(x, 6), lambda x: x.lcm(6)):
        check(both_modes(form, x), dtype, [12, 18, 0])
    check(both_modes(lambda x: ops.lcm(x, True), x), dtype, [4, 9, 0])
    check(both_modes(lambda x: ops.Gcd()(x, x), x), dtype, [4, 9, 0])
    check(both_modes(lambda x: ops.Lcm()(x, x), x), dtype, [4, 9, 0])


def test_divisors_of_both_signs_and_of_tensors(both_modes):
    a, b = Tensor([-12, 18, -(2**31)], ms.int32), Tensor([8, -12, 6], ms.int64)
    check(both_modes(ops.gcd, a, b), ms.int64, np.gcd(a.asnumpy(), b.asnumpy()))
    check(both_modes(ops.lcm, a, b), ms.int64, np.lcm(a.asnumpy(), b.asnumpy()))
    assert both_modes(ops.gcd, Tensor(np.zeros((0, 2), np.int32)), Tensor([1, 2], ms.int32)).shape == (0, 2)
    both_modes.refuse(TypeError, ops.gcd, Tensor([1.0]), Tensor([2]))
    both_modes.refuse(TypeError, lambda x: ops.lcm(x, 1.5), Tensor([2]))


@pytest.mark.parametrize("dtype", REAL)
def test_numbers_beside_special_functions(both_modes, dtype):
    x = Tensor([2.0, 3.0], dtype)
    rtol = max(REAL[dtype], 1e-6)
    check(both_modes(lambda x: ops.zeta(x, 2), x), dtype, [0.6449340668, 0.2020569032], rtol)
    check(both_modes(lambda x: ops.zeta(2, x), x), dtype, [0.6449340668, 0.3949340668], rtol)
    check(both_modes(lambda x: ops.zeta(x, 2.0), x), dtype, [0.6449340668, 0.2020569032], rtol)
    check(both_modes(lambda x: ops.igamma(x, 1), x), dtype, [0.2642411177, 0.0803013971], rtol)
    check(both_modes(lambda x: ops.igammac(2, x), x), dtype, [0.4060058497, 0.1991482735], rtol)
    both_modes.refuse(TypeError, lambda x: ops.zeta(x, 2), Tensor([2, 3], ms.int32))


# ---- bounds --------------------------------------------------------------------------------------------

CLAMPS = {
    "clamp": ops.clamp,
    "clip": ops.clip,
    "clip_by_value": ops.clip_by_value,
    "Tensor.clamp": lambda x, low, high: x.clamp(low, high),
    "Tensor.clip": lambda x, low, high: x.clip(low, high),
}


@pytest.mark.parametrize("name", CLAMPS)
def test_bounds_take_the_type_of_what_they_limit(both_modes, name):
    clamp = CLAMPS[name]
    check(both_modes(lambda x: clamp(x, 0.5, 1.5), Tensor([-3, 1, 5], ms.int32)), ms.int32, [0, 1, 1])
    check(both_modes(lambda x: clamp(x, -2, 3), Tensor([-3, 1, 5], ms.int8)), ms.int8, [-2, 1, 3])
    low, high = Tensor([1.5]), Tensor([1.75])
    half = both_modes(clamp, Tensor([1.0, 2.0], ms.float16), low, high)
    check(half, ms.float16, [1.5, 1.75])
    check(both_modes(clamp, Tensor([0, 9], ms.int32), low, high), ms.int32, [1, 1])
    check(both_modes(lambda x: clamp(x, None, 2), Tensor([1.0, 3.0], ms.float64)), ms.float64, [1, 2])


@pytest.mark.parametrize("name", CLAMPS)
def test_bounds_beyond_the_type_are_its_ends(both_modes, name):
    clamp = CLAMPS[name]
    for low, high in ((-1, 300), (-1.0, 300.0), (-(2**40), 2**40), (-float("inf"), float("inf"))):
        found = both_modes(lambda x, a=low, b=high: clamp(x, a, b), Tensor([0, 5, 200], ms.uint8))
        check(found, ms.uint8, [0, 5, 200])
    wide = both_modes(lambda x: clamp(x, -(2**40), 2**40), Tensor([-(2**31), 2**31 - 1], ms.int32))
    check(wide, ms.int32, [-(2**31), 2**31 - 1])
    check(both_modes(clamp, Tensor([0, 9], ms.uint64), Tensor([-1]), Tensor([5])), ms.uint64, [0, 5])


def test_clamping_passes_gradients_on(both_modes):
    gradient = both_modes.gradient(lambda x: ops.clamp(x, -1, 1).sum(), Tensor([-2.0, 0.5, 2.0]))
    check(gradient, ms.float32, [0, 1, 0])
    low = Tensor([0.0, 1.0], ms.float16)
    to_bound = both_modes.gradient(lambda m: ops.clamp(Tensor([0.5, 0.5]), m, None).sum(), low)
    check(to_bound, ms.float16, [0, 1])


@pytest.mark.parametrize("dtype", WHOLE)
def test_activations_of_whole_numbers(both_modes, dtype):
    x = Tensor([0, 1, 5], dtype)
    check(both_modes(ops.hardtanh, x), dtype, [0, 1, 1])
    check(both_modes(nn.Hardtanh(-2, 3), x), dtype, [0, 1, 3])
    check(both_modes(ops.leaky_relu, x), dtype, [0, 1, 5])
    check(both_modes(nn.LeakyReLU(), x), dtype, [0, 1, 5])


def test_activations_of_negative_whole_numbers(both_modes):
    x = Tensor([-5, 5], ms.int32)
    check(both_modes(ops.hardtanh, x), ms.int32, [-1, 1])
    assert both_modes(ops.leaky_relu, x).dtype == ms.int32


@pytest.mark.parametrize("dtype", REAL)
def test_prelu_keeps_type_and_shape(both_modes, dtype):
    slope = Tensor([0.25])
    for prelu in (ops.prelu, ops.PReLU(), lambda x, w: nn.PReLU()(x)):
        check(both_modes(prelu, Tensor([1.0, -1.0], dtype), slope), dtype, [1.0, -0.25])
        alone = both_modes(prelu, Tensor(-1.0, dtype), slope)
        assert alone.shape == ()
        check(alone, dtype, -0.25)
    to_slope = both_modes.gradient(lambda w: ops.prelu(Tensor([1.0, -2.0], dtype), w).sum(), slope)
    check(to_slope, ms.float32, [-2.0])


# ---- logic and counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "dtype", "bits"),
    [(-5, ms.int8, 7), (-5, ms.int16, 15), (-5, ms.int32, 31), (-5, ms.int64, 63), (255, ms.uint8, 8)],
)
def test_population_count_knows_the_width(both_modes, value, dtype, bits):
    for form in (ops.population_count, ops.PopulationCount()):
        check(both_modes(form, Tensor([value, 0, 1], dtype)), ms.uint8, [bits, 0, 1])
    both_modes.refuse(TypeError, ops.population_count, Tensor([1.0]))


# ---- losses --------------------------------------------------------------------------------------------


def test_losses_of_whole_numbers(both_modes):
    x, t = Tensor([1, 2], ms.int32), Tensor([0, 4], ms.int32)
    check(both_modes(ops.mse_loss, x, t), ms.float32, 2.5)
    check(both_modes(lambda x, t: ops.mse_loss(x, t, "none"), x, t), ms.float32, [1, 4])
    check(both_modes(nn.MSELoss(), x, t), ms.int32, 2)
    check(both_modes(nn.MSELoss("sum"), x, t), ms.int32, 5)
    check(both_modes(nn.RMSELoss(), x, t), ms.float32, 2.5**0.5)
    check(both_modes(ops.huber_loss, x, t), ms.float32, 1.0)
    check(both_modes(nn.HuberLoss(), x, t), ms.float32, 1.0)
    check(both_modes(ops.smooth_l1_loss, x, t), ms.float32, [0.5, 1.5])
    check(both_modes(ops.l1_loss, x, t), ms.int32, 1)
    check(both_modes(ops.mse_loss, x, Tensor([1.0, 2.5])), ms.float32, 0.125)


# ---- sums, norms, masks --------------------------------------------------------------------------------


def test_a_sum_that_does_not_start_at_zero(both_modes):
    x = Tensor([1, 2], ms.int32)
    check(both_modes(lambda x: x.sum(initial=1.5), x), ms.float32, 4.5)
    check(both_modes(lambda x: x.sum(initial=1), x), ms.int64, 4)
    check(both_modes(lambda x: x.sum(initial=1.5), Tensor([1.0], ms.float16)), ms.float16, 2.5)
    check(both_modes(lambda x: x.max(initial=1.5), x), ms.int32, 2)


def test_scaled_whole_numbers_are_fractions(both_modes):
    x = Tensor([[3, -4]], ms.int32)
    check(both_modes(lambda x: ops.clip_by_norm(x, 1.0), x), ms.float32, [[0.6, -0.8]])
    check(both_modes(lambda x: ops.clip_by_norm([x], 1.0)[0], x), ms.float32, [[0.6, -0.8]])
    check(both_modes(lambda x: ops.clip_by_global_norm([x], 1.0)[0], x), ms.float32, [[0.6, -0.8]])
    check(both_modes(lambda x: ops.clip_by_norm(x, 9.0), x), ms.float32, [[3, -4]])


@pytest.mark.parametrize("dtype", REAL)
def test_the_mask_of_dropout_has_the_type_of_its_input(dtype):
    x = Tensor(np.full(64, 3.0), dtype)
    result, mask = ops.Dropout(0.5)(x)
    assert mask.dtype == result.dtype == dtype
    assert set(mask.tolist()) == {0.0, 1.0}
    np.testing.assert_array_equal(result.asnumpy(), mask.asnumpy() * 6)
    compiled = ms.jit(lambda x: ops.Dropout(0.5)(x))
    for _ in range(2):
        result, mask = compiled(x)
        assert mask.dtype == dtype
        np.testing.assert_array_equal(result.asnumpy(), mask.asnumpy() * 6)


def test_sums_to_a_size_widen(both_modes):
    x = Tensor([[1, 2], [3, 4]], ms.int32)
    check(both_modes(lambda x: x.sum_to_size(1, 2), x), ms.int64, [[4, 6]])
    check(both_modes(lambda x: x.sum_to_size((2,)), x), ms.int64, [4, 6])
    check(both_modes(lambda x: x.sum_to_size(2, 2), x), ms.int32, [[1, 2], [3, 4]])
    check(both_modes(lambda x: x.sum_to_size(1), Tensor([True, True])), ms.int64, [2])
    check(both_modes(lambda x: x.sum_to_size(1), Tensor([1.0, 2.0], ms.float16)), ms.float16, [3])


def test_which_types_have_a_sign():
    signed = (ms.int8, ms.int64, ms.float16, ms.float64, ms.complex64, ms.complex128)
    assert all(Tensor([1], dtype).is_signed() for dtype in signed)
    assert not any(Tensor([1], dtype).is_signed() for dtype in (ms.bool_, ms.uint8, ms.uint64))


ORDERED = [
    ops.logsigmoid,
    ops.relu,
    ops.relu6,
    ops.leaky_relu,
    ops.elu,
    ops.celu,
    ops.selu,
    ops.hardswish,
    ops.hardsigmoid,
    ops.hardshrink,
    ops.softshrink,
    ops.hardtanh,
    ops.softplus,
    ops.Softplus(),
    ops.mish,
    ops.fast_gelu,
    lambda x: ops.threshold(x, 0.0, 1.0),
    lambda x: ops.logaddexp(x, x),
    lambda x: ops.heaviside(x, x),
    ops.histc,
]


@pytest.mark.parametrize("function", ORDERED)
def test_what_needs_an_order_refuses_complex_numbers(both_modes, function):
    both_modes.refuse(TypeError, function, Tensor([1 + 2j], ms.complex64), match="Complex64")


# ---- borders -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
def test_widths_of_a_mirrored_border(both_modes, mode):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    wanted = np.pad(x, ((1, 0), (1, 2)), mode.lower())
    for widths in (Tensor([[1, 0], [1, 2]]), ((1, 0), (1, 2)), [[1, 0], [1, 2]], (1, 0, 1, 2)):
        found = both_modes(lambda x, w=widths: ops.mirror_pad(x, w, mode), Tensor(x))
        np.testing.assert_array_equal(found.asnumpy(), wanted)
    both_modes.refuse(ValueError, lambda x: ops.mirror_pad(x, ((1, 1),), mode), Tensor(x), match="pairs")
    both_modes.refuse(
        TypeError, lambda x: ops.mirror_pad(x, ((1, 1.5), (0, 0)), mode), Tensor(x), match="ints"
    )
