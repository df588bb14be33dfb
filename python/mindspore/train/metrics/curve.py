# SPDX-License-Identifier: Apache-2.0
"""Receiver operating characteristic and the area under a curve."""

from __future__ import annotations

import numpy as np

from mindspore import _checkparam as validator
from mindspore.train.metrics.metric import METRIC, Metric, rearrange_inputs


def auc(x, y, reorder=False):
    """Area under a curve by the trapezoidal rule.

    Args:
        x (Union[np.array, list]): Abscissas; for several classes a list of arrays.
        y (Union[np.array, list]): Ordinates.
        reorder (bool): Sorts by `x` first; otherwise `x` must rise or fall. Default: ``False``.

    Returns:
        float, the area (a list of them for several classes).

    Raises:
        TypeError: `x` or `y` is no list or array.
        ValueError: The two do not fit, have fewer than two points, or `x` neither rises nor falls.

    Examples:
        >>> import numpy as np
        >>> from mindspore.train import auc
        >>> auc(np.array([0, 0.5, 1]), np.array([0, 0.5, 1]))
        0.5
    """
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, (np.ndarray, list)):
            raise TypeError(f"For 'auc', '{name}' must be np.ndarray or list, but got {type(value)}.")
    if isinstance(x, list) and x and isinstance(x[0], np.ndarray):
        return [auc(a, b, reorder) for a, b in zip(x, y, strict=False)]
    x, y = (np.asarray(v, np.float64).reshape(-1) for v in (x, y))
    if x.size != y.size or x.size < 2:
        raise ValueError(
            f"For 'auc', 'x' and 'y' must have as many points and at least 2, but got {x.size} and {y.size}."
        )
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if (steps < 0).any() and not (steps <= 0).all():
        raise ValueError(f"For 'auc', 'x' must rise or fall unless 'reorder' is True, but got {x}.")
    area = float(((y[1:] + y[:-1]) * steps).sum() / 2)
    return -area if (steps < 0).any() else area


def _curve(score: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """False and true positive rate at every distinct score, falling."""
    order = np.argsort(score)[::-1]
    score, positive = score[order], positive[order].astype(np.float64)
    ends = np.append(np.nonzero(np.diff(score))[0], score.size - 1)
    hits = np.cumsum(positive)[ends]
    misses = ends + 1 - hits
    hits, misses = np.append(0.0, hits), np.append(0.0, misses)
    thresholds = np.append(score[0] + 1, score[ends])
    for name, value in (("positive", hits[-1]), ("negative", misses[-1])):
        if value == 0:
            raise ValueError(f"For 'ROC.eval', there must be a {name} sample, but got none.")
    return misses / misses[-1], hits / hits[-1], thresholds


@METRIC
class ROC(Metric):
    """Receiver operating characteristic.

    Args:
        class_num (int): Number of classes; each against the others. Default: ``None``, two classes.
        pos_label (int): The label that counts as positive (two classes). Default: ``None``, 1.

    Raises:
        TypeError: An argument is no int.
    """

    def __init__(self, class_num=None, pos_label=None):
        super().__init__()
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None:
                validator.check_value_type(name, value, [int], "ROC")
        self.class_num = 1 if class_num is None else class_num
        self.pos_label = pos_label
        self.clear()

    def clear(self):
        self._scores: list[np.ndarray] = []
        self._labels: list[np.ndarray] = []

    @rearrange_inputs
    def update(self, *inputs):
        """Takes scores and labels.

        Args:
            inputs: Scores (N,), (N, C) or like the labels, and labels.

        Raises:
            ValueError: There are not two inputs, or their shapes do not fit.
        """
        y_pred, y = self._pair(inputs)
        if self.class_num > 1:
            if y_pred.ndim < 2 or y_pred.shape[1] != self.class_num:
                raise ValueError(
                    "For 'ROC.update', the second dimension of predicted value (input[0]) must be the number "
                    f"of classes {self.class_num}, but got the shape {y_pred.shape}."
                )
            if y.shape == y_pred.shape:
                y = y.argmax(axis=1)
            y_pred = np.moveaxis(y_pred, 1, -1).reshape(-1, self.class_num)
        else:
            y_pred = y_pred.reshape(-1)
        if y.size != y_pred.shape[0]:
            raise ValueError(
                "For 'ROC.update', predicted value (input[0]) and true value (input[1]) must fit, but got "
                f"{y_pred.shape[0]} and {y.size} samples."
            )
        self._scores.append(y_pred)
        self._labels.append(y.reshape(-1))

    def eval(self):
        """The curve.

        Returns:
            tuple, false positive rates, true positive rates, thresholds; lists of them for several classes.
        """
        self._require_update(self._scores)
        scores, labels = np.concatenate(self._scores), np.concatenate(self._labels)
        if self.class_num == 1:
            return _curve(scores, labels == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(scores[:, c], labels == c) for c in range(self.class_num)]
        return tuple(list(part) for part in zip(*curves, strict=False))
