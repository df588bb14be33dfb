# SPDX-License-Identifier: Apache-2.0
"""Confusion matrices and the scores derived from them."""

from __future__ import annotations

import numpy as np

from mindspore import _checkparam as validator
from mindspore.train.metrics.metric import METRIC, Metric, one_hot, rearrange_inputs


def _share(part, whole):
    with np.errstate(divide="ignore", invalid="ignore"):
        return part / whole


@METRIC
class ConfusionMatrix(Metric):
    """Counts of label (row) against prediction (column).

    Args:
        num_classes (int): Number of classes.
        normalize (str): ``"no_norm"``, or what a cell is divided by: ``"target"`` its row,
            ``"prediction"`` its column, ``"all"`` the whole.
        threshold (float): Above it a score of two classes means class 1.

    Raises:
        TypeError: An argument has another type.
        ValueError: `normalize` is something else.
    """

    _MODES = ("no_norm", "target", "prediction", "all")

    def __init__(self, num_classes, normalize="no_norm", threshold=0.5):
        super().__init__()
        name = "ConfusionMatrix"
        self.num_classes = validator.check_value_type("num_classes", num_classes, [int], name)
        if normalize not in self._MODES:
            raise ValueError(
                f"For '{name}', the argument 'normalize' must be in {list(self._MODES)}, but got {normalize}."
            )
        self.normalize = normalize
        self.threshold = validator.check_value_type("threshold", threshold, [float], name)
        self.clear()

    def clear(self):
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs):
        """Counts one step.

        Args:
            inputs: Predictions (N, ...) or scores (N, C, ...), and class numbers (N, ...).

        Raises:
            ValueError: There are not two inputs, their axes do not fit, or a class is out of range.
        """
        y_pred, y = self._pair(inputs)
        if y_pred.ndim not in (y.ndim, y.ndim + 1):
            raise ValueError(
                "For 'ConfusionMatrix.update', predicted value (input[0]) and true value (input[1]) should "
                "have the same dimensions, or predicted value (input[0]) one more, but got predicted value "
                f"ndim: {y_pred.ndim}, true value ndim: {y.ndim}."
            )
        if y_pred.ndim == y.ndim + 1:
            y_pred = y_pred.argmax(axis=1)
        elif y_pred.dtype.kind == "f":
            y_pred = y_pred > self.threshold
        guess, truth = (a.astype(np.int64).reshape(-1) for a in (y_pred, y))
        if guess.size and not (min(guess.min(), truth.min()) >= 0) & (
            max(guess.max(), truth.max()) < self.num_classes
        ):
            raise ValueError(
                f"For 'ConfusionMatrix.update', classes must be in [0, {self.num_classes}), but got "
                f"{min(guess.min(), truth.min())} to {max(guess.max(), truth.max())}."
            )
        counts = np.bincount(truth * self.num_classes + guess, minlength=self.num_classes**2)
        self.confusion_matrix += counts.reshape(self.num_classes, self.num_classes)
        self._is_update = True

    def eval(self):
        """The matrix."""
        self._require_update(self._is_update)
        matrix = self.confusion_matrix
        whole = {
            "no_norm": np.ones(()),
            "target": matrix.sum(axis=1, keepdims=True),
            "prediction": matrix.sum(axis=0, keepdims=True),
            "all": matrix.sum(),
        }[self.normalize]
        return np.nan_to_num(_share(matrix, whole))


def _sensitivity(tp, fp, tn, fn):
    return _share(tp, tp + fn)


def _specificity(tp, fp, tn, fn):
    return _share(tn, tn + fp)


def _precision(tp, fp, tn, fn):
    return _share(tp, tp + fp)


def _negative_predictive(tp, fp, tn, fn):
    return _share(tn, tn + fn)


def _prevalence_threshold(tp, fp, tn, fn):
    hit, quiet = _sensitivity(tp, fp, tn, fn), _specificity(tp, fp, tn, fn)
    return _share(np.sqrt(hit * (1 - quiet)) + quiet - 1, hit + quiet - 1)


def _matthews(tp, fp, tn, fn):
    return _share(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


# Name and other spellings of a score -> its formula over (tp, fp, tn, fn).
_SCORES = {
    ("sensitivity", "recall", "hit_rate", "true_positive_rate", "tpr"): _sensitivity,
    ("specificity", "selectivity", "true_negative_rate", "tnr"): _specificity,
    ("precision", "positive_predictive_value", "ppv"): _precision,
    ("negative_predictive_value", "npv"): _negative_predictive,
    ("miss_rate", "false_negative_rate", "fnr"): lambda tp, fp, tn, fn: _share(fn, fn + tp),
    ("fall_out", "false_positive_rate", "fpr"): lambda tp, fp, tn, fn: _share(fp, fp + tn),
    ("false_discovery_rate", "fdr"): lambda tp, fp, tn, fn: _share(fp, fp + tp),
    ("false_omission_rate", "for"): lambda tp, fp, tn, fn: _share(fn, fn + tn),
    ("prevalence_threshold", "pt"): _prevalence_threshold,
    ("threat_score", "critical_success_index", "ts", "csi"): lambda tp, fp, tn, fn: _share(tp, tp + fn + fp),
    ("accuracy", "acc"): lambda tp, fp, tn, fn: _share(tp + tn, tp + fp + tn + fn),
    ("balanced_accuracy", "ba"): lambda *n: (_sensitivity(*n) + _specificity(*n)) / 2,
    ("f1_score", "f1"): lambda tp, fp, tn, fn: _share(2 * tp, 2 * tp + fn + fp),
    ("matthews_correlation_coefficient", "mcc"): _matthews,
    ("fowlkes_mallows_index", "fm"): lambda *n: np.sqrt(_precision(*n) * _sensitivity(*n)),
    ("informedness", "bookmaker_informedness", "bm"): lambda *n: _sensitivity(*n) + _specificity(*n) - 1,
    ("markedness", "deltap", "mk"): lambda *n: _precision(*n) + _negative_predictive(*n) - 1,
}
_SCORE_OF = {name: formula for names, formula in _SCORES.items() for name in names}

# How scores (samples, channels) become fewer: along which axes, and whether they are summed.
_DECREASES = {
    "none": ((), False),
    "mean": ((1, 0), False),
    "sum": ((1, 0), True),
    "mean_batch": ((0,), False),
    "sum_batch": ((0,), True),
    "mean_channel": ((1,), False),
    "sum_channel": ((1,), True),
}


@METRIC
class ConfusionMatrixMetric(Metric):
    """A score derived from a confusion matrix.

    Args:
        skip_channel (bool): ``False`` leaves the first channel out of the counts, where there is more than
            one.
        metric_name (str): The score: "sensitivity", "specificity", "precision", "negative predictive value",
            "miss rate", "fall out", "false discovery rate", "false omission rate", "prevalence threshold",
            "threat score", "accuracy", "balanced accuracy", "f1 score", "matthews correlation coefficient",
            "fowlkes mallows index", "informedness", "markedness" or a usual short form.
        calculation_method (bool): The score is computed per sample and then reduced; otherwise counts are
            summed first.
        decrease (str): How scores per sample are reduced: ``"none"``, ``"mean"``, ``"sum"``,
            ``"mean_batch"``, ``"sum_batch"``, ``"mean_channel"`` or ``"sum_channel"``.

    Raises:
        TypeError: An argument has another type.
        NotImplementedError: `metric_name` is no known score.
    """

    def __init__(
        self, skip_channel=True, metric_name="sensitivity", calculation_method=False, decrease="mean"
    ):
        super().__init__()
        name = "ConfusionMatrixMetric"
        self.skip_channel = validator.check_value_type("skip_channel", skip_channel, [bool], name)
        self.metric_name = validator.check_value_type("metric_name", metric_name, [str], name)
        self.calculation_method = validator.check_value_type(
            "calculation_method", calculation_method, [bool], name
        )
        self.decrease = validator.check_string(decrease, list(_DECREASES), "decrease", name)
        key = metric_name.strip().lower().replace(" ", "_")
        if key not in _SCORE_OF:
            raise NotImplementedError(
                f"For '{name}', the argument 'metric_name' must be one of "
                f"{[names[0] for names in _SCORES]}, but got {metric_name}."
            )
        self._formula = _SCORE_OF[key]
        self.clear()

    def clear(self):
        self._counts = np.zeros(4)
        self._scores: list[np.ndarray] = []
        self._weights: list[int] = []
        self._seen = False

    @rearrange_inputs
    def update(self, *inputs):
        """Counts one step.

        Args:
            inputs: Predictions (N, C, ...) or class numbers (N, ...), and one-hot labels (N, C, ...).

        Raises:
            ValueError: There are not two inputs, or their shapes do not fit.
        """
        y_pred, y = self._pair(inputs)
        if y_pred.ndim + 1 == y.ndim and y_pred.shape == y.shape[:1] + y.shape[2:] and y.ndim > 1:
            y_pred = np.moveaxis(one_hot(y_pred, y.shape[1]), -1, 1)
        if y_pred.shape != y.shape or y.ndim < 2:
            raise ValueError(
                "For 'ConfusionMatrixMetric.update', predicted value (input[0]) and true value (input[1]) "
                f"must have one shape (N, C, ...), but got {y_pred.shape} and {y.shape}."
            )
        if not self.skip_channel and y.shape[1] > 1:
            y_pred, y = y_pred[:, 1:], y[:, 1:]
        y_pred, y = (a.reshape(*a.shape[:2], -1).astype(np.float64) for a in (y_pred, y))
        hits = (y_pred * y).sum(axis=2)
        guessed, real = y_pred.sum(axis=2), y.sum(axis=2)
        counts = np.stack([hits, guessed - hits, y.shape[2] - guessed - real + hits, real - hits])
        self._seen = True
        self._add(counts)

    def _add(self, counts) -> None:
        if not self.calculation_method:
            self._counts += counts.sum(axis=(1, 2))
            return
        scores = self._formula(*counts)
        axes, total = _DECREASES[self.decrease]
        for axis in axes:
            known = np.count_nonzero(~np.isnan(scores), axis=axis)
            value = np.nansum(scores, axis=axis)
            scores = np.where(known > 0, value if total else value / np.maximum(known, 1), np.nan)
        if 0 in axes:
            scores, self._weights = scores[None], [*self._weights, counts.shape[1]]
        self._scores.append(scores)

    def eval(self):
        """The score."""
        self._require_update(self._seen)
        if not self.calculation_method:
            return np.atleast_1d(self._formula(*self._counts))
        scores = np.concatenate(self._scores)
        if not self._weights:
            return scores
        known = ~np.isnan(scores)
        weights = known * np.reshape(np.array(self._weights, np.float64), (-1,) + (1,) * (scores.ndim - 1))
        return _share((np.where(known, scores, 0.0) * weights).sum(axis=0), weights.sum(axis=0))
