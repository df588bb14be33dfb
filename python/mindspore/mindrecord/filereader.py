# SPDX-License-Identifier: Apache-2.0
"""Reading of MindRecord files row by row."""

import json

from mindspore import log
from mindspore.mindrecord.config import ReadProtection
from mindspore.mindrecord.shardutils import check_columns, check_consumers, check_input_files

__all__ = ["FileReader"]


class FileReader:
    """Reads the rows of a MindRecord set in their order.

    .. note::
        :class:`mindspore.dataset.MindDataset` is faster and the interface for training.

    Args:
        file_name (Union[str, list[str]]): One file of a set, which stands for all its files, or a
            list of files.
        num_consumer (int, optional): Number of reader threads, 1 to the number of processor threads.
            Default: ``4`` .
        columns (list[str], optional): Fields to read. Default: ``None`` , all.
        operator (int, optional): Reserved. Default: ``None`` .

    Raises:
        ParamValueError: `file_name` or `num_consumer` cannot be used.
        ParamTypeError: `columns` is not a list of strings.
        RuntimeError: A file is missing or is not a MindRecord file.

    Examples:
        >>> from mindspore.mindrecord import FileReader, FileWriter
        >>> writer = FileWriter("reader_example.mindrecord", overwrite=True)
        >>> _ = writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}})
        >>> _ = writer.write_raw_data([{"label": 3, "data": b"pixels"}])
        >>> _ = writer.commit()
        >>> reader = FileReader("reader_example.mindrecord")
        >>> for row in reader.get_next():
        ...     print(row)
        {'data': b'pixels', 'label': 3}
        >>> reader.close()
    """

    def __init__(self, file_name, num_consumer=4, columns=None, operator=None):
        check_input_files(file_name)
        check_consumers(num_consumer)
        check_columns(columns)
        if operator is not None:
            log.warning("The parameter 'operator' is not used.")
        files = file_name if isinstance(file_name, list) else [file_name]
        self._protection = ReadProtection(files)
        self._reader = self._protection.open_reader(file_name, columns)
        self._length = self._reader.rows
        self._schema = self._reader.schema

    def get_next(self):
        """Gives the rows one by one.

        Returns:
            Generator of dict: numbers, str, bytes and ndarrays by the names of their fields.

        Examples:
            >>> for row in reader.get_next():  # doctest: +SKIP
            ...     print(row)
        """
        for row in range(self._length):
            if self._reader is None:
                return
            yield self._reader.read(row)

    def schema(self):
        """The schema of the files.

        Returns:
            dict, the descriptions of the fields by their names.
        """
        return json.loads(self._schema)

    def len(self):
        """Number of rows in all files together.

        Returns:
            int
        """
        return self._length

    def close(self):
        """Ends the reading; rows asked for afterwards do not come."""
        self._reader = None
        self._protection = None
