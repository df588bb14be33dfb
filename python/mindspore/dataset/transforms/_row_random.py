# SPDX-License-Identifier: Apache-2.0
"""Random numbers of transforms written in Python: those of the row in a pipeline, Python's own elsewhere."""

from __future__ import annotations

import contextlib
import random as _random
import threading
from collections.abc import Iterator
from typing import Any

_current = threading.local()


@contextlib.contextmanager
def row_random(bits: int) -> Iterator[None]:
    """While it is open, this thread draws from a generator that the bits determine."""
    before = getattr(_current, "generator", None)
    _current.generator = _random.Random(bits)
    try:
        yield
    finally:
        _current.generator = before


class _RowRandom:
    """Looks like the module `random`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(_current, "generator", None) or _random, name)


random = _RowRandom()
