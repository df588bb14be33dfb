# SPDX-License-Identifier: Apache-2.0
"""CIFAR-10 to MindRecord."""

from mindspore.mindrecord.tools._cifar import CifarConverter
from mindspore.mindrecord.tools.cifar10 import Cifar10

__all__ = ["Cifar10ToMR"]


class Cifar10ToMR(CifarConverter):
    """Converts CIFAR-10 to MindRecord: fields id, label and data, the picture as JPEG.

    Args:
        source (str): The folder with the files of CIFAR-10, those that Python reads.
        destination (str): The file for the training pictures; `_test` is added for the others.

    Raises:
        ValueError: An argument is not a string, or is empty.

    Examples:
        >>> from mindspore.mindrecord import Cifar10ToMR
        >>> converter = Cifar10ToMR("/path/to/cifar-10-batches-py", "cifar10.mindrecord")  # doctest: +SKIP
        >>> status = converter.transform(["label"])  # doctest: +SKIP
    """

    _reader = Cifar10
    _labels = {"label": "labels"}
