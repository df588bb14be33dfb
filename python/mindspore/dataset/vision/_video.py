# SPDX-License-Identifier: Apache-2.0
"""Frames and sound of video files, read with PyAV where it is installed."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import numpy as np

_END = 2147483647.0


def read_video(
    filename: str, start_pts: float = 0, end_pts: float | None = None, pts_unit: str = "pts"
) -> tuple[np.ndarray, np.ndarray, dict]:
    """Reads frames and sound of a video file.

    Args:
        filename (str): Path of the file.
        start_pts (Union[float, Fraction, int], optional): Time of the first frame. Default: ``0``.
        end_pts (Union[float, Fraction, int], optional): Time of the last frame. Default: ``None``, the end.
        pts_unit (str, optional): Unit of both: ``"pts"``, the one of the file, or ``"sec"``.
            Default: ``"pts"``.

    Returns:
        - numpy.ndarray, frames x height x width x 3 of uint8.
        - numpy.ndarray, channels x length of float32, of length 0 without sound.
        - dict, the numbers per second, ``"video_fps"`` and ``"audio_fps"``, of what the file has.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If a time is negative, the end before the start, or the unit unknown.
        RuntimeError: If the file cannot be read, or PyAV is not installed.

    Supported Platforms:
        ``CPU``
    """
    end_pts = _END if end_pts is None else end_pts
    _check_arguments(filename, start_pts, end_pts, pts_unit)
    with _opened(filename) as container:
        metadata: dict[str, Any] = {}
        frames, sound = np.zeros((0, 0, 0, 3), np.uint8), np.zeros((1, 0), np.float32)
        if container.streams.video:
            stream = container.streams.video[0]
            found = list(_between(container, stream, start_pts, end_pts, pts_unit))
            if found:
                frames = np.stack([frame.to_ndarray(format="rgb24") for frame in found])
            metadata["video_fps"] = float(stream.average_rate)
        if container.streams.audio:
            stream = container.streams.audio[0]
            container.seek(0)
            parts = [_sound(frame) for frame in _between(container, stream, start_pts, end_pts, pts_unit)]
            if parts:
                sound = np.concatenate(parts, axis=1)
            metadata["audio_fps"] = int(stream.rate)
    return frames, sound, metadata


def read_video_timestamps(filename: str, pts_unit: str = "pts") -> tuple[list, float]:
    """Times of the frames of a video file.

    Args:
        filename (str): Path of the file.
        pts_unit (str, optional): Unit of the times: ``"pts"``, the one of the file, or ``"sec"``.
            Default: ``"pts"``.

    Returns:
        - list, one time per frame, int or, in seconds, float.
        - float, frames per second.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If the unit is unknown.
        RuntimeError: If the file cannot be read or has no frames, or PyAV is not installed.

    Supported Platforms:
        ``CPU``
    """
    _check_arguments(filename, 0, _END, pts_unit)
    with _opened(filename) as container:
        if not container.streams.video:
            raise RuntimeError(f"read_video_timestamps: {filename} has no frames.")
        stream = container.streams.video[0]
        times = sorted(frame.pts for frame in container.decode(stream) if frame.pts is not None)
        rate = float(stream.average_rate)
        return ([float(time * stream.time_base) for time in times] if pts_unit == "sec" else times), rate


def _check_arguments(filename: Any, start_pts: Any, end_pts: Any, pts_unit: Any) -> None:
    times = (float, Fraction, int)
    checked = {"filename": (filename, str), "pts_unit": (pts_unit, str)}
    checked |= {"start_pts": (start_pts, times), "end_pts": (end_pts, times)}
    for name, (value, types) in checked.items():
        if not isinstance(value, types):
            raise TypeError(f"Input {name} is not of type {types}, but got: {type(value)}.")
    if start_pts < 0:
        raise ValueError(f"Not supported start_pts for {start_pts}. The start_pts should be >= 0.")
    if end_pts < start_pts:
        raise ValueError(
            f"Not supported end_pts for {end_pts}. start_pts = {start_pts}. "
            "The end_pts should be >= start_pts."
        )
    if pts_unit not in ("pts", "sec"):
        raise ValueError(f"Not supported pts_unit for {pts_unit}")


def _opened(filename: str) -> Any:
    if not os.path.isfile(filename):
        raise RuntimeError(f"Invalid file path, {filename} does not exist or is not a regular file.")
    try:
        import av
    except ImportError as failure:
        raise RuntimeError(
            "Reading video files needs the package PyAV, which is not installed: pip install av"
        ) from failure
    try:
        return av.open(filename)
    except (OSError, ValueError) as failure:
        raise RuntimeError(f"{filename} is not a supported video file: {failure}") from failure


def _between(container: Any, stream: Any, start: Any, end: Any, unit: str) -> Any:
    """The decoded frames whose time lies in the interval, both ends included."""
    for frame in container.decode(stream):
        time = frame.time if unit == "sec" else frame.pts
        if time is not None and start <= time <= end:
            yield frame


def _sound(frame: Any) -> np.ndarray:
    """Samples of a piece of sound in [-1, 1], channels first."""
    samples = frame.to_ndarray()
    if not frame.format.is_planar:
        samples = samples.reshape(-1, len(frame.layout.channels)).T
    if np.issubdtype(samples.dtype, np.integer):
        return samples.astype(np.float32) / -np.float32(np.iinfo(samples.dtype).min)
    return samples.astype(np.float32)
