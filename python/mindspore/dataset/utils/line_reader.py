# SPDX-License-Identifier: Apache-2.0
"""Lines of a text file by number."""

from __future__ import annotations

import os
from array import array

from ..core.checks import check_int_range


class LineReader:
    """Reads any line of a file that may be larger than memory; only the places of the lines are kept.

    Args:
        filename (str): Path of the file.

    Raises:
        TypeError: `filename` is not a str.
        RuntimeError: The file does not exist or is not a regular file.

    Examples:
        >>> from mindspore.dataset.utils import LineReader
        >>> reader = LineReader("/path/to/file")  # doctest: +SKIP
        >>> reader.readline(1)  # doctest: +SKIP
    """

    def __init__(self, filename: str) -> None:
        if not isinstance(filename, str):
            raise TypeError(f"The filename {filename} is not string.")
        if not os.path.exists(filename):
            raise RuntimeError(f"The file {filename} does not exist.")
        if not os.path.isfile(filename):
            raise RuntimeError(f"The file {filename} is not a regular file.")
        self.filename = filename
        self._file = open(filename, "rb")  # noqa: SIM115 - lives as long as the reader
        self._ends = array("Q")
        end = 0
        for line in self._file:
            end += len(line)
            self._ends.append(end)

    def readline(self, line: int) -> str:
        """One line without its end.

        Args:
            line (int): Its number, from 1.

        Raises:
            TypeError: `line` is not an int.
            ValueError: There is no such line, or the reader is closed.
        """
        check_int_range(line, 1, len(self._ends), "line")
        begin = self._ends[line - 2] if line > 1 else 0
        self._file.seek(begin)
        return self._file.read(self._ends[line - 1] - begin).decode("utf-8").rstrip("\r\n")

    def __getitem__(self, line: int) -> str:
        return self.readline(line)

    def len(self) -> int:
        """Number of lines."""
        return len(self._ends)

    def __len__(self) -> int:
        return len(self._ends)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
