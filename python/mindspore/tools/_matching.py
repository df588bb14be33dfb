# SPDX-License-Identifier: Apache-2.0
"""Which array of a file belongs to which parameter of a network."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from mindspore.common.tensor import Tensor
from mindspore.train._checkpoint_hints import SYNONYMS, synonyms

_UNNEEDED = ("num_batches_tracked",)
_PREFIXES = ("module.", "model.", "network.", "backbone.", "_backbone.", "net.", "encoder.")


@dataclass
class Match:
    """One parameter and what it gets."""

    target: str
    source: str
    how: str  # "name", "synonym", "prefix", "map", "order"
    value: Tensor


@dataclass
class Matching:
    """What fits, what does not, and why."""

    matches: list[Match]
    missing: dict[str, str]  # parameters that get nothing, with the reason
    unused: dict[str, str]  # arrays nobody takes

    def weights(self) -> dict[str, Tensor]:
        """The arrays by the names of the parameters."""
        return {match.target: match.value for match in self.matches}


def match_weights(
    weights: dict[str, Tensor], targets: dict[str, tuple[int, ...]], mapping: dict[str, str] | None = None
) -> Matching:
    """Finds an array for every parameter.

    Args:
        weights (dict): Arrays by name.
        targets (dict): Shapes of the parameters by name.
        mapping (dict): Names of arrays by names of parameters, where they are known. Default: ``None``.
    """
    state = _State(weights, targets)
    for target, source in (mapping or {}).items():
        state.try_match(target, source, "map")
    for target in targets:
        state.try_match(target, target, "name")
    for target in targets:
        for source in synonyms(target):
            state.try_match(target, source, "synonym")
    for target in targets:
        for source in _with_other_prefix(target, weights):
            state.try_match(target, source, "prefix")
    state.match_by_order()
    return state.result()


def fitted(value: Tensor, shape: tuple[int, ...]) -> Tensor | None:
    """The array in the shape of a parameter, or None; axes of length 1 may come and go."""
    if tuple(value.shape) == shape:
        return value
    if [size for size in value.shape if size != 1] == [size for size in shape if size != 1]:
        return value.reshape(shape)
    return None


class _State:
    def __init__(self, weights: dict[str, Tensor], targets: dict[str, tuple[int, ...]]):
        self.weights, self.targets = weights, targets
        self.found: dict[str, Match] = {}
        self.taken: set[str] = set()
        self.reasons: dict[str, str] = {}

    def try_match(self, target: str, source: str, how: str) -> None:
        if target in self.found or source in self.taken or source not in self.weights:
            return
        if target not in self.targets:
            return
        value = fitted(self.weights[source], self.targets[target])
        if value is None:
            self.reasons[target] = (
                f"'{source}' has the shape {tuple(self.weights[source].shape)}, not {self.targets[target]}"
            )
            return
        self.found[target] = Match(target, source, how, value)
        self.taken.add(source)

    def match_by_order(self) -> None:
        """Pairs what is left by kind and shape, where both sides have as many."""
        left, right = defaultdict(list), defaultdict(list)
        for target, shape in self.targets.items():
            if target not in self.found:
                left[_kind(target), _plain(shape)].append(target)
        for source, value in self.weights.items():
            if source not in self.taken and not source.endswith(_UNNEEDED):
                right[_kind(source), _plain(value.shape)].append(source)
        for key, targets in left.items():
            if len(targets) == len(right.get(key, ())):
                for target, source in zip(targets, right[key], strict=True):
                    self.try_match(target, source, "order")

    def result(self) -> Matching:
        missing = {
            name: self.reasons.get(name, "no array has a fitting name and shape")
            for name in self.targets
            if name not in self.found
        }
        unused = {
            name: "not needed" if name.endswith(_UNNEEDED) else "no parameter takes it"
            for name in self.weights
            if name not in self.taken
        }
        matches = [self.found[name] for name in self.targets if name in self.found]
        return Matching(matches, missing, unused)


def _with_other_prefix(target: str, weights: dict[str, Tensor]) -> list[str]:
    candidates = [target, *synonyms(target)]
    found = [prefix + name for name in candidates for prefix in _PREFIXES if prefix + name in weights]
    for name in candidates:
        found += [name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)]
    return found


def _plain(shape) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _kind(name: str) -> str:
    """What sort of array a name stands for, the same for all frameworks."""
    last = re.split(r"[./]", name)[-1]
    for ours, others in SYNONYMS.items():
        if ours in ("moving_mean", "moving_variance") and last in (ours, *others):
            return ours
    return "offset" if last in ("bias", "beta") else "factor" if last in _FACTORS else last


_FACTORS = ("weight", "gamma", "scale", "kernel", "embedding_table", "embedding")
