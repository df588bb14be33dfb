# SPDX-License-Identifier: Apache-2.0
"""Metrics against their formulas."""

import math

import numpy as np
import pytest

from mindspore import Tensor, nn, train
from mindspore import dtype as mstype

SCORES = np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])
CLASSES = np.array([1, 0, 1])
ONE_HOT = np.eye(2)[CLASSES]
BITS = np.array([[0, 1, 0, 1], [1, 0, 1, 1], [0, 0, 0, 1]])
TRUE_BITS = np.array([[0, 1, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]])
IMAGE = np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]])
TRUE_IMAGE = np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]])

POINT, LINE = np.array([[1, 0, 0, 0]]), np.array([[1, 1, 1, 0]])
WORDS, KNOWN = [["a", "b", "x", "d"]], [[["a", "b", "c", "d"]]]
VALUES = [
    (train.Accuracy(), (SCORES, CLASSES), 2 / 3),
    (train.Accuracy(), (SCORES, ONE_HOT), 2 / 3),
    (train.Accuracy("multilabel"), (BITS, TRUE_BITS), 1 / 3),
    (train.Precision(), (SCORES, CLASSES), [0.5, 1]),
    (train.Recall(), (SCORES, CLASSES), [1, 0.5]),
    (train.F1(), (SCORES, CLASSES), [2 / 3, 2 / 3]),
    (train.Fbeta(2), (SCORES, CLASSES), [5 / 6, 5 / 9]),
    (train.Precision("multilabel"), (BITS, TRUE_BITS), [1, 2 / 3, 1]),
    (train.Recall("multilabel"), (BITS, TRUE_BITS), [2 / 3, 2 / 3, 1]),
    (train.Top1CategoricalAccuracy(), (SCORES, CLASSES), 2 / 3),
    (train.TopKCategoricalAccuracy(2), (SCORES, CLASSES), 1),
    (train.MAE(), (np.ones((2, 3)), np.zeros((2, 3))), 3),
    (train.MSE(), (np.full((2, 3), 2.0), np.zeros((2, 3))), 12),
    (train.Loss(), (np.array([1.0, 3.0]),), 2),
    (train.Dice(), (ONE_HOT, ONE_HOT), 6 / (6 + 1e-5) / 3),
    (train.Perplexity(), (SCORES, CLASSES), math.exp(-np.log([0.5, 0.3, 0.6]).mean())),
    (train.Perplexity(ignore_label=0), (SCORES, CLASSES), math.exp(-np.log([0.5, 0.6]).mean())),
    (train.CosineSimilarity("dot", "sum"), (np.array([[1, 3], [2, 4]]),), [14, 14]),
    (train.ConfusionMatrix(2), (np.array([1, 0, 1, 0]), np.array([1, 0, 0, 1])), [[1, 1], [1, 1]]),
    (train.ConfusionMatrix(2, "target"), (np.array([1, 0, 1]), np.array([1, 0, 0])), [[0.5, 0.5], [0, 1]]),
    (train.HausdorffDistance(), (IMAGE, TRUE_IMAGE, 0), math.sqrt(2)),
    (train.HausdorffDistance("taxicab", directed=True), (IMAGE, TRUE_IMAGE, 0), 2),
    (train.MeanSurfaceDistance(), (IMAGE, TRUE_IMAGE, 0), (1 + math.sqrt(2)) / 3),
    (train.MeanSurfaceDistance(True), (IMAGE, TRUE_IMAGE, 0), (3 + math.sqrt(2)) / 6),
    (train.RootMeanSquareDistance(), (IMAGE, TRUE_IMAGE, 0), 1),
    (train.BleuScore(1), ([["a", "b", "c"]], [[["a", "b", "d"]]]), 2 / 3),
    (train.BleuScore(2), ([["a", "b"]], [[["a", "b", "d", "e"]]]), math.exp(-1)),
    # A point and a line of three: 0 from the one, 0, 1 and 2 from the other; both directions count alike.
    (train.MeanSurfaceDistance(True), (POINT, LINE, 1), 0.5),
    (train.RootMeanSquareDistance(True), (POINT, LINE, 1), math.sqrt(5 / 6)),
    (train.MeanSurfaceDistance(True, "taxicab"), (LINE, POINT, 1), 0.5),
    # Of four words three are known and one of three pairs; smoothing adds one to all these counts.
    (train.BleuScore(2), (WORDS, KNOWN), math.sqrt(3 / 4 * 1 / 3)),
    (train.BleuScore(2, smooth=True), (WORDS, KNOWN), math.sqrt(4 / 5 * 2 / 4)),
    (train.BleuScore(1, smooth=True), (WORDS, KNOWN), 4 / 5),
]


@pytest.mark.parametrize(("metric", "inputs", "wanted"), VALUES, ids=lambda v: type(v).__name__)
def test_value(metric, inputs, wanted):
    given = [Tensor(v) if isinstance(v, np.ndarray) else v for v in inputs]
    for values in (inputs, given):
        np.testing.assert_allclose(metric(*values), wanted, rtol=1e-12)


ACCUMULATING = [
    train.Accuracy(),
    train.F1(),
    train.MAE(),
    train.Perplexity(),
    train.TopKCategoricalAccuracy(2),
]


@pytest.mark.parametrize("metric", ACCUMULATING, ids=lambda v: type(v).__name__)
def test_steps_add_up(metric):
    rng = np.random.default_rng(0)
    scores, classes = rng.random((40, 5)), rng.integers(0, 5, 40)
    labels = rng.random((40, 5)) if isinstance(metric, train.MAE) else classes
    whole = metric(scores, labels)
    metric.clear()
    for part in (slice(0, 7), slice(7, 30), slice(30, 40)):
        metric.update(scores[part], labels[part])
    np.testing.assert_allclose(metric.eval(), whole, rtol=1e-12)


def test_mean_over_classes():
    metric = train.Precision()
    metric.update(SCORES, CLASSES)
    assert metric.eval(average=True) == 0.75


def test_loss_is_the_mean_of_steps():
    metric = train.Loss()
    for value in (1.0, 2.0, 6.0):
        metric.update(Tensor(value, mstype.float32))
    assert metric.eval() == 3.0


def test_half_precision_inputs_are_counted_in_double():
    values = Tensor(np.full(4096, 0.1), mstype.bfloat16)
    zeros = Tensor(np.zeros(4096), mstype.bfloat16)
    exact = float(values.astype(mstype.float32).asnumpy()[0])
    assert train.MAE()(values, zeros) == pytest.approx(exact, rel=1e-12)


def _counts(truth, guess):
    return [float(np.count_nonzero((truth == a) & (guess == b))) for a, b in ((1, 1), (0, 1), (0, 0), (1, 0))]


SCORE_FORMULAS = {
    "tpr": lambda tp, fp, tn, fn: tp / (tp + fn),
    "specificity": lambda tp, fp, tn, fn: tn / (tn + fp),
    "precision": lambda tp, fp, tn, fn: tp / (tp + fp),
    "npv": lambda tp, fp, tn, fn: tn / (tn + fn),
    "miss rate": lambda tp, fp, tn, fn: fn / (tp + fn),
    "fall out": lambda tp, fp, tn, fn: fp / (fp + tn),
    "false discovery rate": lambda tp, fp, tn, fn: fp / (fp + tp),
    "false omission rate": lambda tp, fp, tn, fn: fn / (fn + tn),
    "threat score": lambda tp, fp, tn, fn: tp / (tp + fn + fp),
    "accuracy": lambda tp, fp, tn, fn: (tp + tn) / (tp + fp + tn + fn),
    "f1 score": lambda tp, fp, tn, fn: 2 * tp / (2 * tp + fp + fn),
    "mcc": lambda tp, fp, tn, fn: (
        (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    ),
}


@pytest.mark.parametrize("name", SCORE_FORMULAS)
def test_score_of_a_confusion_matrix(name):
    rng = np.random.default_rng(1)
    guess, truth = rng.integers(0, 2, (2, 6, 3, 4))
    metric = train.ConfusionMatrixMetric(metric_name=name)
    metric.update(guess[:2], truth[:2])
    metric.update(guess[2:], truth[2:])
    np.testing.assert_allclose(metric.eval(), [SCORE_FORMULAS[name](*_counts(truth, guess))])
    without_first = train.ConfusionMatrixMetric(skip_channel=False, metric_name=name)
    counts = _counts(truth[:, 1:], guess[:, 1:])
    np.testing.assert_allclose(without_first(guess, truth), [SCORE_FORMULAS[name](*counts)])


def test_score_per_sample():
    guess = np.array([[[1, 0], [1, 1]], [[0, 0], [1, 0]]])
    truth = np.ones_like(guess)
    per_sample = np.array([[0.5, 1.0], [0.0, 0.5]])
    for decrease, wanted in (
        ("none", per_sample),
        ("mean", per_sample.mean()),
        ("sum_batch", per_sample.sum(0)),
        ("mean_channel", per_sample.mean(1)),
    ):
        metric = train.ConfusionMatrixMetric(calculation_method=True, decrease=decrease)
        np.testing.assert_allclose(metric(guess, truth), wanted)


def test_curve_and_area():
    rng = np.random.default_rng(2)
    scores, labels = rng.random(50), rng.integers(0, 2, 50)
    fpr, tpr, thresholds = train.ROC()(scores, labels)
    assert thresholds[0] == scores.max() + 1
    pairs = scores[labels == 1][:, None] > scores[labels == 0][None]
    assert train.auc(fpr, tpr) == pytest.approx(pairs.mean())
    by_class = train.ROC(class_num=2)(np.stack([1 - scores, scores], 1), labels)
    np.testing.assert_allclose(train.auc(by_class[0], by_class[1]), pairs.mean())


class _Sum(nn.Cell):
    def construct(self, x):
        return x.reshape(x.shape[0], -1).sum(-1, keepdims=True)


def test_occlusion_covers_the_surroundings():
    image = np.array([[0.1, 0.2, 0.3, 0.4]], np.float32)
    score = train.OcclusionSensitivity(n_batch=3)(_Sum(), image, np.array(0))
    np.testing.assert_allclose(score, [0.3, 0.6, 1.0, 0.9], rtol=1e-6)
    part = train.OcclusionSensitivity(margin=1, b_box=[1, 2])(_Sum(), image, np.array(0))
    np.testing.assert_allclose(part, [0.3, 0.5], rtol=1e-6)


def test_inputs_are_chosen_by_indexes():
    metric = train.Accuracy().set_indexes([0, 2])
    assert metric(SCORES, CLASSES, np.array([0, 0, 1])) == 1 / 3
    assert metric.indexes == [0, 2]


@pytest.mark.parametrize("name", [n for n in train.names() if n not in ("topk", "auc", "confusion_matrix")])
def test_by_name(name):
    assert isinstance(train.get_metric_fn(name), train.Metric)
    assert set(train.get_metrics({name})) == {name}


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (lambda: train.Accuracy().eval(), RuntimeError, "number of samples is 0"),
        (
            lambda: train.Accuracy().update(SCORES),
            ValueError,
            "For 'Accuracy.update', it needs 2 inputs .predicted value, true value., but got 1",
        ),
        (lambda: train.Accuracy().update(1, 2), TypeError, "must be tensor, list or numpy.ndarray"),
        (lambda: train.Accuracy("x"), TypeError, "eval_type"),
        (lambda: train.Accuracy().set_indexes(0), ValueError, "must be a list"),
        (lambda: train.Accuracy()(SCORES, np.array([1, 0])), ValueError, "can not match"),
        (lambda: train.Precision()(SCORES, np.array([1, 0, 5])), ValueError, "same classes"),
        (lambda: train.Recall("multilabel")(BITS * 2, TRUE_BITS), ValueError, "0 or 1"),
        (lambda: train.TopKCategoricalAccuracy(3)(SCORES, CLASSES), ValueError, "number of classes"),
        (lambda: train.ConfusionMatrix(2)(np.array([3]), np.array([0])), ValueError, "classes must be in"),
        (lambda: train.ConfusionMatrixMetric(metric_name="x"), NotImplementedError, "metric_name"),
        (lambda: train.HausdorffDistance()(IMAGE, TRUE_IMAGE, 9), ValueError, "9 is not"),
        (lambda: train.get_metric_fn("nothing"), KeyError, "nothing"),
        (lambda: train.get_metrics({"a": 1}), TypeError, "must be Metric"),
        (lambda: train.Fbeta(0), ValueError, "greater than 0"),
    ],
)
def test_errors(action, error, words):
    with pytest.raises(error, match=words):
        action()


def test_class_count_may_not_change():
    metric = train.Accuracy()
    metric.update(SCORES, CLASSES)
    with pytest.raises(ValueError, match="class number not match"):
        metric.update(np.ones((3, 4)), CLASSES)


def test_former_names():
    from mindspore.nn.metrics.metric import Metric

    assert nn.Accuracy is train.Accuracy and nn.metrics.Loss is train.Loss and Metric is train.Metric
