# SPDX-License-Identifier: Apache-2.0
"""Metrics that are a mean of numbers: losses, errors, overlaps, perplexity, similarity."""

from __future__ import annotations

import math

import numpy as np

from mindspore import _checkparam as validator
from mindspore.train.metrics.metric import METRIC, Metric, rearrange_inputs, to_numpy


@METRIC
class Loss(Metric):
    """Mean of the loss over steps."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self._sum_loss = 0.0
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Adds the loss of one step.

        Args:
            inputs: One tensor with one number, or one axis (its mean counts).

        Raises:
            ValueError: There is not one input, or it has more than one axis.
        """
        loss = to_numpy(self._take(inputs, 1, "loss")[0])
        if loss.ndim > 1:
            raise ValueError(
                "For 'Loss.update', the dimension of your input value must be 0 or 1, "
                f"but got {loss.ndim} axes."
            )
        self._sum_loss += float(np.mean(loss, dtype=np.float64))
        self._total_num += 1

    def eval(self):
        """The mean."""
        if self._total_num == 0:
            raise RuntimeError(
                "The 'Loss' can not be calculated, because the number of samples is 0, please check whether "
                "has called update method before calling eval method."
            )
        return self._sum_loss / self._total_num


@METRIC
class _RowMean(Metric):
    """A sum over everything divided by the number of rows."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self._sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Adds the errors of one step.

        Args:
            inputs: Predictions and true values of one shape (N, ...).

        Raises:
            ValueError: There are not two inputs, or their shapes do not fit.
        """
        y_pred, y = self._pair(inputs)
        self._check(y_pred, y)
        self._sum += float(self._error(y_pred, y.reshape(y_pred.shape)))
        self._samples_num += y.shape[0] if y.ndim else 1

    def _check(self, y_pred, y):
        if y_pred.size != y.size:
            raise ValueError(
                f"For '{type(self).__name__}.update', predicted value (input[0]) and true value (input[1]) "
                f"must have as many elements, but got the shapes {y_pred.shape} and {y.shape}."
            )

    def _error(self, y_pred, y):
        raise NotImplementedError

    def eval(self):
        """The mean over rows."""
        self._require_samples(self._samples_num)
        return self._sum / self._samples_num


@METRIC
class MAE(_RowMean):
    """Mean absolute error: the sum of all differences divided by the number of rows."""

    def _error(self, y_pred, y):
        gaps = np.subtract(y, y_pred, dtype=np.float64)
        return np.abs(gaps, out=gaps).sum()


@METRIC
class MSE(_RowMean):
    """Mean squared error: the sum of all squares divided by the number of rows."""

    def _error(self, y_pred, y):
        gaps = np.subtract(y, y_pred, dtype=np.float64)
        return np.square(gaps, out=gaps).sum()


@METRIC
class Dice(_RowMean):
    """Dice coefficient of two areas; exact for steps of one row.

    Args:
        smooth (float): Added to the denominator.
    """

    def __init__(self, smooth=1e-5):
        super().__init__()
        self.smooth = validator.check_positive_float(smooth, "smooth", "Dice")

    def _check(self, y_pred, y):
        if y_pred.shape != y.shape:
            raise ValueError(
                "For 'Dice.update', predicted value (input[0]) and true value (input[1]) must have same "
                f"shape, but got predicted value shape: {y_pred.shape}, true value shape: {y.shape}."
            )

    def _error(self, y_pred, y):
        shared = np.multiply(y_pred, y, dtype=np.float64).sum()
        whole = sum(np.square(v, dtype=np.float64).sum() for v in (y_pred, y))
        return 2 * shared / (whole + self.smooth)


@METRIC
class Perplexity(Metric):
    """Exponential of the mean negative log-probability of the labels.

    Args:
        ignore_label (Union[int, None]): Label that does not count.

    Raises:
        TypeError: `ignore_label` is no int.
    """

    def __init__(self, ignore_label=None):
        super().__init__()
        if ignore_label is not None:
            validator.check_value_type("ignore_label", ignore_label, [int], "Perplexity")
        self.ignore_label = ignore_label
        self.clear()

    def clear(self):
        self._sum_metric = 0.0
        self._num_inst = 0

    @rearrange_inputs
    def update(self, *inputs):
        """Adds the labels of one step.

        Args:
            inputs: Probabilities (..., C) and class numbers (...).

        Raises:
            ValueError: There are not two inputs.
            RuntimeError: Their shapes do not fit.
        """
        preds, labels = self._pair(inputs)
        if preds.ndim < 1 or labels.size != preds.size // max(preds.shape[-1], 1):
            raise RuntimeError(
                "For 'Perplexity.update', the shape of predicted value (input[0]) without its last axis and "
                f"of true value (input[1]) must be equal, but got {preds.shape} and {labels.shape}."
            )
        labels = labels.reshape(-1).astype(np.int64)
        chosen = preds.reshape(labels.size, -1)[np.arange(labels.size), labels].astype(np.float64)
        if self.ignore_label is not None:
            chosen = chosen[labels != self.ignore_label]
        self._sum_metric -= float(np.log(np.maximum(chosen, 1e-10)).sum())
        self._num_inst += chosen.size

    def eval(self):
        """The perplexity."""
        self._require_samples(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)


@METRIC
class CosineSimilarity(Metric):
    """Similarity of every row to every row of a matrix.

    Args:
        similarity (str): ``"cosine"``, or ``"dot"`` without norms.
        reduction (str): ``"none"``, ``"sum"`` or ``"mean"`` along the last axis.
        zero_diagonal (bool): Rows are not compared with themselves.

    Raises:
        TypeError: An argument has another type.
        ValueError: `similarity` or `reduction` is something else.
    """

    def __init__(self, similarity="cosine", reduction="none", zero_diagonal=True):
        super().__init__()
        for name, value, known in (
            ("similarity", similarity, ["dot", "cosine"]),
            ("reduction", reduction, ["none", "sum", "mean"]),
        ):
            validator.check_value_type(name, value, [str], "CosineSimilarity")
            validator.check_string(value, known, name, "CosineSimilarity")
        self.similarity, self.reduction = similarity, reduction
        self.zero_diagonal = validator.check_value_type(
            "zero_diagonal", zero_diagonal, [bool], "CosineSimilarity"
        )
        self.clear()

    def clear(self):
        self.sqr_mtx_res = None

    @rearrange_inputs
    def update(self, inputs):
        """Takes a matrix (N, D).

        Args:
            inputs (Union[Tensor, list, numpy.ndarray]): Its rows are compared.
        """
        rows = to_numpy(inputs).astype(np.float64)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, ord=2, axis=-1)[..., None]
        matrix = rows @ rows.swapaxes(-1, -2)
        if self.zero_diagonal:
            np.fill_diagonal(matrix, 0)
        self.sqr_mtx_res = matrix if self.reduction == "none" else getattr(matrix, self.reduction)(axis=-1)

    def eval(self):
        """The similarities."""
        self._require_update(self.sqr_mtx_res is not None)
        return self.sqr_mtx_res
