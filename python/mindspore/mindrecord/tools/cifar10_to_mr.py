# SPDX-License-Identifier: Apache-2.0
"""CIFAR-10 to MindRecord."""

from mindspore.mindrecord.shardutils import check_filename
from mindspore.mindrecord.tools._convert import check_path, deprecated_run, encode_jpeg, write_set
from mindspore.mindrecord.tools.cifar10 import Cifar10

__all__ = ["Cifar10ToMR"]

_SCHEMA = {"id": {"type": "int64"}, "label": {"type": "int64"}, "data": {"type": "bytes"}}


class Cifar10ToMR:
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

    def __init__(self, source, destination):
        check_path(source, "source")
        check_filename(destination)
        self.source = source
        self.destination = destination

    def transform(self, fields=None):
        """Writes the files.

        Args:
            fields (list[str], optional): Index fields. Default: ``None`` .

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            ValueError: `fields` is not a list.
            RuntimeError: The files cannot be read, or exist already.
        """
        if fields is not None and not isinstance(fields, list):
            raise ValueError(f"The parameter fields should be None or list, but got {type(fields).__name__}")
        cifar = Cifar10(self.source, False)
        cifar.load_data()
        _write(self.destination, cifar.images, cifar.labels, fields)
        return _write(self.destination + "_test", cifar.Test.images, cifar.Test.labels, fields)

    run = deprecated_run(transform)


def _write(destination, images, labels, fields):
    rows = (
        {"id": number, "label": int(label), "data": encode_jpeg(image)}
        for number, (image, label) in enumerate(zip(images, labels, strict=True))
    )
    return write_set(destination, _SCHEMA, rows, description="img_schema", index=fields)
