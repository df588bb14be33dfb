# SPDX-License-Identifier: Apache-2.0
"""Losses against their formulas, in both modes."""

import itertools
import math

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

rng = np.random.default_rng(0)
A, B, C = rng.uniform(0.1, 0.9, (3, 4, 3))
LABELS = np.array([0, 2, 1, 0])
ONE_HOT = np.eye(3)[LABELS]
SIGNS = np.array([1, -1, 1, -1])
WEIGHT = np.array([1.0, 2.0, 3.0])


def _softmax(x):
    y = np.exp(x)
    return y / y.sum(1, keepdims=True)


def _distance(a, b):
    return np.sqrt(((a - b) ** 2).sum(1))


def _cosine(a, b):
    return (a * b).sum(1) / np.sqrt((a**2).sum(1) * (b**2).sum(1))


def _dice(a, b):
    return 1 - 2 * (a * b).sum() / ((a**2).sum() + (b**2).sum() + 1e-5)


def _multi_margin(x, labels, p, margin, weight):
    own = x[np.arange(4), labels][:, None]
    gaps = np.maximum(margin - own + x, 0) ** p * weight[labels][:, None]
    gaps[np.arange(4), labels] = 0
    return gaps.sum(1) / 3


def _stirling(t):
    return np.where(t > 1, t * np.log(t) - t + 0.5 * np.log(2 * math.pi * t), 0)


RIGHT = _softmax(A)[np.arange(4), LABELS]
COUNTS = np.array([[0.0, 1, 2], [3, 0, 7], [1, 1, 4], [2, 9, 0]])

# name -> loss with the reduction to set, inputs, losses before reduction
CASES = {
    "hinge": (lambda r: nn.HingeEmbeddingLoss(0.7, r), (A, np.sign(B - 0.5)), None),
    "cosine": (
        lambda r: nn.CosineEmbeddingLoss(0.2, r),
        (A, B, SIGNS),
        np.where(SIGNS == 1, 1 - _cosine(A, B), np.maximum(_cosine(A, B) - 0.2, 0)),
    ),
    "ranking": (
        lambda r: nn.MarginRankingLoss(0.1, r),
        (A, B, np.sign(C - 0.5)),
        np.maximum(-np.sign(C - 0.5) * (A - B) + 0.1, 0),
    ),
    "triplet": (
        lambda r: nn.TripletMarginLoss(reduction=r, eps=1e-9),
        (A, B, C),
        np.maximum(_distance(A, B) - _distance(A, C) + 1, 0),
    ),
    "triplet by argument": (
        lambda r: nn.TripletMarginLoss(swap=True, reduction=r, margin=0.5, eps=1e-9),
        (A, B, C),
        np.maximum(_distance(A, B) - np.minimum(_distance(A, C), _distance(B, C)) + 0.5, 0),
    ),
    "triplet of a distance": (
        lambda r: nn.TripletMarginWithDistanceLoss(lambda a, b: ops.abs(a - b), True, r, 0.3),
        (A, B, C),
        np.maximum(np.abs(A - B) - np.minimum(np.abs(A - C), np.abs(B - C)) + 0.3, 0),
    ),
    "multi margin": (
        lambda r: nn.MultiMarginLoss(2, 0.5, r, Tensor(WEIGHT, ms.float32)),
        (A, LABELS),
        _multi_margin(A, LABELS, 2, 0.5, WEIGHT),
    ),
    "multilabel soft margin": (
        lambda r: nn.MultiLabelSoftMarginLoss(Tensor(WEIGHT, ms.float32), r),
        (A, ONE_HOT),
        (np.log1p(np.exp(np.where(ONE_HOT == 1, -A, A))) * WEIGHT).mean(1),
    ),
    "focal": (
        lambda r: nn.FocalLoss(None, 2.0, r),
        (A, LABELS[:, None]),
        -((1 - RIGHT) ** 2) * np.log(RIGHT),
    ),
    "focal one-hot": (
        lambda r: nn.FocalLoss(Tensor(WEIGHT, ms.float32), 1.5, r),
        (A, ONE_HOT),
        -((1 - _softmax(A)) ** 1.5) * np.log(_softmax(A)) * ONE_HOT * WEIGHT,
    ),
    "gaussian": (
        lambda r: nn.GaussianNLLLoss(full=True, reduction=r),
        (A, B, C),
        0.5 * (np.log(C) + (A - B) ** 2 / C + math.log(2 * math.pi)),
    ),
    "poisson": (lambda r: nn.PoissonNLLLoss(reduction=r), (A, COUNTS), np.exp(A) - A * COUNTS),
    "poisson of rates": (
        lambda r: nn.PoissonNLLLoss(False, True, reduction=r),
        (A, COUNTS),
        A - COUNTS * np.log(A + 1e-8) + _stirling(np.maximum(COUNTS, 1)) * (COUNTS > 1),
    ),
}
_hinge_sign = np.sign(B - 0.5)
CASES["hinge"] = (*CASES["hinge"][:2], np.where(_hinge_sign == 1, A, np.maximum(0.7 - A, 0)))


def _tensors(arrays):
    return [Tensor(a, ms.int32 if a.dtype.kind == "i" else ms.float32) for a in arrays]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", CASES)
def test_value(name, mode):
    make, inputs, losses = CASES[name]
    ms.set_context(mode=mode)
    try:
        for reduction in ("none", "mean", "sum"):
            found = make(reduction)(*_tensors(inputs)).asnumpy()
            wanted = losses if reduction == "none" else getattr(losses, reduction)()
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("name", CASES)
def test_gradient(name):
    make, inputs, _ = CASES[name]
    loss = make("sum")
    tensors = [Tensor(a, ms.int32) if a.dtype.kind == "i" else Tensor(a, ms.float64) for a in inputs]
    gradient = ms.grad(loss, 0)(*tensors).asnumpy()
    step = 1e-6
    for place in [(0, 0), (2, 1), (3, 2)]:
        ends = []
        for sign in (1, -1):
            moved = inputs[0].copy()
            moved[place] += sign * step
            ends.append(float(loss(Tensor(moved, ms.float64), *tensors[1:])))
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5, abs=1e-7)


def test_overlap():
    a, hot = _tensors((A, ONE_HOT))
    np.testing.assert_allclose(nn.DiceLoss()(a, hot).asnumpy(), _dice(A, ONE_HOT), rtol=1e-5)
    parts = [_dice(_softmax(A)[:, i], ONE_HOT[:, i]) for i in range(3)]
    np.testing.assert_allclose(nn.MultiClassDiceLoss()(a, hot).asnumpy(), np.mean(parts), rtol=1e-5)
    ignoring = nn.MultiClassDiceLoss(Tensor(WEIGHT[:, None], ms.float32), ignore_indiex=1)(a, hot)
    np.testing.assert_allclose(ignoring.asnumpy(), [(parts[0] + 3 * parts[2]) / 3], rtol=1e-5)


def test_focal_over_positions():
    x, labels = rng.random((2, 3, 2, 2)), rng.integers(0, 3, (2, 1, 2, 2))
    p = np.take_along_axis(_softmax(x), labels, 1)
    wanted = (-((1 - p) ** 2) * np.log(p)).reshape(2, -1).mean(1)
    found = nn.FocalLoss(reduction="none")(*_tensors((x, labels)))
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)


def test_multilabel_margin():
    labels = np.array([[0, 2, -1], [1, -1, 0], [2, 1, 0], [-1, 0, 1]])
    losses = []
    for row, listed in zip(A, labels, strict=True):
        own = list(itertools.takewhile(lambda k: k >= 0, listed))
        others = [k for k in range(3) if k not in own]
        losses.append(sum(max(0, 1 - row[i] + row[j]) for i in own for j in others) / 3)
    found = nn.MultilabelMarginLoss("none")(*_tensors((A, labels)))
    np.testing.assert_allclose(found.asnumpy(), losses, rtol=1e-5)


def _sampled_inputs():
    weights, biases, logits = rng.random((7, 5)), rng.random(7), rng.random((3, 5))
    labels, drawn = np.array([0, 1, 2]), np.array([0, 2, 3, 5])
    true_count, drawn_count = rng.random((3, 1)), rng.random(4)
    scores = logits @ weights.T + biases
    own = scores[np.arange(3), labels] - np.log(true_count[:, 0])
    others = scores[:, drawn] - np.log(drawn_count)
    return (weights, biases, labels, logits), (drawn, true_count, drawn_count), own, others


@pytest.mark.parametrize("removed", [False, True])
def test_sampled_softmax(removed):
    inputs, sampled, own, others = _sampled_inputs()
    if removed:
        others = np.where(inputs[2][:, None] == sampled[0], -np.inf, others)
    wanted = np.log(np.exp(own) + np.exp(others).sum(1)) - own
    loss = nn.SampledSoftmaxLoss(
        4, 7, sampled_values=tuple(_tensors(sampled)), remove_accidental_hits=removed
    )
    np.testing.assert_allclose(loss(*_tensors(inputs)).asnumpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_sampled_softmax_draws_its_classes(mode):
    inputs, *_ = _sampled_inputs()
    loss = nn.SampledSoftmaxLoss(3, 7, seed=3, reduction="mean")
    ms.set_context(mode=mode)
    try:
        found = [float(loss(*_tensors(inputs))) for _ in range(8)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert len(set(found)) > 2 and np.isfinite(found).all()
    # With all classes drawn, and hits removed, it is the whole cross entropy.
    whole = nn.SampledSoftmaxLoss(7, 7)(*_tensors(inputs)).asnumpy()
    weights, biases, labels, logits = inputs
    scores = logits @ weights.T + biases
    wanted = np.log(np.exp(scores).sum(1)) - scores[np.arange(3), labels]
    np.testing.assert_allclose(whole, wanted, rtol=1e-5)


def _ctc_by_enumeration(log_probs, target):
    """Sums over all sequences that collapse to the target."""
    steps, classes = log_probs.shape
    total = 0.0
    for path in itertools.product(range(classes), repeat=steps):
        collapsed = [k for k, _ in itertools.groupby(path) if k != 0]
        if collapsed == list(target):
            total += math.exp(sum(log_probs[t, k] for t, k in enumerate(path)))
    return -math.log(total)


CTC_TARGETS = np.array([[1, 1, 0], [2, 1, 2]])
CTC_LENGTHS = (np.array([5, 4]), np.array([2, 3]))


def _ctc_scores():
    return np.log(_softmax(np.random.default_rng(5).normal(size=(5 * 2, 3)))).reshape(5, 2, 3)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_ctc(mode):
    scores = _ctc_scores()
    wanted = np.array(
        [
            _ctc_by_enumeration(scores[: CTC_LENGTHS[0][n], n], CTC_TARGETS[n, : CTC_LENGTHS[1][n]])
            for n in range(2)
        ]
    )
    inputs = _tensors((scores, CTC_TARGETS, *CTC_LENGTHS))
    in_a_row = _tensors((scores, np.array([1, 1, 2, 1, 2]), *CTC_LENGTHS))
    ms.set_context(mode=mode)
    try:
        for given in (inputs, in_a_row):
            np.testing.assert_allclose(nn.CTCLoss(reduction="none")(*given).asnumpy(), wanted, rtol=1e-5)
        mean = (wanted / CTC_LENGTHS[1]).mean()
        np.testing.assert_allclose(nn.CTCLoss()(*inputs).asnumpy(), mean, rtol=1e-5)
        total = ops.ctc_loss(*inputs, reduction="sum")[0].asnumpy()
        np.testing.assert_allclose(total, wanted.sum(), rtol=1e-5)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_ctc_gradient_through_softmax_sums_to_zero():
    inputs = _tensors((rng.normal(size=(5, 2, 3)), CTC_TARGETS, *CTC_LENGTHS))
    loss = nn.CTCLoss()
    gradient = ms.grad(lambda x: loss(ops.log_softmax(x, -1), *inputs[1:]))(inputs[0]).asnumpy()
    np.testing.assert_allclose(gradient.sum(-1), 0, atol=1e-6)
    assert (gradient[4, 1] == 0).all() and np.abs(gradient[:4]).max() > 0.01


def test_ctc_of_an_impossible_sequence():
    inputs = _tensors((_ctc_scores(), np.array([[1, 1, 1], [2, 1, 2]]), np.array([4, 4]), np.array([3, 3])))
    assert np.isinf(nn.CTCLoss(reduction="none")(*inputs).asnumpy()[0])
    assert nn.CTCLoss(reduction="none", zero_infinity=True)(*inputs).asnumpy()[0] == 0
    gradient = ms.grad(nn.CTCLoss(zero_infinity=True))(*inputs).asnumpy()
    assert (gradient[:, 0] == 0).all() and np.isfinite(gradient).all()


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (lambda: nn.HingeEmbeddingLoss(margin="x"), TypeError, "margin"),
        (lambda: nn.HingeEmbeddingLoss(reduction="x"), ValueError, "reduction"),
        (lambda: nn.CosineEmbeddingLoss(2.0), ValueError, "in range of"),
        (lambda: nn.MultiMarginLoss(p=3), ValueError, "'p'"),
        (lambda: nn.MultiMarginLoss(p="1"), TypeError, "'p'"),
        (lambda: nn.TripletMarginWithDistanceLoss(margin=-1.0), ValueError, "margin"),
        (lambda: nn.DiceLoss(2), TypeError, "smooth"),
        (lambda: nn.DiceLoss(-1.0), ValueError, "smooth"),
        (lambda: nn.MultiClassDiceLoss(activation="x"), ValueError, "activation"),
        (lambda: nn.FocalLoss(gamma=1), TypeError, "gamma"),
        (lambda: nn.FocalLoss()(*_tensors((A, LABELS))), ValueError, "labels"),
        (lambda: nn.GaussianNLLLoss(eps=-1.0), ValueError, "eps"),
        (lambda: nn.SampledSoftmaxLoss(6, 5), ValueError, "num_sampled"),
        (lambda: nn.SampledSoftmaxLoss(4, 5, sampled_values=(1,)), ValueError, "must be equal to 3"),
        (lambda: nn.MarginRankingLoss()(Tensor(A), 1, Tensor(B)), TypeError, "'input2' must be a Tensor"),
        (
            lambda: nn.CTCLoss()(*_tensors((_ctc_scores(), CTC_TARGETS + 5, *CTC_LENGTHS))),
            IndexError,
            "every label",
        ),
        (
            lambda: nn.CTCLoss()(*_tensors((_ctc_scores(), CTC_TARGETS)), Tensor([1.5, 2.0]), Tensor([1, 1])),
            TypeError,
            "input_lengths",
        ),
    ],
)
def test_errors(action, error, words):
    with pytest.raises(error, match=words):
        action()


def test_ctc_of_scores():
    """The older primitive: scores instead of log-probabilities, sparse labels, the blank last."""
    scores = rng.normal(size=(5, 2, 3)).astype(np.float32)
    places, labels = np.array([[0, 0], [0, 1], [1, 0]]), np.array([1, 1, 0])
    lengths = np.array([5, 4])
    losses, gradient = ops.CTCLoss()(*_tensors((scores, places, labels, lengths)))
    flat = np.log(_softmax(scores.reshape(10, 3))).reshape(5, 2, 3)
    turned = flat[..., [2, 0, 1]]
    wanted = [_ctc_by_enumeration(turned[:5, 0], [2, 2]), _ctc_by_enumeration(turned[:4, 1], [1])]
    np.testing.assert_allclose(losses.asnumpy(), wanted, rtol=1e-5)
    whole = ms.grad(lambda x: ops.CTCLoss()(x, *_tensors((places, labels, lengths)))[0].sum())(Tensor(scores))
    np.testing.assert_allclose(gradient.asnumpy(), whole.asnumpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("merged", [True, False])
def test_ctc_greedy_decoder(merged):
    best = np.array([[0, 0, 2, 0, 1], [1, 1, 1, 2, 0]])
    scores = np.eye(3)[best.T] * 2.0
    lengths = np.array([5, 3])
    indices, values, shape, summed = ops.ctc_greedy_decoder(*_tensors((scores, lengths)), merged)
    rows = []
    for row, length in zip(best, lengths, strict=True):
        labels = row[:length]
        rows.append(
            [k for k, _ in itertools.groupby(labels) if k != 2] if merged else [k for k in labels if k != 2]
        )
    np.testing.assert_array_equal(values.asnumpy(), sum(rows, []))
    wanted = [[n, i] for n, row in enumerate(rows) for i in range(len(row))]
    np.testing.assert_array_equal(indices.asnumpy(), wanted)
    np.testing.assert_array_equal(shape.asnumpy(), [2, max(map(len, rows))])
    np.testing.assert_allclose(summed.asnumpy(), -2.0 * lengths[:, None])


@pytest.mark.parametrize(
    ("labels", "options", "loss"),
    [
        ([0, 1], {}, 3.805508),
        ([0, 1, 3, 3, 3], {}, 3.805508),
        ([0, 1, 4, 4], {}, 3.805508),
        ([0, 0, 3, 3], {}, 4.3162584),
        ([0, 1, 3, 3, 3], {"ctc_merge_repeated": False}, 5.7274785),
        ([0, 0, 3, 3, 3], {"preprocess_collapse_repeated": True}, 5.789758),
    ],
)
def test_ctc_primitive_drops_what_follows_the_last_label(both_modes, labels, options, loss):
    scores = Tensor(np.random.RandomState(0).randn(6, 1, 4).astype(np.float32))
    places = Tensor(np.array([[0, i] for i in range(len(labels))], np.int64))
    values, lengths = Tensor(np.array(labels, np.int32)), Tensor(np.array([6], np.int32))
    losses = both_modes(lambda x: ops.CTCLoss(**options)(x, places, values, lengths)[0], scores)
    np.testing.assert_allclose(losses.asnumpy(), [loss], rtol=1e-6)


def test_ctc_primitive_refuses_a_blank_in_front_of_a_label():
    places, lengths = Tensor(np.array([[0, 0], [0, 1]])), Tensor(np.array([6], np.int32))
    with pytest.raises(IndexError, match="every label"):
        ops.CTCLoss()(ops.ones((6, 1, 4)), places, Tensor([3, 1], ms.int32), lengths)


def test_a_variance_below_the_smallest_counts_as_that():
    logits = Tensor(np.arange(8).reshape(4, 2), ms.float32)
    labels = Tensor(np.array([[2, 3], [1, 4], [6, 4], [4, 9]]), ms.float32)
    loss = nn.GaussianNLLLoss()(logits, labels, Tensor([[-1.0], [1.0], [1.0], [1.0]]))
    assert float(loss) == pytest.approx(499999.22, rel=1e-6)


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32])
def test_certain_answers_have_finite_gradients(dtype):
    loss = nn.BCELoss()
    for score, label in ((200.0, 1.0), (200.0, 0.0), (-200.0, 0.0), (-200.0, 1.0)):
        x, y = Tensor([score, score], dtype), Tensor([label, label], dtype)
        value, gradient = ms.value_and_grad(lambda x, y=y: loss(ops.sigmoid(x), y))(x)
        assert float(value) == (0 if (score > 0) == bool(label) else 100)
        np.testing.assert_array_equal(gradient.asnumpy(), [0, 0])


def test_the_slope_at_a_certain_wrong_answer_is_the_references():
    zero, one = Tensor([0.0, 0.0]), Tensor([1.0, 1.0])
    np.testing.assert_allclose(ms.grad(nn.BCELoss())(zero, one).asnumpy(), -5e11, rtol=1e-6)
    np.testing.assert_allclose(ms.grad(nn.BCELoss())(one, zero).asnumpy(), 5e11, rtol=1e-6)
