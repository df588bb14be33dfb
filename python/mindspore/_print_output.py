# SPDX-License-Identifier: Apache-2.0
"""Where `ops.Print` prints: on standard output, or into the file that `print_file_path` names."""

from __future__ import annotations

import builtins
import threading

_print = builtins.print  # a capture that is going on replaces it
_lock = threading.Lock()
_path = ""


def set_print_file(path: str) -> None:
    """Lets `ops.Print` write to a file; with an empty path, to standard output again."""
    global _path
    _path = path


def print_values(*values) -> None:
    """Prints values, one per line, or appends them to the file that was chosen."""
    if not _path:
        _print(*values, sep="\n")
        return
    from mindspore.train._print_file import encoded

    content = b"".join(map(encoded, values))
    with _lock, open(_path, "ab") as file:
        file.write(content)
