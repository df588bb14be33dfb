# SPDX-License-Identifier: Apache-2.0
"""What a case is, and the list of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CASES: dict[str, Case] = {}


@dataclass(frozen=True)
class Case:
    """One thing that is timed on both sides."""

    name: str
    family: str
    build: Callable  # of a side, gives the callable without arguments that is timed
    flops: float = 0  # of one call
    bytes: float = 0  # read and written at least, by one call
    group: str = "throughput"


def case(name: str, family: str, *, flops: float = 0, bytes: float = 0, group: str = "throughput"):
    """Registers the function below, which takes a side and returns what is timed."""

    def register(build: Callable) -> Callable:
        assert name not in CASES, name
        CASES[name] = Case(name, family, build, flops, bytes, group)
        return build

    return register


def choose(side, ours: Callable, peer: Callable) -> Callable:
    """The side's own way to say it."""
    return ours if side.name == "ours" else peer


def all_cases() -> dict[str, Case]:
    """Every case, in the order of the files."""
    from kernels import elementwise, indexing, networks, overhead, products, reductions  # noqa: F401

    return CASES
