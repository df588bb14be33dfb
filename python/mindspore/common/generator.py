# SPDX-License-Identifier: Apache-2.0
"""Generators: a seed and how many numbers were drawn from it."""

from __future__ import annotations

import secrets

import numpy as np

from mindspore import _c_expression as _c


class Generator:
    """A source of random numbers with a state that can be read and put back."""

    def __init__(self):
        self._seed = 0
        self._offset = 0

    def _step(self, count: int = 1) -> tuple[int, int]:
        """Seed and offset for the next draw; moves on by `count`."""
        state = (self._seed, self._offset)
        self._offset += count
        return state

    def manual_seed(self, seed: int) -> Generator:
        """Restarts from `seed`; returns the generator."""
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"For 'manual_seed', 'seed' must be int, but got {type(seed).__name__}.")
        self._seed, self._offset = seed % 2**64, 0
        return self

    def seed(self) -> int:
        """Restarts from a number nobody chose; returns it."""
        self.manual_seed(secrets.randbits(32))
        return self._seed

    def initial_seed(self) -> int:
        """The seed in force."""
        return self._seed

    def _words(self) -> list[int]:
        return [self._seed, self._offset]

    def _put_back(self, words: list[int]) -> None:
        if len(words) != 2:
            raise ValueError(f"For 'set_state', 'state' must have 16 bytes, but got {8 * len(words)}.")
        self._seed, self._offset = words

    def get_state(self):
        """The state as a uint8 Tensor, eight bytes for each number."""
        return _c.copy_numpy(np.array(self._words(), np.uint64).view(np.uint8))

    def set_state(self, state) -> None:
        """Puts back what `get_state` gave."""
        if not isinstance(state, _c.Tensor) or state.dtype is not _c.uint8 or state.ndim != 1:
            raise TypeError("For 'set_state', 'state' must be the uint8 Tensor that get_state() gave.")
        if state.size == 0 or state.size % 8 != 0:
            raise ValueError(
                f"For 'set_state', 'state' must be from get_state(), but has {state.size} bytes."
            )
        self._put_back([int(word) for word in state.asnumpy().copy().view(np.uint64)])


class _DefaultGenerator(Generator):
    """The generator behind operators without one: its state is that of the operators."""

    def manual_seed(self, seed: int) -> Generator:
        super().manual_seed(seed)
        _c.set_global_seed(self._seed)
        return self

    def _words(self) -> list[int]:
        words = _c.generator_state()
        self._seed = words[0]
        return words

    def _put_back(self, words: list[int]) -> None:
        _c.set_generator_state(words)
        self._seed = words[0]


default_generator = _DefaultGenerator()


def seed() -> int:
    """Seeds the default generator with a number nobody chose; returns it."""
    return default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Restarts the default generator from `seed`; returns it."""
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """The default generator's seed."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state."""
    return default_generator.get_state()


def set_rng_state(state) -> None:
    """Puts back the default generator's state."""
    default_generator.set_state(state)


__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
