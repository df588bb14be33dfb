# SPDX-License-Identifier: Apache-2.0
"""Classes drawn as candidates beside the true ones."""

from __future__ import annotations

import numpy as np

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op

__all__ = ["log_uniform_candidate_sampler", "uniform_candidate_sampler"]


def _check(name: str, true_classes, num_true, num_sampled, unique, range_max, seed) -> np.ndarray:
    if not isinstance(true_classes, Tensor) or true_classes.dtype not in (mstype.int32, mstype.int64):
        raise TypeError(f"For '{name}', the 'true_classes' must be an int32 or int64 Tensor.")
    for label, value in (("num_true", num_true), ("num_sampled", num_sampled), ("range_max", range_max)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"For '{name}', the '{label}' must be an int, but got {type(value)}.")
        if value < 1:
            raise ValueError(f"For '{name}', the '{label}' must be positive, but got {value}.")
    if not isinstance(unique, bool):
        raise TypeError(f"For '{name}', the 'unique' must be a bool, but got {type(unique)}.")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"For '{name}', the 'seed' must be an int, but got {type(seed)}.")
    if seed < 0:
        raise ValueError(f"For '{name}', the 'seed' must not be negative, but got {seed}.")
    if unique and num_sampled > range_max:
        raise ValueError(
            f"For '{name}', 'num_sampled' must not exceed 'range_max' when 'unique' is True, but got "
            f"{num_sampled} and {range_max}."
        )
    shape = true_classes.shape
    if len(shape) not in (1, 2) or shape[-1] != num_true:
        raise ValueError(
            f"For '{name}', the 'true_classes' must have rows of 'num_true' = {num_true}, but got {shape}."
        )
    return true_classes.asnumpy()


def _distinct(draw, count: int, excluded: np.ndarray) -> np.ndarray:
    """Different numbers in the order in which they were drawn; `draw` gives more of them."""
    found = np.empty(0, np.int64)
    while len(found) < count:
        numbers = np.concatenate([found, draw()])
        numbers = numbers[~np.isin(numbers, excluded)]
        _, first = np.unique(numbers, return_index=True)
        found = numbers[np.sort(first)]
    return found[:count]


def _seeds(seed: int):
    """Every draw has its own seed; 0 stays 0, which means another one each time."""
    while True:
        yield seed
        seed += 1 if seed else 0


def uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False
) -> tuple:
    """Classes drawn with equal probability.

    Args:
        true_classes (Tensor): The true classes, `num_true` per row.
        num_true (int): True classes per row.
        num_sampled (int): Classes to draw.
        unique (bool): Whether all drawn classes differ.
        range_max (int): Number of classes.
        seed (int): Seed; 0: none. Default: ``0``.
        remove_accidental_hits (bool): Whether true classes are never drawn. Default: ``False``.

    Returns:
        Drawn classes, expected counts of the true ones and of the drawn ones.

    Raises:
        ValueError: More different classes are wanted than there are.
    """
    name = "uniform_candidate_sampler"
    true = _check(name, true_classes, num_true, num_sampled, unique, range_max, seed)
    excluded = np.unique(true) if remove_accidental_hits else np.empty(0, np.int64)
    allowed = range_max - int(np.count_nonzero((excluded >= 0) & (excluded < range_max)))
    if allowed < (num_sampled if unique else 1):
        raise ValueError(f"For '{name}', there are only {allowed} classes to draw from.")
    seeds = _seeds(seed)

    def draw():
        numbers = op.uniform_int((2 * num_sampled + 16,), 0, range_max, next(seeds), 0)
        return numbers.asnumpy().astype(np.int64)

    if not unique and not remove_accidental_hits:
        drawn = draw()[:num_sampled]
    elif not unique:
        drawn = np.empty(0, np.int64)
        while len(drawn) < num_sampled:
            numbers = draw()
            drawn = np.concatenate([drawn, numbers[~np.isin(numbers, excluded)]])[:num_sampled]
    elif range_max <= 4 * num_sampled + 65536:
        order = op.randperm(range_max, next(seeds)).asnumpy()
        drawn = order[~np.isin(order, excluded)][:num_sampled]
    else:
        drawn = _distinct(draw, num_sampled, excluded)
    expected = num_sampled / range_max
    counts = np.full(true.shape, expected, np.float32), np.full(num_sampled, expected, np.float32)
    return Tensor(drawn.astype(true.dtype)), Tensor(counts[0]), Tensor(counts[1])


def log_uniform_candidate_sampler(
    true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0
) -> tuple:
    """Classes drawn with the probability log((c + 2) / (c + 1)) / log(range_max + 1).

    Args:
        true_classes (Tensor): The true classes, `num_true` per row.
        num_true (int): True classes per row. Default: ``1``.
        num_sampled (int): Classes to draw. Default: ``5``.
        unique (bool): Whether all drawn classes differ. Default: ``True``.
        range_max (int): Number of classes. Default: ``5``.
        seed (int): Seed; 0: none. Default: ``0``.

    Returns:
        Drawn classes, expected counts of the true ones and of the drawn ones.

    Raises:
        ValueError: More different classes are wanted than there are.
    """
    name = "log_uniform_candidate_sampler"
    true = _check(name, true_classes, num_true, num_sampled, unique, range_max, seed)
    seeds, tries = _seeds(seed), 0

    def draw():
        nonlocal tries
        numbers = op.uniform_real((2 * num_sampled + 16,), next(seeds), 0).asnumpy().astype(np.float64)
        tries += len(numbers)
        return np.minimum(np.expm1(numbers * np.log1p(range_max)).astype(np.int64), range_max - 1)

    if unique:
        drawn = _distinct(draw, num_sampled, np.empty(0, np.int64))
    else:
        drawn, tries = draw()[:num_sampled], num_sampled

    def counts(classes):
        chance = np.log1p(1.0 / (classes.astype(np.float64) + 1)) / np.log1p(range_max)
        expected = -np.expm1(tries * np.log1p(-chance)) if unique else chance * num_sampled
        return Tensor(expected.astype(np.float32))

    return Tensor(drawn.astype(true.dtype)), counts(true), counts(drawn)
