# SPDX-License-Identifier: Apache-2.0
"""The global seed: one number that makes a program repeat itself."""

from __future__ import annotations

import random

import numpy as np

from mindspore import _c_expression as _c

_seed: int | None = None


class _DatasetSeed:
    """The seed of data pipelines. It lives here so that `set_seed` need not load the data package."""

    value = 5489  # "not set" for pipelines


def set_seed(seed: int) -> None:
    """Seeds every source of random numbers: operators, initializers, data pipelines, NumPy, `random`.

    Calling it again restarts all sequences.

    Args:
        seed (int): In [0, 2**32 - 1].

    Raises:
        TypeError: `seed` is not an int.
        ValueError: `seed` is out of range.

    Examples:
        >>> import mindspore
        >>> mindspore.set_seed(1234)
    """
    global _seed
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(
            f"For 'set_seed', the argument 'seed' must be type of int, but got {type(seed).__name__}."
        )
    if not 0 <= seed < 2**32:
        raise ValueError(
            f"For 'set_seed', the argument 'seed' must be in range [0, 4294967295], but got {seed}."
        )
    np.random.seed(seed)
    random.seed(seed)
    _DatasetSeed.value = seed
    _c.set_global_seed(seed)
    _c.note_change()
    from mindspore.common import generator

    generator.default_generator.manual_seed(seed)
    _seed = seed


def get_seed() -> int | None:
    """The number given to `set_seed`, or None."""
    return _seed


def _truncate_seed(seed: int) -> int:
    return seed % (2**31 - 1)


def _get_global_and_op_seed() -> tuple[int, int]:
    """Seeds for a random primitive built by hand: the global one and one of its own."""
    return (_truncate_seed(_seed) if _seed is not None else 0, 0)
