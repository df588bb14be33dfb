# SPDX-License-Identifier: Apache-2.0
"""Distances between the outlines of two areas of an image."""

from __future__ import annotations

import math

import numpy as np

from mindspore import _checkparam as validator
from mindspore.train.metrics.metric import METRIC, Metric, rearrange_inputs, to_numpy

# How a distance along other axes joins a step along this one, the least a step gives, how the sum is read.
_NORMS = {
    "euclidean": (lambda rest, step: rest + step * step, lambda step: step * step, np.sqrt),
    "chessboard": (np.maximum, lambda step: step, np.asarray),
    "taxicab": (lambda rest, step: rest + step, lambda step: step, np.asarray),
}


def outline(mask: np.ndarray) -> np.ndarray:
    """The points of an area with a neighbour along an axis outside of it."""
    inner = mask.copy()
    padded = np.pad(mask, 1)
    for axis in range(mask.ndim):
        for shift in (0, 2):
            window = [slice(1, -1)] * mask.ndim
            window[axis] = slice(shift, shift + mask.shape[axis])
            inner &= padded[tuple(window)]
    return mask & ~inner


def distances_to(mask: np.ndarray, metric: str) -> np.ndarray:
    """How far every point is from the nearest of a mask, axis by axis; inf for an empty mask."""
    join, least, read = _NORMS[metric]
    field = np.where(mask, 0.0, np.inf)
    for axis in range(mask.ndim):
        line = np.moveaxis(field, axis, 0)
        found = line.copy()
        for step in range(1, line.shape[0]):
            if least(float(step)) >= found.max(initial=0.0):
                break
            moved = join(line, float(step))
            np.minimum(found[step:], moved[:-step], out=found[step:])
            np.minimum(found[:-step], moved[step:], out=found[:-step])
        field = np.moveaxis(found, 0, axis)
    return read(field)


def _cropped(*masks: np.ndarray) -> list[np.ndarray]:
    """The box around all masks."""
    places = np.argwhere(np.logical_or.reduce(masks))
    box = tuple(slice(low, high + 1) for low, high in zip(places.min(0), places.max(0), strict=True))
    return [mask[box] for mask in masks]


@METRIC
class _SurfaceDistance(Metric):
    """Outlines of a label in a prediction and in the truth, and the distances between them."""

    def __init__(self, distance_metric: str):
        super().__init__()
        name = type(self).__name__
        validator.check_value_type("distance_metric", distance_metric, [str], name)
        self.distance_metric = validator.check_string(distance_metric, list(_NORMS), "distance_metric", name)
        self.clear()

    def clear(self):
        self._edges = None

    @rearrange_inputs
    def update(self, *inputs):
        """Takes the images of one step, in place of those before.

        Args:
            inputs: Predicted image, true image and the label whose area is compared (a number).

        Raises:
            ValueError: There are not three inputs, shapes differ, or the label is in neither image.
            TypeError: The label is no number.
        """
        y_pred, y, label = self._take(inputs, 3, "predicted value, true value, label index")
        owner = f"For '{type(self).__name__}.update'"
        y_pred, y = to_numpy(y_pred), to_numpy(y)
        if isinstance(label, bool) or not isinstance(label, (int, float, np.number)):
            raise TypeError(
                f"{owner}, the label index (input[2]) must be int or float, but got {type(label)}."
            )
        if y_pred.size == 0 or y_pred.shape != y.shape:
            raise ValueError(
                f"{owner}, the size of predicted value (input[0]) and true value (input[1]) must be greater "
                "than 0, in addition to that, predicted value and true value must have the same shape, but "
                f"got {y_pred.shape} and {y.shape}."
            )
        areas = y_pred == label, y == label
        if not (areas[0].any() or areas[1].any()):
            raise ValueError(
                f"{owner}, the label index (input[2]) must be in predicted value (input[0]) or true value "
                f"(input[1]), but {label} is not."
            )
        self._edges = _cropped(*[outline(area) for area in areas])

    def _distances(self, both: bool) -> list[np.ndarray]:
        if self._edges is None:
            raise RuntimeError(
                f"Please call the 'update' method before calling 'eval' method of '{type(self).__name__}'."
            )
        pred, true = self._edges
        ways = [(pred, true), (true, pred)] if both else [(pred, true)]
        return [distances_to(other, self.distance_metric)[edge] for edge, other in ways]


@METRIC
class HausdorffDistance(_SurfaceDistance):
    """The largest distance from one outline to the other.

    Args:
        percentile (float): This percentile of the distances instead of their maximum.
        directed (bool): Only from prediction to truth.
        crop (bool): Looks only at the box around both areas; the result is the same.

    Raises:
        TypeError: An argument has another type.
        ValueError: `distance_metric` or `percentile` is out of range.
    """

    def __init__(self, distance_metric="euclidean", percentile=None, directed=False, crop=True):
        super().__init__(distance_metric)
        name = "HausdorffDistance"
        if percentile is not None:
            validator.check_value_type("percentile", percentile, [float], name)
            if not 0 <= percentile <= 100:
                raise ValueError(
                    f"For '{name}', the argument 'percentile' must be in [0, 100], but got {percentile}."
                )
        self.percentile = percentile
        self.directed = validator.check_value_type("directed", directed, [bool], name)
        self.crop = validator.check_value_type("crop", crop, [bool], name)

    def _largest(self, distances) -> float:
        if not distances.size:
            return math.inf
        return distances.max() if self.percentile is None else np.percentile(distances, self.percentile)

    def eval(self):
        """The distance."""
        return max(self._largest(d) for d in self._distances(not self.directed))


class _MeanDistance(_SurfaceDistance):
    def __init__(self, symmetric=False, distance_metric="euclidean"):
        super().__init__(distance_metric)
        self.symmetric = validator.check_value_type("symmetric", symmetric, [bool], type(self).__name__)

    def _mean(self, measure) -> float:
        """Mean of a measure of the distances; both directions count alike, whatever their lengths."""
        means = [measure(d).mean() if d.size else np.inf for d in self._distances(self.symmetric)]
        return np.mean(means)


@METRIC
class MeanSurfaceDistance(_MeanDistance):
    """The mean distance from the predicted outline to the true one.

    Raises:
        TypeError: `symmetric` is no bool.
        ValueError: `distance_metric` is something else.
    """

    def eval(self):
        """The distance."""
        return self._mean(np.asarray)


@METRIC
class RootMeanSquareDistance(_MeanDistance):
    """The root of the mean squared distance from the predicted outline to the true one.

    Raises:
        TypeError: `symmetric` is no bool.
        ValueError: `distance_metric` is something else.
    """

    def eval(self):
        """The distance."""
        return np.sqrt(self._mean(np.square))
