# SPDX-License-Identifier: Apache-2.0
"""CIFAR-100 to MindRecord."""

from mindspore.mindrecord.shardutils import check_filename
from mindspore.mindrecord.tools._convert import check_path, deprecated_run, encode_jpeg, write_set
from mindspore.mindrecord.tools.cifar100 import Cifar100

__all__ = ["Cifar100ToMR"]

_SCHEMA = {
    "id": {"type": "int64"},
    "fine_label": {"type": "int64"},
    "coarse_label": {"type": "int64"},
    "data": {"type": "bytes"},
}


class Cifar100ToMR:
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
        cifar = Cifar100(self.source, False)
        cifar.load_data()
        _write(self.destination, cifar, fields)
        return _write(self.destination + "_test", cifar.Test, fields)

    run = deprecated_run(transform)


def _write(destination, part, fields):
    rows = (
        {"id": number, "fine_label": int(fine), "coarse_label": int(coarse), "data": encode_jpeg(image)}
        for number, (image, fine, coarse) in enumerate(
            zip(part.images, part.fine_labels, part.coarse_labels, strict=True)
        )
    )
    return write_set(destination, _SCHEMA, rows, description="img_schema", index=fields)
