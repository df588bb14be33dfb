# SPDX-License-Identifier: Apache-2.0
"""Random numbers of transforms written in Python: those of the row in a pipeline, Python's own elsewhere."""

from __future__ import annotations

import contextlib
import random as _random
import threading
from collections.abc import Iterator
from typing import Any

from mindspore import _c_data

_current = threading.local()
_WORD = 2**64


def bits_at(bits: int, place: int) -> int:
    """Random bits of a row for the function at this place of a map's list."""
    mixed = (bits + (place + 1) * 0x9E3779B97F4A7C15) % _WORD
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 % _WORD
    return mixed ^ (mixed >> 27)


def set_row_bits(bits: int | None) -> None:
    """In a worker process: the bits of the row that functions are called for next."""
    _current.bits = bits


def row_bits() -> int:
    """Bits that depend on the seed, the epoch and the row alone; 0 outside a pipeline."""
    bits = getattr(_current, "bits", None)
    return _c_data.row_bits() if bits is None else bits


@contextlib.contextmanager
def row_random(bits: int) -> Iterator[None]:
    """While it is open, this thread draws from a generator that the bits determine."""
    before = getattr(_current, "generator", None)
    _current.generator = _random.Random(bits)
    try:
        yield
    finally:
        _current.generator = before


def row_stream() -> int:
    """A number for the native random numbers of a call: drawn from those of the row, 0 outside a pipeline."""
    generator = getattr(_current, "generator", None)
    return 0 if generator is None else generator.getrandbits(40)


class _RowRandom:
    """Looks like the module `random`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(_current, "generator", None) or _random, name)


random = _RowRandom()
