# SPDX-License-Identifier: Apache-2.0
"""Streams and events. On a CPU work is done when the call returns, so they are always ready."""

from __future__ import annotations

import time


class Event:
    """A mark in a stream that others can wait for."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False):
        self.enable_timing, self.blocking = enable_timing, blocking
        self._recorded_s: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Puts the mark behind the work submitted so far."""
        self._recorded_s = time.perf_counter()

    def wait(self, stream: Stream | None = None) -> None:
        """Lets `stream` wait for the mark."""

    def synchronize(self) -> None:
        """Waits for the mark."""

    def query(self) -> bool:
        """Whether the mark was reached."""
        return True

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to `end_event`."""
        if self._recorded_s is None or end_event._recorded_s is None:
            return 0.0
        return (end_event._recorded_s - self._recorded_s) * 1e3


class Stream:
    """A queue of work on a device."""

    def __init__(self, priority: int = 0, **kwargs):
        self.priority = priority
        self.id = kwargs.get("stream_id", 0)

    def record_event(self, event: Event | None = None) -> Event:
        """A mark behind the work submitted so far."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Later work of this stream waits for `event`."""

    def wait_stream(self, stream: Stream) -> None:
        """Later work of this stream waits for what `stream` has now."""

    def synchronize(self) -> None:
        """Waits for all work of this stream."""

    def query(self) -> bool:
        """Whether all work is done."""
        return True

    def __eq__(self, other) -> bool:
        return isinstance(other, Stream) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"Stream(device_name=CPU, device_id=0, stream_id={self.id})"


_default = Stream()
_current = _default


class StreamCtx:
    """Context in which work goes to `ctx_stream`."""

    def __init__(self, ctx_stream: Stream | None):
        self.stream = ctx_stream

    def __enter__(self) -> StreamCtx:
        self._before = current_stream()
        if self.stream is not None:
            set_cur_stream(self.stream)
        return self

    def __exit__(self, *exception) -> None:
        set_cur_stream(self._before)


def synchronize() -> None:
    """Waits for all work on the device."""


def current_stream() -> Stream:
    """The stream work goes to."""
    return _current


def default_stream() -> Stream:
    """The stream work goes to unless another one was chosen."""
    return _default


def set_cur_stream(stream: Stream | None) -> None:
    """Chooses the stream work goes to; None changes nothing."""
    global _current
    if stream is None:
        return
    if not isinstance(stream, Stream):
        raise TypeError(f"For 'set_cur_stream', 'stream' must be a Stream, but got {type(stream)}.")
    _current = stream


__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "current_stream",
    "default_stream",
    "set_cur_stream",
    "synchronize",
]
