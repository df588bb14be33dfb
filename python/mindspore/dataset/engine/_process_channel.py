# SPDX-License-Identifier: Apache-2.0
"""Messages between two processes: small ones through a socket, arrays through shared memory.

A message is a pickled value. Buffers of `INLINE_LIMIT` bytes and more, and a stream of that length, are not
sent but laid into an area of anonymous memory which belongs to the sender; its descriptor travels over the
socket whenever the area had to grow, and is closed at once on both sides. Nothing of it has a name, so
nothing is left behind by processes that were killed. The two sides speak in turn: the area may be written
again as soon as the answer is there, because the receiver has copied what it keeps. What needs more than
`KEPT_LIMIT` gets an area of its own, which is the receiver's from then on: arrays lie in it as they are, and
it goes with them, so that no side holds memory for rows that are not there.
"""

from __future__ import annotations

import errno
import mmap
import os
import pickle
import socket
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

INLINE_LIMIT = 10_000  # bytes
KEPT_LIMIT = 4 << 20
_SMALLEST_AREA = 1 << 20
_ALIGNMENT = 64
_READ_BYTES = 1 << 16
_NO_SPACE = (errno.ENOSPC, errno.ENOMEM, errno.EDQUOT, errno.EFBIG)

_HEADER = struct.Struct("<BIQ")  # flags, buffers outside the stream, length of the stream
_LENGTH = struct.Struct("<Q")
_IN_AREA = 1  # buffers lie in the sender's area; otherwise they follow on the socket
_STREAM_IN_AREA = 2  # so does the pickled stream, as the last one
_NEW_AREA = 4  # a descriptor comes along
_NO_MEMORY = 8  # the sender could not get shared memory
_GIVEN_AREA = 16  # the area is the receiver's, for this message alone

_DESCRIPTOR_SPACE = socket.CMSG_SPACE(4)


class ChannelClosed(Exception):
    """The other side is gone."""


class Refused(Exception):
    """The value cannot be sent; nothing was written, the channel is as before."""


def _map_area(descriptor: int, size: int) -> np.ndarray:
    return np.frombuffer(mmap.mmap(descriptor, size), dtype=np.uint8)


def _make_area(size: int) -> tuple[int, np.ndarray]:
    """Descriptor and bytes of new anonymous memory. OSError when the machine has none."""
    descriptor = os.memfd_create("mindspore_data", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, size)
        try:
            # Memory that is promised but not there would kill the process at its first touch.
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno in _NO_SPACE:
                raise
        return descriptor, _map_area(descriptor, size)
    except BaseException:
        os.close(descriptor)
        raise


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _fill(area: np.ndarray, parts: list[Any]) -> None:
    offset = 0
    for part in parts:
        # NumPy copies without the interpreter lock.
        np.copyto(area[offset : offset + part.nbytes], np.frombuffer(part, dtype=np.uint8))
        offset += _aligned(part.nbytes)


def _parts(area: np.ndarray, lengths: list[int]) -> list[np.ndarray]:
    """The pieces that lie one after the other in an area."""
    parts, offset = [], 0
    for size in lengths:
        parts.append(area[offset : offset + size])
        offset += _aligned(size)
    return parts


class Channel:
    """One end of a connection. Not for two threads at once.

    Args:
        connection: A connected stream socket. With a time-out, `on_silence` is called each time it passes
            while the other side has nothing to say; it may raise to end the wait.
        shared_memory: False sends everything through the socket.
    """

    def __init__(
        self,
        connection: socket.socket,
        shared_memory: bool = True,
        on_silence: Callable[[], None] | None = None,
    ) -> None:
        self._socket = connection
        self._on_silence = on_silence
        self._shared_memory = shared_memory
        self._memory_refused = False
        self._outgoing: np.ndarray | None = None
        self._incoming: np.ndarray | None = None
        self._read = bytearray(_READ_BYTES)
        self._read_view = memoryview(self._read)
        self._begin = 0  # unread bytes are _read[_begin:_end]
        self._end = 0
        self.sent_bytes = 0  # outside the stream, in the last message
        self.received_bytes = 0
        self.peer_lacks_memory = False

    @property
    def lacks_memory(self) -> bool:
        """Shared memory was wanted on one of the sides and could not be had."""
        return self._memory_refused or self.peer_lacks_memory

    def close(self) -> None:
        """Gives the shared memory back; the socket is the caller's."""
        self._outgoing = self._incoming = None
        self._shared_memory = False

    # Sending.

    def send(self, value: Any) -> None:
        """Sends a value. Refused: it cannot be pickled."""
        large: list[memoryview] = []

        def stays_in_stream(buffer: pickle.PickleBuffer) -> bool:
            view = buffer.raw()
            if view.nbytes < INLINE_LIMIT:
                return True
            large.append(view)
            return False

        try:
            stream = pickle.dumps(value, protocol=5, buffer_callback=stays_in_stream)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
        self.sent_bytes = 0
        if not large and len(stream) < INLINE_LIMIT:
            self._write([_HEADER.pack(self._memory_flag(), 0, len(stream)) + stream])
        else:
            self._send_large(stream, large)

    def _memory_flag(self) -> int:
        return _NO_MEMORY if self._memory_refused else 0

    def _send_large(self, stream: bytes, large: list[memoryview]) -> None:
        flags = 0
        parts: list[Any] = [*large]
        if len(stream) >= INLINE_LIMIT:
            parts.append(memoryview(stream))
        needed = sum(_aligned(part.nbytes) for part in parts)
        self.sent_bytes = needed
        given = needed > KEPT_LIMIT
        descriptor, area = self._new_area(needed) if given else (self._area_for(needed), self._outgoing)
        try:
            if self._shared_memory:
                _fill(area, parts)
                flags |= _IN_AREA | (_NEW_AREA if descriptor is not None else 0)
                flags |= _GIVEN_AREA if given else 0
                if len(parts) > len(large):
                    flags |= _STREAM_IN_AREA
                    stream = b""
            else:
                parts = large
            header = _HEADER.pack(flags | self._memory_flag(), len(parts), len(stream))
            lengths = b"".join(_LENGTH.pack(part.nbytes) for part in parts)
            if descriptor is not None:
                lengths += _LENGTH.pack(area.nbytes)
            self._write([header + lengths + stream], descriptor)
            if not flags & _IN_AREA:
                self._write(parts)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _area_for(self, needed: int) -> int | None:
        """Makes room in the area that is kept; the descriptor to send when it is a new one."""
        if not self._shared_memory:
            return None
        if self._outgoing is not None and self._outgoing.nbytes >= needed:
            return None
        self._outgoing = None  # the old one goes first: memory may be short
        descriptor, self._outgoing = self._new_area(max(_SMALLEST_AREA, needed + needed // 4))
        return descriptor

    def _new_area(self, size: int) -> tuple[int | None, np.ndarray | None]:
        """Descriptor and bytes; nothing when there is no shared memory."""
        if not self._shared_memory:
            return None, None
        try:
            return _make_area(-(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
        except (OSError, ValueError, AttributeError):
            self._shared_memory = False
            self._memory_refused = True
            return None, None

    def _write(self, parts: list[Any], descriptor: int | None = None) -> None:
        for part in parts:
            rest = memoryview(part)
            while rest.nbytes:
                try:
                    if descriptor is not None:
                        sent = socket.send_fds(self._socket, [rest], [descriptor])
                        descriptor = None
                    else:
                        sent = self._socket.send(rest, socket.MSG_NOSIGNAL)
                except TimeoutError:
                    self._silence()
                    continue
                except OSError as error:
                    raise ChannelClosed(str(error)) from error
                rest = rest[sent:]

    # Receiving.

    def receive(self) -> Any:
        """Waits for a value. An exception of its own class when what came cannot be unpickled."""
        descriptor = self._receive_some()
        try:
            self._need(_HEADER.size)
            flags, count, length = _HEADER.unpack_from(self._read, self._begin)
            self._begin += _HEADER.size
            self.peer_lacks_memory = bool(flags & _NO_MEMORY)
            if count == 0:
                self.received_bytes = 0
                return self._loads_stream(length, ())
            lengths = [self._number() for _ in range(count)]
            area = self._received_area(flags, descriptor)
        finally:
            if descriptor is not None:
                os.close(descriptor)
        self.received_bytes = sum(_aligned(size) for size in lengths)
        if flags & _IN_AREA:
            return self._loads_area(_parts(area, lengths), length, flags)
        stream = self._bytes(length)
        return pickle.loads(stream, buffers=[self._bytes(size) for size in lengths])

    def _received_area(self, flags: int, descriptor: int | None) -> np.ndarray | None:
        if flags & _GIVEN_AREA:
            return _map_area(descriptor, self._number())
        if flags & _NEW_AREA:
            self._incoming = None  # the old one goes first
            self._incoming = _map_area(descriptor, self._number())
        return self._incoming

    def _number(self) -> int:
        self._need(_LENGTH.size)
        (number,) = _LENGTH.unpack_from(self._read, self._begin)
        self._begin += _LENGTH.size
        return number

    def _loads_stream(self, length: int, buffers: Any) -> Any:
        if length > _READ_BYTES:
            return pickle.loads(self._bytes(length), buffers=buffers)
        self._need(length)
        begin, self._begin = self._begin, self._begin + length
        return pickle.loads(self._read_view[begin : begin + length], buffers=buffers)

    def _loads_area(self, parts: list[np.ndarray], length: int, flags: int) -> Any:
        stream = parts.pop() if flags & _STREAM_IN_AREA else None
        buffers = parts if flags & _GIVEN_AREA else [part.copy() for part in parts]
        if stream is not None:
            return pickle.loads(stream.data, buffers=buffers)
        return self._loads_stream(length, buffers)

    def _bytes(self, length: int) -> np.ndarray:
        """Memory of its own with the next bytes."""
        target = np.empty(length, dtype=np.uint8)
        view = memoryview(target)
        held = min(length, self._end - self._begin)
        view[:held] = self._read_view[self._begin : self._begin + held]
        self._begin += held
        while held < length:
            held += self._waiting(lambda rest=view[held:]: self._socket.recv_into(rest))
        return target

    def _need(self, length: int) -> None:
        """Has at least `length` unread bytes in the read buffer."""
        if self._end - self._begin >= length:
            return
        rest = self._end - self._begin
        self._read[:rest] = self._read[self._begin : self._end]
        self._begin, self._end = 0, rest
        while self._end < length:
            self._end += self._waiting(lambda: self._socket.recv_into(self._read_view[self._end :]))

    def _receive_some(self) -> int | None:
        """The first bytes of a message, and the descriptor that came along."""
        self._begin = self._end = 0
        descriptors: list[int] = []

        def read() -> int:
            count, ancillary, _, _ = self._socket.recvmsg_into(
                [self._read], _DESCRIPTOR_SPACE, socket.MSG_CMSG_CLOEXEC
            )
            for _, _, data in ancillary:
                descriptors.extend(struct.unpack("i", data[:4]))
            return count

        self._end = self._waiting(read)
        return descriptors[0] if descriptors else None

    def _waiting(self, read: Callable[[], int]) -> int:
        while True:
            try:
                count = read()
            except TimeoutError:
                self._silence()
                continue
            except OSError as error:
                raise ChannelClosed(str(error)) from error
            if count == 0:
                raise ChannelClosed("end of file")
            return count

    def _silence(self) -> None:
        if self._on_silence is not None:
            self._on_silence()
