# SPDX-License-Identifier: Apache-2.0
"""Which parts of an image a prediction rests on."""

from __future__ import annotations

import numpy as np

from mindspore import _checkparam as validator
from mindspore.common.tensor import Tensor
from mindspore.train.metrics.metric import METRIC, Metric, rearrange_inputs, to_numpy


@METRIC
class OcclusionSensitivity(Metric):
    """Loss of score for a label when the surroundings of a point are covered, for every point.

    Args:
        pad_val (float): What covers the points.
        margin (Union[int, Sequence]): How far the cover reaches along each axis, from ``-margin`` to below
            ``margin``.
        n_batch (int): Images the network sees at once.
        b_box (Sequence): ``[min1, max1, min2, max2, ...]`` of the points to look at, without the batch
            axis, both ends included. Default: ``None``, all.

    Raises:
        TypeError: An argument has another type.
    """

    def __init__(self, pad_val=0.0, margin=2, n_batch=128, b_box=None):
        super().__init__()
        name = "OcclusionSensitivity"
        self.pad_val = validator.check_value_type("pad_val", pad_val, [float], name)
        self.margin = validator.check_value_type("margin", margin, [int, tuple, list], name)
        self.n_batch = validator.check_value_type("n_batch", n_batch, [int], name)
        self.b_box = (
            b_box if b_box is None else validator.check_value_type("b_box", b_box, [list, tuple], name)
        )
        self.clear()

    def clear(self):
        self._baseline = None
        self._sensitivity_im = None

    def _ranges(self, shape) -> list[range]:
        if self.b_box is None:
            return [range(size) for size in shape]
        low, high = self.b_box[0::2], self.b_box[1::2]
        if len(self.b_box) != 2 * len(shape):
            raise ValueError(
                "For 'OcclusionSensitivity', the 'b_box' must have a minimum and a maximum for each of the "
                f"{len(shape)} axes, but got {self.b_box}."
            )
        if any(b < a or a < 0 for a, b in zip(low, high, strict=False)):
            raise ValueError(
                f"For 'OcclusionSensitivity', the 'b_box' must rise from at least 0, but got {self.b_box}."
            )
        if any(b >= size for b, size in zip(high, shape, strict=False)):
            raise ValueError(
                "For 'OcclusionSensitivity', maximum bounding box must be smaller than image size for all "
                "values."
            )
        return [range(a, b + 1) for a, b in zip(low, high, strict=False)]

    def _covered(self, image, centre, margins):
        copy = image.copy()
        copy[tuple(slice(max(c - m, 0), c + m) for c, m in zip(centre, margins, strict=False))] = self.pad_val
        return copy

    @rearrange_inputs
    def update(self, *inputs):
        """Runs the network on covered copies of an image.

        Args:
            inputs: The network, an image (1, ...) and the label to look at.

        Raises:
            ValueError: There are not three inputs, or the bounding box does not fit.
            RuntimeError: There is more than one image or label.
        """
        model, image, label = self._take(inputs, 3, "model, y_pred, label")
        image, label = to_numpy(image), to_numpy(label).reshape(-1)
        if image.shape[0] != 1:
            raise RuntimeError(
                "For 'OcclusionSensitivity.update', the predicted value (input[1]) must have one row, but "
                f"got {image.shape[0]}."
            )
        if label.size != 1:
            raise RuntimeError(
                "For 'OcclusionSensitivity.update', the number of labels must be the number of images 1, but "
                f"got {label.size}."
            )
        label = int(label[0])

        def scores(batch):
            return to_numpy(model(Tensor(batch)))[:, label].astype(np.float64)

        picture = image[0]
        ranges = self._ranges(picture.shape)
        margins = [self.margin] * picture.ndim if isinstance(self.margin, int) else list(self.margin)
        margins = [max(m, 1) for m in margins]
        centres = np.stack(np.meshgrid(*ranges, indexing="ij"), -1).reshape(-1, picture.ndim)
        self._baseline = scores(image)[0]
        found = [
            scores(np.stack([self._covered(picture, c, margins) for c in centres[i : i + self.n_batch]]))
            for i in range(0, len(centres), self.n_batch)
        ]
        self._sensitivity_im = (self._baseline - np.concatenate(found)).reshape([len(r) for r in ranges])

    def eval(self):
        """The losses of score, one per point."""
        self._require_update(self._sensitivity_im is not None)
        return self._sensitivity_im
