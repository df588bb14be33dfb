# SPDX-License-Identifier: Apache-2.0
"""Summary values as the messages of event files."""

from __future__ import annotations

import struct
import time
import zlib

import numpy as np

from mindspore import log as logger
from mindspore.train import _protobuf as pb
from mindspore.train._graph_message import DATA_TYPES

VERSION = "MindSpore.Event:1"
_IMAGES_PER_ROW = 8
_RGB = 3
_BUCKETS = ((0, 1), (5, 2), (10, 3))  # up to so many values: so many buckets
_MOST_BUCKETS = 90


def event(content: bytes, step: int | None = None) -> bytes:
    """An event of now with one of its fields 3 to 6."""
    return pb.double(1, time.time()) + (b"" if step is None else pb.integer(2, step)) + content


def version_event() -> bytes:
    """The first event of a file."""
    return event(pb.block(3, VERSION))


def graph_event(graph: bytes) -> bytes:
    """An event with a graph."""
    return event(pb.block(4, graph))


def summary_event(step: int, values: list[bytes]) -> bytes:
    """An event with the values of a step."""
    return event(pb.block(5, b"".join(pb.block(1, value) for value in values)), step)


def value_message(plugin: str, tag: str, tensor, dtype=None) -> bytes | None:
    """A value of a step; None, with an error in the log, when it cannot be shown so.

    Args:
        plugin (str): "scalar", "tensor", "image", "histogram" or "landscape".
        tag (str): Its name.
        tensor (Union[numpy.ndarray, bytes]): The value; of a landscape its message.
        dtype (mindspore.dtype): Type of the tensor that the array was made of. Default: ``None``.
    """
    content = _WRITERS[plugin](tag, tensor, dtype)
    return None if content is None else pb.block(1, tag) + content


def _scalar(tag: str, array, dtype):
    if array.size == 0:
        logger.error("The scalar '%s' is empty and not recorded.", tag)
        return None
    if array.size > 1:
        logger.info("The scalar '%s' has %s elements; the first is recorded.", tag, array.size)
    return pb.real(3, float(array.reshape(-1)[0]))


def tensor_message(array, dtype=None) -> bytes:
    """A tensor as float32 numbers, with its own type beside."""
    dims = b"".join(pb.integer(1, length) for length in array.shape)
    numbers = np.ascontiguousarray(array, dtype="<f4").tobytes()
    return dims + pb.integer(2, DATA_TYPES.get(dtype, 11)) + pb.block(3, numbers)


def _tensor(tag: str, array, dtype):
    return pb.block(8, tensor_message(array, dtype))


def _calc_histogram_bins(count):
    """How many buckets so many values get.

    Args:
        count (int): The number of values.

    Returns:
        int.
    """
    for most, buckets in _BUCKETS:
        if count <= most:
            return buckets
    return min(count // 10 + 1, _MOST_BUCKETS) if count <= 880 else _MOST_BUCKETS


def _histogram(tag: str, array, dtype):
    array = array.reshape(-1)
    is_real = array.dtype.kind == "f"
    finite = array[np.isfinite(array)] if is_real else array
    counts = (
        (np.isnan(array).sum(), np.isposinf(array).sum(), np.isneginf(array).sum()) if is_real else (0,) * 3
    )
    parts = []
    if finite.size:
        low, high = finite.min(), finite.max()
        edges_from, edges_to = (float(low), float(high)) if low < high else (low - 0.5, high + 0.5)
        edges = np.linspace(edges_from, edges_to, _calc_histogram_bins(finite.size) + 1, dtype=array.dtype)
        found, edges = np.histogram(finite, bins=edges)
        for count, left, right in zip(found, edges[:-1], edges[1:], strict=True):
            bucket = pb.double(1, float(left)) + pb.double(2, float(right - left)) + pb.integer(3, int(count))
            parts.append(pb.block(1, bucket))
    parts += [pb.integer(field, int(count)) for field, count in zip((2, 3, 4), counts, strict=True)]
    if finite.size:
        parts.append(pb.double(5, float(high)) + pb.double(6, float(low)))
        parts.append(pb.double(7, float(finite.sum(dtype=np.float64))))
    parts.append(pb.integer(8, array.size))
    return pb.block(9, b"".join(parts))


def _image(tag: str, array, dtype):
    if array.ndim != 4 or array.shape[1] not in (1, 3) or 0 in array.shape:
        logger.error(
            "The image '%s' must have the shape (N, C, H, W) with 1 or 3 channels, but got %s.",
            tag,
            array.shape,
        )
        return None
    pixels = _as_pixels(_grid_of(array))
    height, width = pixels.shape[:2]
    content = pb.integer(1, height) + pb.integer(2, width) + pb.integer(3, _RGB)
    return pb.block(4, content + pb.block(4, png_of(pixels)))


def _grid_of(array):
    """The images of a batch beside and below each other, with three channels last."""
    if array.shape[1] == 1:
        array = np.repeat(array, 3, axis=1)
    count, channels, height, width = array.shape
    columns = min(count, _IMAGES_PER_ROW)
    rows = -(-count // columns)
    grid = np.zeros((rows * height, columns * width, channels))
    for number, image in enumerate(array):
        row, column = divmod(number, columns)
        place = np.s_[row * height : (row + 1) * height, column * width : (column + 1) * width]
        grid[place] = image.transpose(1, 2, 0)
    return grid


def _as_pixels(grid):
    low, high = grid.min(), grid.max()
    if low >= 0 and high <= 1:
        grid = grid.astype(np.float32) * np.float32(255)
    else:
        factor = 1.0 if high == low else 255.0 / (high - low + 1)
        grid = ((grid - low) * factor).astype(np.float32)
    return grid.astype(np.uint8)


def png_of(pixels) -> bytes:
    """A PNG file of an array of bytes, (height, width, 3)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape[:2]
    rows = np.zeros((height, width * 3 + 1), np.uint8)  # each row begins with the number of its filter, 0
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


_WRITERS = {
    "scalar": _scalar,
    "tensor": _tensor,
    "histogram": _histogram,
    "image": _image,
    "landscape": lambda tag, message, dtype: pb.block(10, message),
}
