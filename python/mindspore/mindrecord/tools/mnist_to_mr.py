# SPDX-License-Identifier: Apache-2.0
"""MNIST to MindRecord."""

import gzip
import os

import numpy as np

from mindspore.mindrecord.tools._convert import (
    check_destination,
    check_partitions,
    check_path,
    deprecated_run,
    encode_jpeg,
    write_set,
)

__all__ = ["MnistToMR"]

_SCHEMA = {"label": {"type": "int64"}, "data": {"type": "bytes"}}


class MnistToMR:
    """Converts MNIST to MindRecord: fields label and data, the picture as JPEG.

    Args:
        source (str): The folder with the files train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz and
            those of t10k.
        destination (str): Name of the files, to which `_train.mindrecord` and `_test.mindrecord` are added.
        partition_number (int, optional): Number of files of each. Default: ``1`` .

    Raises:
        ValueError: An argument is of the wrong type, or empty.

    Examples:
        >>> from mindspore.mindrecord import MnistToMR
        >>> status = MnistToMR("/path/to/mnist", "mnist").transform()  # doctest: +SKIP
    """

    def __init__(self, source, destination, partition_number=1):
        check_path(source, "source")
        check_destination(destination)
        check_partitions(partition_number)
        self.source = source
        self.destination = destination
        self.partition_number = partition_number

    def transform(self):
        """Writes the files.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            RuntimeError: The files cannot be read, or exist already.
        """
        self._write("train", "_train.mindrecord")
        return self._write("t10k", "_test.mindrecord")

    def _write(self, part, suffix):
        images = _read_idx(os.path.join(self.source, f"{part}-images-idx3-ubyte"), 3)
        labels = _read_idx(os.path.join(self.source, f"{part}-labels-idx1-ubyte"), 1)
        if len(images) != len(labels):
            raise RuntimeError(
                f"There are {len(images)} pictures, but {len(labels)} labels in {self.source}."
            )
        rows = (
            {"label": int(label), "data": encode_jpeg(image[:, :, None])}
            for image, label in zip(images, labels, strict=True)
        )
        return write_set(
            self.destination + suffix,
            _SCHEMA,
            rows,
            description="mnist_schema",
            index=["label"],
            partitions=self.partition_number,
        )

    run = deprecated_run(transform)


def _read_idx(path, axes):
    """Bytes with their lengths in front, packed or not."""
    packed = path + ".gz"
    if os.path.exists(packed):
        with gzip.open(packed, "rb") as file:
            content = file.read()
    else:
        with open(path, "rb") as file:
            content = file.read()
    start = 4 + 4 * axes
    if len(content) < start or content[:4] != bytes([0, 0, 8, axes]):
        raise RuntimeError(f"The file {path} is not an idx file of bytes with {axes} axes.")
    lengths = [int(n) for n in np.frombuffer(content, ">u4", axes, 4)]
    size = 1
    for length in lengths:
        size *= length
    if size != len(content) - start:
        raise RuntimeError(f"The file {path} must hold {size} bytes of data, but got {len(content) - start}.")
    return np.frombuffer(content, np.uint8, size, start).reshape(lengths)
