# SPDX-License-Identifier: Apache-2.0
"""Writing of MindRecord files."""

import json
import os
import re
import shutil

from mindspore import _c_data, log
from mindspore._spelling import NotHere
from mindspore.mindrecord.common.constant import MAX_SHARD_COUNT, MIN_SHARD_COUNT
from mindspore.mindrecord.common.exceptions import (
    MRMAddSchemaError,
    MRMDefineIndexError,
    MRMGetMetaError,
    MRMInvalidSchemaError,
    ParamTypeError,
    ParamValueError,
)
from mindspore.mindrecord.config import ReadProtection, finish_writer, is_protected
from mindspore.mindrecord.shardutils import SUCCESS, check_filename

__all__ = ["FileWriter"]

_LEAST_FREE_BYTES = 10 << 20


class FileWriter:
    """Writes rows to MindRecord files.

    Nothing is seen under the names of the files before :func:`commit` : what was there stays as it is until
    then, also when the program ends early.

    Args:
        file_name (str): The file; with several files a number is added to it.
        shard_num (int, optional): Number of files that the rows are spread over, 1 to 1000. Default: ``1`` .
        overwrite (bool, optional): Whether files that exist may be replaced. Default: ``False`` .

    Raises:
        ParamValueError: An argument cannot be used.

    Examples:
        >>> import numpy as np
        >>> from mindspore.mindrecord import FileWriter
        >>> schema = {"name": {"type": "string"}, "label": {"type": "int32"}, "data": {"type": "bytes"},
        ...           "mask": {"type": "int64", "shape": [-1]}}
        >>> rows = [{"name": "a.jpg", "label": 0, "data": b"pixels", "mask": np.array([1, 2, 3])}]
        >>> writer = FileWriter("writer_example.mindrecord", shard_num=1, overwrite=True)
        >>> _ = writer.add_schema(schema, "pictures")
        >>> _ = writer.add_index(["label"])
        >>> _ = writer.write_raw_data(rows)
        >>> _ = writer.commit()
    """

    def __init__(self, file_name, shard_num=1, overwrite=False):
        check_filename(file_name)
        if shard_num is None:
            raise ParamValueError("Parameter shard_num is None.")
        if not isinstance(shard_num, int) or isinstance(shard_num, bool):
            raise ParamValueError("Parameter shard_num's type is not int.")
        if not MIN_SHARD_COUNT <= shard_num <= MAX_SHARD_COUNT:
            raise ParamValueError(
                f"Parameter shard_num's value: {shard_num} should between "
                f"{MIN_SHARD_COUNT} and {MAX_SHARD_COUNT}."
            )
        if not isinstance(overwrite, bool):
            raise ParamValueError("Parameter overwrite's type is not bool.")
        if shard_num > 1 and is_protected():
            raise RuntimeError(
                "When encode mode or hash check is enabled, the automatic sharding function is unavailable."
            )
        self._file_name = file_name
        digits = len(str(shard_num - 1))
        numbers = [str(i).rjust(digits, "0") for i in range(shard_num)]
        self._files = [file_name] if shard_num == 1 else [file_name + number for number in numbers]
        self._overwrite = overwrite
        self._schema = None
        self._description = ""
        self._index = []
        self._sizes = {}
        self._parallel = None
        self._writers = []
        self._turn = 0
        self._append = False
        self._committed = False

    open_and_set_header = NotHere(
        "open_and_set_header", "write_raw_data opens the files itself: leave this call out"
    )

    @classmethod
    def open_for_append(cls, file_name):
        """Opens a set to add rows to it.

        Args:
            file_name (str): One file of the set.

        Returns:
            FileWriter, which has the schema and the index fields of the set.

        Raises:
            ParamValueError: `file_name` cannot be the name of a file.
            RuntimeError: The files cannot be read.

        Examples:
            >>> from mindspore.mindrecord import FileWriter
            >>> writer = FileWriter("append_example.mindrecord", overwrite=True)
            >>> _ = writer.add_schema({"label": {"type": "int32"}})
            >>> _ = writer.write_raw_data([{"label": 1}])
            >>> _ = writer.commit()
            >>> more = FileWriter.open_for_append("append_example.mindrecord")
            >>> _ = more.write_raw_data([{"label": 2}])
            >>> _ = more.commit()
        """
        check_filename(file_name)
        writer = cls(file_name)
        writer.init_append(file_name, None)
        return writer

    def init_append(self, file_name, header):
        """Makes this writer continue the set of a file; called by :func:`open_for_append` .

        Args:
            file_name (str): One file of the set.
            header (object): Not used; it is read from the file.
        """
        del header
        self._file_name = file_name
        self._append = True
        self._writers = [ReadProtection([file_name]).append_writer(file_name)]
        self._schema = self._writers[0].schema

    def add_schema(self, content, desc=None):
        """Tells what a row consists of.

        Args:
            content (dict): The description of every field by its name: `type` is one of int32, int64,
                float32, float64, string, bytes; numbers with a `shape` are arrays, one length of which may
                be -1, any. The shape [-1] takes arrays of any rank and keeps them flat.
            desc (str, optional): A text for whoever reads the files. Default: ``None`` .

        Returns:
            int, the number of the schema, 0.

        Raises:
            MRMInvalidSchemaError: The schema cannot be used.
            MRMAddSchemaError: There is a schema already.
        """
        if not isinstance(content, dict) or not content:
            raise MRMInvalidSchemaError("Schema content is empty or not a dict.")
        if desc is not None and not isinstance(desc, str):
            raise MRMInvalidSchemaError("The description of the schema is not str.")
        if any(not isinstance(name, str) for name in content):
            raise MRMInvalidSchemaError("Field names of the schema are not all str.")
        try:
            checked = _c_data.check_record_schema(json.dumps(content))
        except (TypeError, ValueError) as error:
            raise MRMInvalidSchemaError(_reason(error)) from None
        if self._schema is not None:
            raise MRMAddSchemaError()
        self._schema = checked
        self._description = desc or ""
        return 0

    def add_index(self, index_fields):
        """Chooses the fields that rows can be found by; without it these are all single numbers and strings.

        Args:
            index_fields (list[str]): Names of fields that are neither bytes nor arrays.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            ParamTypeError: `index_fields` is not a list of strings.
            MRMDefineIndexError: A field is of bytes or an array.
            MRMGetMetaError: There is no schema yet.
            RuntimeError: A field is not in the schema, or is an index already.
        """
        if not isinstance(index_fields, list) or not index_fields:
            raise ParamTypeError("index_fields", "list")
        if self._schema is None:
            raise MRMGetMetaError()
        fields = json.loads(self._schema)
        for name in index_fields:
            if not isinstance(name, str):
                raise ParamTypeError("index field", "str")
            if name in fields and (fields[name]["type"] == "bytes" or "shape" in fields[name]):
                raise MRMDefineIndexError(f"Failed to set field {name} since it's not primitive type.")
        _c_data.check_record_index(self._schema, self._index + index_fields)
        self._index += index_fields
        return SUCCESS

    def set_header_size(self, header_size):
        """Sets how much room there is for the descriptions of pages; before the first rows.

        Args:
            header_size (int): Bytes, 16 KiB to 128 MiB, divisible by 4.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            RuntimeError: The size is outside these bounds.
        """
        _c_data.check_record_sizes(_integer(header_size, "header_size"), 1 << 25)
        self._sizes["header"] = header_size
        return SUCCESS

    def set_page_size(self, page_size):
        """Sets how much one page holds, and so how big a row can be; before the first rows.

        Args:
            page_size (int): Bytes, 32 KiB to 256 MiB, divisible by 4.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            RuntimeError: The size is outside these bounds.
        """
        _c_data.check_record_sizes(1 << 24, _integer(page_size, "page_size"))
        self._sizes["page"] = page_size
        return SUCCESS

    def write_raw_data(self, raw_data, parallel_writer=False):
        """Adds rows. Those with a missing field or a value of another type than the schema's are left out,
        with a warning; an array of another type or shape is an error, and nothing of this call is written.

        Args:
            raw_data (list[dict]): Values of rows by the names of fields.
            parallel_writer (bool, optional): Whether every file is a set of its own that gets whole calls in
                turn. Such files are read with a list of their names. Default: ``False`` .

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            ParamTypeError: `raw_data` is not a list of dicts.
            TypeError: `parallel_writer` is not a bool.
            RuntimeError: No row fits the schema, an array does not, or the rows cannot be stored.
        """
        if not isinstance(parallel_writer, bool):
            raise TypeError("The parameter `parallel_writer` must be bool.")
        if self._parallel not in (None, parallel_writer):
            raise RuntimeError("The parameter `parallel_writer` must be consistent during use.")
        if self._committed and not self._append:
            raise RuntimeError(
                "Not allowed to call `write_raw_data` on flushed MindRecord files. When creating new "
                "Mindrecord files, please remove `commit` before `write_raw_data`. In other cases, when "
                "appending to existing MindRecord files, please call `open_for_append` first and then "
                "`write_raw_data`."
            )
        if not isinstance(raw_data, list):
            raise ParamTypeError("raw_data", "list")
        if not raw_data:
            raise RuntimeError("The parameter `raw_data` is an empty list; there is nothing to write.")
        for row in raw_data:
            if not isinstance(row, dict):
                raise ParamTypeError("raw_data item", "dict")
        self._parallel = parallel_writer
        self._open_writers()
        self._check_free_space()
        writer = self._writers[self._turn % len(self._writers)]
        self._turn += 1
        for number, reason in writer.write(raw_data):
            log.warning("Row %d is not written: %s.", number, reason)
        return SUCCESS

    def commit(self):
        """Puts the files in place, complete with their indexes.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            RuntimeError: The files cannot be written; then none is replaced.

        Examples:
            >>> from mindspore.mindrecord import FileWriter
            >>> writer = FileWriter("commit_example.mindrecord", overwrite=True)
            >>> _ = writer.add_schema({"label": {"type": "int32"}})
            >>> _ = writer.commit()
        """
        if self._committed and not self._writers:
            return SUCCESS
        self._open_writers()
        writers, self._writers = self._writers, []
        for writer in writers:
            finish_writer(writer)
        self._committed = True
        return SUCCESS

    def _open_writers(self):
        if self._writers:
            return
        if self._append:
            self.init_append(self._file_name, None)
            return
        if self._schema is None:
            raise MRMGetMetaError()
        sets = [[file] for file in self._files] if self._parallel else [self._files]
        sizes = {} if self._parallel else self._sizes
        self._writers = [
            _c_data.RecordWriter.create(
                files,
                self._overwrite,
                self._schema,
                self._description,
                self._index,
                sizes.get("header", 1 << 24),
                sizes.get("page", 1 << 25),
                "page" not in sizes,
            )
            for files in sets
        ]

    def _check_free_space(self):
        if os.environ.get("MS_FREE_DISK_CHECK", "").lower() == "false":
            return
        folder = os.path.dirname(os.path.abspath(self._file_name))
        free = shutil.disk_usage(folder).free
        if free < _LEAST_FREE_BYTES:
            raise RuntimeError(
                f"No free disk to be used, free disk size: {free >> 20} MB of {folder} is less than 10 MB."
            )


def _integer(value, name):
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParamTypeError(name, "int")
    return value


def _reason(error):
    """The text of a native error without the position of the caller behind it."""
    return re.split(r"\n", str(error))[0]
