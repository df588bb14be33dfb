# SPDX-License-Identifier: Apache-2.0
"""Rows by key, which know what has changed since they were last exported."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

UNCHANGED, MODIFIED, ERASED = range(3)  # states of a key, as files tell them
_FIRST_ROOM = 16


class Export(NamedTuple):
    """What rows were at some moment.

    Attributes:
        keys (numpy.ndarray): Keys.
        values (numpy.ndarray): A row for each.
        states (numpy.ndarray): What became of each since the export before.
        moment (int): For `MapRows.note_exported`.
    """

    keys: np.ndarray
    values: np.ndarray
    states: np.ndarray
    moment: int


class MapRows:
    """Rows by key, in arrays without holes.

    Args:
        key_type (numpy.dtype): Type of the keys.
        value_type (numpy.dtype): Type of the values.
        shape (tuple[int]): Shape of a row.
    """

    def __init__(self, key_type, value_type, shape: tuple[int, ...]):
        self._keys = np.empty(_FIRST_ROOM, key_type)
        self._values = np.empty((_FIRST_ROOM, *shape), value_type)
        self._changed = np.zeros(_FIRST_ROOM, np.int64)  # when each row was last written
        self._places: dict[int, int] = {}
        self._erased: dict[int, int] = {}  # when keys that are no more were erased
        self._now, self._exported = 1, 0

    def __len__(self) -> int:
        return len(self._places)

    @property
    def keys(self) -> np.ndarray:
        """All keys; a view."""
        return self._keys[: len(self)]

    @property
    def values(self) -> np.ndarray:
        """Their rows; a view."""
        return self._values[: len(self)]

    def get(self, keys: np.ndarray, made: Callable[[int], np.ndarray], inserts: bool) -> np.ndarray:
        """Rows of keys; those of unknown ones are made, each once, and kept if asked for."""
        keys = keys.tolist()
        unknown = list(dict.fromkeys(key for key in keys if key not in self._places))
        fresh = made(len(unknown)) if unknown else self._values[:0]
        if inserts and unknown:
            self.put(unknown, fresh)
            unknown = []
        places = {key: len(self) + i for i, key in enumerate(unknown)}
        rows = np.concatenate([self.values, fresh]) if unknown else self._values
        return rows[[places[key] if key in places else self._places[key] for key in keys]]

    def put(self, keys, values: np.ndarray) -> None:
        """Writes a row for every key; of one that comes twice, the last."""
        keys = [int(key) for key in keys]
        count = len(self)
        for key in keys:
            self._places.setdefault(key, len(self._places))
            self._erased.pop(key, None)
        self._make_room(count)
        places = [self._places[key] for key in keys]
        self._keys[places] = keys
        self._values[places] = values
        self._changed[places] = self._now

    def _make_room(self, count: int) -> None:
        room = len(self._keys)
        while room < len(self):
            room *= 2
        if room > len(self._keys):
            for name in ("_keys", "_values", "_changed"):
                before = getattr(self, name)
                grown = np.zeros((room, *before.shape[1:]), before.dtype)
                grown[:count] = before[:count]
                setattr(self, name, grown)

    def erase(self, keys) -> None:
        """Removes keys; the last row takes the place of each."""
        for key in map(int, keys):
            place = self._places.pop(key, None)
            if place is None:
                continue
            last = len(self)
            if place != last:
                for array in (self._keys, self._values, self._changed):
                    array[place] = array[last]
                self._places[int(self._keys[place])] = place
            self._erased[key] = self._now

    def clear(self) -> None:
        """Removes everything."""
        self.erase(self.keys.tolist())

    def export(self, is_incremental: bool) -> Export:
        """All rows, as views; or what has changed, with the keys that were erased and zeros for them."""
        self._now += 1
        if not is_incremental:
            states = np.full(len(self), UNCHANGED, np.int32)
            return Export(self.keys, self.values, states, self._now - 1)
        written = np.flatnonzero(self._changed[: len(self)] > self._exported)
        gone = [key for key, moment in self._erased.items() if moment > self._exported]
        keys = np.concatenate([self._keys[written], np.array(gone, self._keys.dtype)])
        no_rows = np.zeros((len(gone), *self._values.shape[1:]), self._values.dtype)
        values = np.concatenate([self._values[written], no_rows])
        states = np.repeat(np.array([MODIFIED, ERASED], np.int32), [len(written), len(gone)])
        return Export(keys, values, states, self._now - 1)

    def note_exported(self, moment: int) -> None:
        """What was exported at some moment is safe: it is no change any more."""
        self._exported = max(self._exported, moment)
        self._erased = {key: when for key, when in self._erased.items() if when > self._exported}

    def take(self, keys: np.ndarray, values: np.ndarray, states: np.ndarray) -> None:
        """Becomes what was exported, or has the changes made that were exported."""
        if len(keys) and not states.any():
            self.clear()
        gone = states == ERASED
        self.erase(keys[gone].tolist())
        self.put(keys[~gone].tolist(), values[~gone])
        self._now += 1
        self.note_exported(self._now - 1)

    def copy(self) -> MapRows:
        """The same rows, of its own."""
        copy = MapRows(self._keys.dtype, self._values.dtype, self._values.shape[1:])
        copy.__dict__.update(self.__dict__)
        for name in ("_keys", "_values", "_changed", "_places", "_erased"):
            setattr(copy, name, getattr(self, name).copy())
        return copy
