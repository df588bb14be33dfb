# SPDX-License-Identifier: Apache-2.0
"""Parts of images, resampled."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import takes

__all__ = ["crop_and_resize"]

_METHODS = ("bilinear", "nearest", "bilinear_v2")


def bilinear_at(image, y, x, outside) -> Tensor:
    """Elements of (C, H, W) at real places; `outside` says what lies off the image is worth."""
    height, width = image.shape[1:]
    low_y = op.clamp(op.floor(y), 0, height - 1)
    low_x = op.clamp(op.floor(x), 0, width - 1)
    dy, dx = op.clamp(op.sub(y, low_y), 0, 1), op.clamp(op.sub(x, low_x), 0, 1)
    y0, x0 = op.cast(low_y, mstype.int64), op.cast(low_x, mstype.int64)
    y1, x1 = op.minimum(op.add(y0, 1), height - 1), op.minimum(op.add(x0, 1), width - 1)
    corners = ((y0, x0), (y0, x1), (y1, x0), (y1, x1))
    a, b, c, d = (op.index_gather(image, list(pair), axes=(1, 2)) for pair in corners)
    value = op.lerp(op.lerp(a, b, dx), op.lerp(c, d, dx), dy)
    low, high = outside[1], outside[2]
    inside_y = op.logical_and(op.greater_equal(y, low), op.less_equal(y, height + high))
    inside_x = op.logical_and(op.greater_equal(x, low), op.less_equal(x, width + high))
    return op.where(op.logical_and(inside_y, inside_x), value, op.full_like(value, outside[0]))


def _corner_places(start, stop, length: int, wanted: int) -> Tensor:
    """Places between two corners, of which the first and the last are the corners themselves."""
    step = op.arange(0, wanted, 1, mstype.float32)
    if wanted == 1:
        return op.add(op.mul(step, 0.0), op.mul(op.add(start, stop), 0.5 * (length - 1)))
    scale = op.div(op.mul(op.sub(stop, start), length - 1), wanted - 1)
    return op.add(op.mul(start, length - 1), op.mul(step, scale))


def _centre_places(start, stop, length: int, wanted: int) -> Tensor:
    """Centres of equal cells of the elements that two corners touch; never off the image."""
    first, last = op.trunc(op.mul(start, length)), op.trunc(op.mul(stop, length))
    count = op.maximum(op.add(op.sub(last, first), 1), 1)
    cells = op.add(op.arange(0, wanted, 1, mstype.float32), 0.5)
    inner = op.sub(op.mul(cells, op.div(count, wanted)), 0.5)
    inner = op.minimum(op.maximum(inner, 0.0), op.sub(count, 1))
    return op.clamp(op.add(inner, first), 0, length - 1)


def _check_crops(image, boxes, box_indices, crop_size, method) -> list:
    """The images' places as a list, when everything fits."""
    name = "For 'crop_and_resize'"
    if not isinstance(crop_size, (tuple, list)) or not all(isinstance(side, int) for side in crop_size):
        raise TypeError(f"{name}, the 'crop_size' must be a tuple of two ints, but got {crop_size}.")
    if len(crop_size) != 2 or min(crop_size) <= 0:
        raise ValueError(f"{name}, the 'crop_size' must be two positive ints, but got {crop_size}.")
    if boxes.shape[1] != 4:
        raise ValueError(f"{name}, the 'boxes' must have the shape (N, 4), but got {boxes.shape}.")
    if boxes.shape[0] != box_indices.shape[0]:
        raise ValueError(
            f"{name}, 'box_indices' must say the image of each of the {boxes.shape[0]} boxes, "
            f"but got the shape {box_indices.shape}."
        )
    if method not in _METHODS:
        raise ValueError(f"{name}, the 'method' must be one of {_METHODS}, but got '{method}'.")
    which = box_indices.tolist()
    if any(not 0 <= index < image.shape[0] for index in which):
        raise ValueError(f"{name}, 'box_indices' must be in [0, {image.shape[0]}), but got {which}.")
    return which


@takes(image=(4, 4), boxes=(2, 2), box_indices=(1, 1))
def crop_and_resize(
    image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0
) -> Tensor:
    """Parts of images, given as boxes of normalised corners, resampled to one size.

    Args:
        image (Tensor): Shape (N, H, W, C).
        boxes (Tensor): Shape (M, 4), rows (y0, x0, y1, x1); 1 is the last element of an axis. A box whose
            second corner lies before the first is mirrored.
        box_indices (Tensor): Shape (M,): which image each box is of.
        crop_size (tuple[int]): Height and width of the results.
        method (str): ``"bilinear"`` or ``"nearest"`` at places from corner to corner, or ``"bilinear_v2"`` at
            the centres of equal cells. Default: ``"bilinear"``.
        extrapolation_value (float): What lies off the image is worth; ``"bilinear_v2"`` repeats its edge
            instead. Default: ``0.0``.

    Returns:
        Tensor of float32 and shape (M, height, width, C).

    Raises:
        TypeError: `crop_size` is not a tuple of ints.
        ValueError: A shape, a value of `box_indices` or `crop_size`, or `method` is none of these.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore
        >>> from mindspore import Tensor, ops
        >>> image = Tensor([[[[0.0], [1.0]], [[2.0], [3.0]]]])
        >>> box = Tensor([[0.0, 0.0, 1.0, 1.0]])
        >>> print(ops.crop_and_resize(image, box, Tensor([0], mindspore.int32), (1, 3)).reshape(3))
        [1.  1.5 2. ]
    """
    which = _check_crops(image, boxes, box_indices, crop_size, method)
    images = op.cast(op.transpose(image, (0, 3, 1, 2)), mstype.float32)
    rows, columns = crop_size
    places = _centre_places if method == "bilinear_v2" else _corner_places
    results = []
    for box, index in zip(op.unbind(boxes, 0), which, strict=True):
        y0, x0, y1, x1 = op.unbind(box, 0)
        ys = op.expand_dims(places(y0, y1, images.shape[2], rows), 1)
        xs = op.expand_dims(places(x0, x1, images.shape[3], columns), 0)
        ys, xs = op.broadcast_to(ys, (rows, columns)), op.broadcast_to(xs, (rows, columns))
        if method == "nearest":
            # Halves go up, which op.round would not do; what is less than 0 is off the image in any case.
            ys, xs = op.floor(op.add(ys, 0.5)), op.floor(op.add(xs, 0.5))
        results.append(bilinear_at(images[index], ys, xs, (extrapolation_value, 0, -1)))
    return op.transpose(op.stack(results), (0, 2, 3, 1))
