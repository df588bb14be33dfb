# SPDX-License-Identifier: Apache-2.0
"""What the converters of CIFAR-10 and CIFAR-100 do alike."""

from mindspore.mindrecord.shardutils import check_filename
from mindspore.mindrecord.tools._convert import check_path, deprecated_run, encode_jpeg, write_set


class CifarConverter:
    """Writes the pictures as JPEG, with an id and their labels.

    Args:
        source (str): The folder with the files.
        destination (str): The file for the training pictures; `_test` is added for the others.
    """

    _reader = None  # the class that reads the files
    _labels = {}  # the array of labels by the field that it becomes

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
        cifar = self._reader(self.source, False)
        cifar.load_data()
        self._write(self.destination, cifar, fields)
        return self._write(self.destination + "_test", cifar.Test, fields)

    run = deprecated_run(transform)

    def _write(self, destination, part, fields):
        columns = {"id": "int64", **dict.fromkeys(self._labels, "int64"), "data": "bytes"}
        schema = {name: {"type": kind} for name, kind in columns.items()}
        labels = [getattr(part, name) for name in self._labels.values()]
        rows = (
            dict(zip(columns, (number, *map(int, values), encode_jpeg(image)), strict=True))
            for number, (image, *values) in enumerate(zip(part.images, *labels, strict=True))
        )
        return write_set(destination, schema, rows, description="img_schema", index=fields)
