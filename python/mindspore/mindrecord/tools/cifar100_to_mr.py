# SPDX-License-Identifier: Apache-2.0
"""CIFAR-100 to MindRecord."""

from mindspore.mindrecord.tools._cifar import CifarConverter
from mindspore.mindrecord.tools.cifar100 import Cifar100

__all__ = ["Cifar100ToMR"]


class Cifar100ToMR(CifarConverter):
    """Converts CIFAR-100 to MindRecord: fields id, fine_label, coarse_label and data, the picture as JPEG.

    Args:
        source (str): The folder with the files of CIFAR-100, those that Python reads.
        destination (str): The file for the training pictures; `_test` is added for the others.

    Raises:
        ValueError: An argument is not a string, or is empty.

    Examples:
        >>> from mindspore.mindrecord import Cifar100ToMR
        >>> converter = Cifar100ToMR("/path/to/cifar-100-python", "cifar100.mindrecord")  # doctest: +SKIP
        >>> status = converter.transform(["fine_label", "coarse_label"])  # doctest: +SKIP
    """

    _reader = Cifar100
    _labels = {"fine_label": "fine_labels", "coarse_label": "coarse_labels"}
