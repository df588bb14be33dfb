# SPDX-License-Identifier: Apache-2.0
"""The global seed: one number that makes a program repeat itself."""

from __future__ import annotations

import random

import numpy as np

from mindspore import _c_expression as _c
from mindspore._argument_checks.numbers import check_non_negative_int

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
    _reset_op_seed()
    _c.set_global_seed(seed)
    _c.note_change()
    from mindspore.common import generator

    generator.default_generator.manual_seed(seed)
    _seed = seed


def get_seed() -> int | None:
    """The number given to `set_seed`, or None."""
    return _seed


_LARGEST_INT32 = 2**31 - 1
_SEED_OF_ZERO = 87654321  # stands for a global seed of 0, which operators would take for none
_STEP_OF_SEEDS = 3528531795 ^ 3449720151
_operator_seeds: dict[tuple[str, int], int] = {}


def _truncate_seed(seed: int) -> int:
    return seed % _LARGEST_INT32


def _reset_op_seed() -> None:
    """Seeds of operators start again."""
    _operator_seeds.clear()


def _get_graph_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """Seeds for a random primitive: the global one, and one of its own that moves with every call.

    Args:
        op_seed (int): The seed that the script gave; None or 0: none.
        kernel_name (str): Name of the primitive.

    Returns:
        tuple of two numbers; zeros where neither seed was given.

    Raises:
        ValueError: `op_seed` is negative.
    """
    own, whole = op_seed or 0, _seed
    if not own and whole is None:
        return 0, 0
    check_non_negative_int(own, "seed", kernel_name)
    place = (kernel_name, own)
    current = _operator_seeds.get(place, own)
    _operator_seeds[place] = current + _STEP_OF_SEEDS
    return _truncate_seed(_SEED_OF_ZERO if whole == 0 else whole or 0), _truncate_seed(current)


def _get_global_and_op_seed() -> tuple[int, int]:
    """Seeds for a random primitive built by hand: the global one and one of its own."""
    return (_truncate_seed(_seed) if _seed is not None else 0, 0)
