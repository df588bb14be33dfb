# SPDX-License-Identifier: Apache-2.0
"""Status values and checks of file names and worker counts."""

import enum
import os

from mindspore.mindrecord.common.constant import MAX_CONSUMER_COUNT, MIN_CONSUMER_COUNT
from mindspore.mindrecord.common.exceptions import ParamTypeError, ParamValueError

__all__ = ["FAILED", "SUCCESS", "MSRStatus", "check_filename"]


class MSRStatus(enum.IntEnum):
    """How a call of the old interface ended."""

    SUCCESS = 0
    FAILED = 1


SUCCESS = MSRStatus.SUCCESS
FAILED = MSRStatus.FAILED

_FORBIDDEN = set("\\/:*?\"<>|`&';")


def check_filename(path, arg_name=""):
    """Refuses what cannot be the name of a MindRecord file.

    Args:
        path (str): The file.
        arg_name (str): How the argument is called in the message. Default: ``""`` .

    Raises:
        ParamValueError: `path` is empty, no string, or has characters that file names must not have.
    """
    prefix = arg_name + ": " if arg_name else ""
    if not path:
        raise ParamValueError(f"{prefix}File path is not allowed None or empty!")
    if not isinstance(path, str):
        raise ParamValueError(f"{prefix}File path: {path} is not string.")
    if path.endswith("/"):
        raise ParamValueError(f"{prefix}File path can not end with '/'.")
    name = os.path.basename(path)
    if _FORBIDDEN & set(name):
        raise ParamValueError(f"{prefix}File name should not contains \\/:*?\"<>|`&';\n")
    if name.startswith(" ") or name.endswith(" "):
        raise ParamValueError(f"{prefix}File name should not start/end with space.")
    if not name:
        raise ParamValueError(f"{prefix}File name is empty.")


def check_input_files(file_name):
    """A file name, or a list of some."""
    if isinstance(file_name, list):
        if not file_name:
            raise ParamValueError("Parameter file_name is an empty list.")
        for name in file_name:
            check_filename(name)
    else:
        check_filename(file_name)


def check_consumers(num_consumer):
    """How many threads may read: more than the machine has are of no use."""
    if num_consumer is None:
        raise ParamValueError("Parameter num_consumer is None.")
    if not isinstance(num_consumer, int) or isinstance(num_consumer, bool):
        raise ParamValueError("Parameter num_consumer is not int.")
    most = min(MAX_CONSUMER_COUNT, max(os.cpu_count() or 1, MIN_CONSUMER_COUNT))
    if not MIN_CONSUMER_COUNT <= num_consumer <= MAX_CONSUMER_COUNT:
        raise ParamValueError(f"Parameter num_consumer: {num_consumer} should be in [1, {most}].")


def check_columns(columns):
    """A list of names, or nothing."""
    if columns is None:
        return
    if not isinstance(columns, list):
        raise ParamTypeError("columns", "list")
    for column in columns:
        if not isinstance(column, str):
            raise ParamTypeError("columns element", "str")
