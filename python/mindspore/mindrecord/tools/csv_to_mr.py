# SPDX-License-Identifier: Apache-2.0
"""CSV files to MindRecord."""

import csv

from mindspore.mindrecord.tools._convert import (
    check_destination,
    check_partitions,
    check_path,
    deprecated_run,
    write_set,
)

__all__ = ["CsvToMR"]

_MISSING = {"", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "n/a", "<NA>"}
_TRUTH = {"True": 1, "TRUE": 1, "true": 1, "False": 0, "FALSE": 0, "false": 0}


class CsvToMR:
    """Converts a CSV file to MindRecord. A column of whole numbers becomes int64, of numbers float64, of True
    and False int32, and any other a string.

    Args:
        source (str): The CSV file; its first line has the names of the columns.
        destination (str): The file to write.
        columns_list (list[str], optional): Columns to take. Default: ``None`` , all.
        partition_number (int, optional): Number of files. Default: ``1`` .

    Raises:
        ValueError: An argument is of the wrong type, or empty.

    Examples:
        >>> from mindspore.mindrecord import CsvToMR
        >>> with open("people.csv", "w") as file:
        ...     _ = file.write("name,age\\nAda,36\\n")
        >>> status = CsvToMR("people.csv", "people.mindrecord").transform()  # doctest: +SKIP
    """

    def __init__(self, source, destination, columns_list=None, partition_number=1):
        check_path(source, "source")
        check_destination(destination)
        if columns_list is not None and (
            not isinstance(columns_list, list) or any(not isinstance(name, str) for name in columns_list)
        ):
            raise ValueError("The parameter columns_list must be list of str.")
        check_partitions(partition_number)
        self.source = source
        self.destination = destination
        self.columns_list = columns_list
        self.partition_number = partition_number

    def transform(self):
        """Writes the files.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            IOError: The CSV file cannot be read.
            ValueError: A column does not exist, or its name cannot be a field.
            RuntimeError: The files exist already.
        """
        names, lines = _read(self.source)
        for name in self.columns_list or []:
            if name not in names:
                raise ValueError(f"The parameter columns_list is illegal, column {name} does not exist.")
        columns = {name: [line[i] for line in lines] for i, name in enumerate(names)}
        if self.columns_list is not None:
            columns = {name: columns[name] for name in self.columns_list}
        for name in columns:
            if name[:1].isdigit():
                raise ValueError(
                    f"The first line content: {name} of the CSV file is used as a column name and does not "
                    "allow starting with a number"
                )
        types = {name: _type_of(values) for name, values in columns.items()}
        schema = {name: {"type": kind} for name, kind in types.items()}
        rows = (
            {name: _CONVERT[types[name]](values[i]) for name, values in columns.items()}
            for i in range(len(lines))
        )
        return write_set(
            self.destination,
            schema,
            rows,
            description="csv_schema",
            index=list(columns),
            partitions=self.partition_number,
        )

    run = deprecated_run(transform)


def _read(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = [line for line in csv.reader(file) if line]
    if not lines:
        raise RuntimeError(f"The file {path} is empty.")
    names, lines = lines[0], lines[1:]
    for number, line in enumerate(lines, 2):
        if len(line) > len(names):
            raise RuntimeError(
                f"{path}, line {number}: {len(names)} values were expected, but got {len(line)}."
            )
        line += [""] * (len(names) - len(line))
    return names, lines


def _is(convert, text):
    try:
        convert(text)
    except ValueError:
        return False
    return True


def _type_of(values):
    if values and all(value in _TRUTH for value in values):
        return "int32"
    if values and all(_is(int, value) and -(2**63) <= int(value) < 2**63 for value in values):
        return "int64"
    given = [value for value in values if value not in _MISSING]
    if given and all(_is(float, value) for value in given):
        return "float64"
    return "string"


_CONVERT = {
    "int32": _TRUTH.__getitem__,
    "int64": int,
    "float64": lambda text: float("nan") if text in _MISSING else float(text),
    "string": str,
}
