# SPDX-License-Identifier: Apache-2.0
"""Streams and events of the device that the context names.

On a CPU work is done when the call returns, so that they are always ready.
"""

from __future__ import annotations

import itertools
import threading

from mindspore import _c_expression as _c
from mindspore._later import defined_names as _defined_names

_numbers = itertools.count(1)
_chosen = threading.local()


class Event:
    """A mark in a stream that others can wait for."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False):
        self.enable_timing, self.blocking = enable_timing, blocking
        self._event: _c.DeviceEvent | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Puts the mark behind the work submitted so far."""
        native = _checked(stream, "record")._stream
        self._event = _c.new_event(native)
        self._event.record(native)

    def wait(self, stream: Stream | None = None) -> None:
        """Lets `stream` wait for the mark."""
        native = _checked(stream, "wait")._stream
        if self._event is not None:
            self._event.wait(native)

    def synchronize(self) -> None:
        """Waits for the mark."""
        if self._event is not None:
            self._event.synchronize()

    def query(self) -> bool:
        """Whether the mark was reached."""
        return self._event is None or self._event.is_done()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to `end_event`; both must have been recorded and reached."""
        if self._event is None or end_event._event is None:
            return 0.0
        return end_event._event.milliseconds_since(self._event)


class Stream:
    """A queue of work on a device."""

    def __init__(self, priority: int = 0, **kwargs):
        self.priority = priority
        number = kwargs.get("stream_id")
        self.id = next(_numbers) if number is None else number
        self._stream = _c.default_stream() if self.id == 0 else _c.new_stream()

    def record_event(self, event: Event | None = None) -> Event:
        """A mark behind the work submitted so far."""
        event = event or Event()
        if not isinstance(event, Event):
            raise TypeError(
                f"For 'record_event', the argument 'event' should be Event, but got {type(event)}."
            )
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Later work of this stream waits for `event`."""
        if not isinstance(event, Event):
            raise TypeError(f"For 'wait_event', the argument 'event' should be Event, but got {type(event)}.")
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Later work of this stream waits for what `stream` has now."""
        if not isinstance(stream, Stream):
            raise TypeError(
                f"For 'wait_stream', the argument 'stream' should be Stream, but got {type(stream)}."
            )
        self.wait_event(stream.record_event())

    def synchronize(self) -> None:
        """Waits for all work of this stream."""
        self._stream.synchronize()

    def query(self) -> bool:
        """Whether all work is done."""
        return self._stream.is_done()

    def __eq__(self, other) -> bool:
        return isinstance(other, Stream) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        from mindspore import context

        target = context.get_context("device_target")
        number = 0 if target == "CPU" else context.get_context("device_id")
        return f"Stream(device_name={target}, device_id={number}, stream_id={self.id})"


def _checked(stream: Stream | None, function: str) -> Stream:
    if stream is None:
        return current_stream()
    if not isinstance(stream, Stream):
        raise TypeError(f"For '{function}', the argument 'stream' should be Stream, but got {type(stream)}.")
    return stream


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
    _c.synchronize_device()


def current_stream() -> Stream:
    """The stream that this thread's work goes to."""
    return getattr(_chosen, "stream", None) or default_stream()


def default_stream() -> Stream:
    """The stream work goes to unless another one was chosen."""
    return Stream(stream_id=0)


def set_cur_stream(stream: Stream | None) -> None:
    """Chooses the stream that this thread's work goes to; None changes nothing."""
    if stream is None:
        return
    if not isinstance(stream, Stream):
        raise TypeError(f"For 'set_cur_stream', 'stream' must be a Stream, but got {type(stream)}.")
    stream._stream.make_current()
    _chosen.stream = stream if stream.id else None


__all__ = _defined_names(globals())
