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

    def get_state(self):
        """The state as a uint8 Tensor of 16 bytes: seed, offset."""
        content = np.array([self._seed, self._offset], np.uint64).view(np.uint8)
        return _c.copy_numpy(content)

    def set_state(self, state) -> None:
        """Puts back what `get_state` gave."""
        if not isinstance(state, _c.Tensor) or state.dtype is not _c.uint8 or state.size != 16:
            raise TypeError(
                "For 'set_state', 'state' must be a uint8 Tensor of 16 elements from get_state()."
            )
        self._seed, self._offset = (int(part) for part in state.asnumpy().copy().view(np.uint64))


default_generator = Generator()


def seed() -> int:
    """Seeds the default generator with a number nobody chose; returns it."""
    number = default_generator.seed()
    _c.set_generator_state(number, 0)
    return number


def manual_seed(seed: int) -> Generator:
    """Restarts the default generator from `seed`; returns it."""
    default_generator.manual_seed(seed)
    _c.set_generator_state(default_generator.initial_seed(), 0)
    return default_generator


def initial_seed() -> int:
    """The default generator's seed."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state."""
    return default_generator.get_state()


def set_rng_state(state) -> None:
    """Puts back the default generator's state."""
    default_generator.set_state(state)
    _c.set_generator_state(default_generator._seed, default_generator._offset)
