# SPDX-License-Identifier: Apache-2.0
"""How often the right class was predicted, over all samples or per class."""

from __future__ import annotations

import sys

import numpy as np

from mindspore import _checkparam as validator
from mindspore.train.metrics.metric import METRIC, EvaluationBase, Metric, rearrange_inputs

_TINY = sys.float_info.min


@METRIC
class Accuracy(EvaluationBase):
    """Share of right predictions.

    Args:
        eval_type (str): ``"classification"`` or ``"multilabel"`` (a sample is right when all its classes
            are).

    Raises:
        TypeError: `eval_type` is something else.

    Examples:
        >>> import numpy as np
        >>> from mindspore.train import Accuracy
        >>> metric = Accuracy()
        >>> metric(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), np.array([1, 0, 1]))
        0.6666666666666666
    """

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)
        self.clear()

    def clear(self):
        self._correct_num = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Counts right predictions.

        Args:
            inputs: Scores (N, C, ...) and labels: class numbers (N, ...) or one-hot like the scores.

        Raises:
            ValueError: There are not two inputs, shapes do not fit, or the number of classes changed.
        """
        y_pred, y = self._classes_of(inputs)
        if self._type == "classification":
            right = y_pred.argmax(axis=1) == y
        else:
            right = (self._rows(y_pred) == self._rows(y)).all(axis=1)
        self._correct_num += int(np.count_nonzero(right))
        self._total_num += right.size

    def eval(self):
        """The share of right predictions."""
        self._require_samples(self._total_num)
        return self._correct_num / self._total_num


@METRIC
class _PerClass(EvaluationBase):
    """Hits, guesses and real members of every class; of every sample for multilabel."""

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)
        self.clear()

    def clear(self):
        self._class_num = 0
        self._seen: list[np.ndarray] = []

    @rearrange_inputs
    def update(self, *inputs):
        """Counts hits.

        Args:
            inputs: Scores (N, C, ...) and labels: class numbers (N, ...) or one-hot like the scores.

        Raises:
            ValueError: There are not two inputs, shapes do not fit, a label is no class, or the number of
                classes changed.
        """
        y_pred, y = self._classes_of(inputs)
        if self._type == "multilabel":
            self._seen.append(self._per_sample(self._rows(y_pred), self._rows(y)))
            return
        if y.size and not 0 <= y.min() <= y.max() < self._class_num:
            raise ValueError(
                f"For '{type(self).__name__}.update', the predicted value(inputs[0]) and true "
                "value(inputs[1]) must contain the same classes, but got predicted value class number: "
                f"{self._class_num} and true values from {int(y.min())} to {int(y.max())}."
            )
        counts = self._per_class(y_pred.argmax(axis=1).reshape(-1), y.reshape(-1))
        self._seen = [self._seen[0] + counts] if self._seen else [counts]

    def _per_class(self, guess, truth) -> np.ndarray:
        truth = truth.astype(np.int64)
        return np.stack(
            [
                np.bincount(members, minlength=self._class_num).astype(np.float64)
                for members in (truth[guess == truth], guess, truth)
            ]
        )

    @staticmethod
    def _per_sample(guess, truth) -> np.ndarray:
        return np.stack([np.sum(part, axis=1, dtype=np.float64) for part in (guess * truth, guess, truth)])

    def _score(self, hits, guessed, real):
        raise NotImplementedError

    def eval(self, average=False):
        """The value per class (per sample for multilabel).

        Args:
            average (bool): The mean of them instead. Default: ``False``.
        """
        self._require_samples(self._seen)
        validator.check_value_type("average", average, [bool], type(self).__name__)
        result = self._score(*np.concatenate(self._seen, axis=1))
        return result.mean() if average else result


@METRIC
class Precision(_PerClass):
    """Right predictions of a class among all predictions of it.

    Raises:
        TypeError: `eval_type` is something else.
    """

    def _score(self, hits, guessed, real):
        return hits / (guessed + _TINY)


@METRIC
class Recall(_PerClass):
    """Right predictions of a class among all samples of it.

    Raises:
        TypeError: `eval_type` is something else.
    """

    def _score(self, hits, guessed, real):
        return hits / (real + _TINY)


@METRIC
class Fbeta(_PerClass):
    """Weighted harmonic mean of precision and recall.

    Args:
        beta (Union[float, int]): Weight of recall, above 0.

    Raises:
        ValueError: `beta` is not positive.
    """

    def __init__(self, beta):
        super().__init__()
        if not beta > 0:
            raise ValueError(f"For 'Fbeta', the argument 'beta' must be greater than 0, but got {beta}.")
        self.beta = beta

    def _score(self, hits, guessed, real):
        weight = self.beta**2
        return (1 + weight) * hits / (weight * real + guessed + _TINY)


@METRIC
class F1(Fbeta):
    """Harmonic mean of precision and recall."""

    def __init__(self):
        super().__init__(1.0)


@METRIC
class TopKCategoricalAccuracy(Metric):
    """Share of samples whose class is among the `k` best scores.

    Args:
        k (int): How many scores count.

    Raises:
        TypeError: `k` is no int.
        ValueError: `k` is below 1.
    """

    def __init__(self, k):
        super().__init__()
        if isinstance(k, bool) or not isinstance(k, int):
            raise TypeError(
                f"For 'TopKCategoricalAccuracy', the argument 'k' must be int, but got {type(k)}."
            )
        if k < 1:
            raise ValueError(
                f"For 'TopKCategoricalAccuracy', the argument 'k' must be at least 1, but got {k}."
            )
        self.k = k
        self.clear()

    def clear(self):
        self._correct_num = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Counts samples whose class is among the best.

        Args:
            inputs: Scores (N, C) and labels: class numbers (N,) or one-hot (N, C).

        Raises:
            ValueError: There are not two inputs, or `k` is more than the classes.
        """
        y_pred, y = self._pair(inputs)
        if y.ndim == y_pred.ndim and y.ndim > 1:
            y = y.argmax(axis=1)
        if self.k > y_pred.shape[-1]:
            raise ValueError(
                f"For '{type(self).__name__}.update', the 'k' must not be more than the number of classes "
                f"{y_pred.shape[-1]}, but got {self.k}."
            )
        places = y.astype(np.int64)[..., None]
        own = np.take_along_axis(y_pred, places, axis=-1)
        # As a stable descending sort would place them: among equals the lower class number comes first.
        equal_before = (y_pred == own) & (np.arange(y_pred.shape[-1]) < places)
        before = np.count_nonzero(y_pred > own, axis=-1) + np.count_nonzero(equal_before, axis=-1)
        self._correct_num += int(np.count_nonzero(before < self.k))
        self._samples_num += y.size

    def eval(self):
        """The share of samples."""
        self._require_samples(self._samples_num)
        return self._correct_num / self._samples_num


@METRIC
class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """Share of samples whose class has the best score."""

    def __init__(self):
        super().__init__(1)


@METRIC
class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """Share of samples whose class is among the five best scores."""

    def __init__(self):
        super().__init__(5)
