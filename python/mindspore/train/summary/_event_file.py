# SPDX-License-Identifier: Apache-2.0
"""Files of events: each with its length and two checksums."""

from __future__ import annotations

import os
import shutil
import struct

from mindspore import _c_expression as _c
from mindspore import log as logger

_FRAME_BYTES = 16
_SPARE = 32  # so many times the size of an event must be free on the disk


class EventFile:
    """A file to which events are appended; it is made with the first one.

    Args:
        path (str): The file.
        first (Callable): Makes the event with which the file begins; None: it begins with what comes.
        max_bytes (int): The file grows no larger; None: no limit.
        raises (bool): Whether a full disk is an exception, and not only an error in the log.
    """

    def __init__(self, path: str, first=None, max_bytes: int | None = None, raises: bool = False):
        self.path = path
        self._first, self._max_bytes, self._raises = first, max_bytes, raises
        self._file = None
        self._bytes = 0
        self._is_full = False

    def write(self, event: bytes) -> bool:
        """Appends an event; False when the file is full or the disk is."""
        if self._is_full:
            return False
        if self._file is None:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self._file = os.fdopen(descriptor, "ab")
            if self._first is not None and not self.write(self._first()):
                return False
        return self._has_room(len(event) + _FRAME_BYTES) and self._append(event)

    def _has_room(self, size: int) -> bool:
        if self._max_bytes is not None and self._bytes + size > self._max_bytes:
            logger.warning(
                "'max_file_size' = %s bytes is reached, nothing more is written to %s.",
                self._max_bytes,
                self.path,
            )
            self._is_full = True
            self.close()
            return False
        if shutil.disk_usage(os.path.dirname(self.path)).free >= _SPARE * size:
            return True
        text = f"The disk of {self.path} is almost full: {_SPARE * size} bytes should be free for an event."
        if self._raises:
            raise RuntimeError(text)
        logger.error(text)
        return False

    def _append(self, event: bytes) -> bool:
        length = struct.pack("<Q", len(event))
        head = length + struct.pack("<I", _c.masked_crc32c(length))
        self._file.write(head + event + struct.pack("<I", _c.masked_crc32c(event)))
        self._bytes += len(event) + _FRAME_BYTES
        return True

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file, which can only be read from then on."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._first = None
            os.chmod(self.path, 0o400)
