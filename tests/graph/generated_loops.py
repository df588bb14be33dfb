# SPDX-License-Identifier: Apache-2.0
"""Random functions with loops that values decide, as text; all of them end."""

from __future__ import annotations

import random

HEADER = """import mindspore as ms
from mindspore import Tensor, ops


def stepped(v, k):
    while v.sum() < k:
        v = v + 1.5
    return v


def noted(v, row, at):
    v[at] = row
    return v.max()


"""

_TENSORS = ("a", "b")
_CONDITIONS = (
    "a.sum() > {c}",
    "b.max() < {c}",
    "a[0] > b[1]",
    "n % 2 == 0",
    "i > {k}",
    "n > {k}",
    "f > {c}",
    "a.sum() > b.sum() and i < 9",
    "not b.min() > {c}",
)
_STEPS = (
    "a = a * 0.5 + b",
    "b = ops.tanh(a) + 0.25",
    "a = a + i",
    "b = b * f",
    "a, b = b, a",
    "a = stepped(a, b.sum() + 3)",
    "a[{i}] = b[{j}]",
    "a[i % 3] = b.sum()",
    "b[n % 3] = 0.5",
    "f = f * 0.75 + 0.1",
    "f = f + float(a.max())",
    "j = i * 2 + 1",
    "j = j + 1",
    "i += 2",
    "n = n + 1",
    "m = noted(a, b[0], i % 3)",
    "m = a + i * 0.5",
    "k = int(n)",
    "a = a - k",
    "seen = a.sum() > {c}",
    "kept.append(i)",
    "m = b if seen else a",
)
_ENDS = ("break", "continue", "return a, i", "return b, f, n", "raise ValueError('low')")


class Generator:
    """Of one function.

    Args:
        seed (int): Of which one.
    """

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self._loops = 0

    def text(self) -> str:
        """The module that it stands in; it is called `function` and takes two tensors and a limit."""
        lines = ["i, j, k, f, seen = 0, 1, 2, 0.5, False", "n, m = Tensor(0), a", "kept = []"]
        for _ in range(self._random.randint(1, 2)):
            lines += self._loop(0)
            lines += self._steps(0, 2)
        results = ["a", "b", "i", "n", "f", "j", "m", "seen", "len(kept)"]
        chosen = self._random.sample(results, self._random.randint(2, 5))
        lines.append(f"return {', '.join(chosen)}")
        body = "\n".join(f"    {line}" for line in lines)
        return f"{HEADER}def function(a, b, limit):\n{body}\n"

    def _filled(self, text: str) -> str:
        pick = self._random
        return text.format(
            c=round(pick.uniform(-2, 6), 2), k=pick.randint(0, 6), i=pick.randint(0, 2), j=pick.randint(0, 2)
        )

    def _steps(self, depth: int, most: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self._random.randint(1, most)):
            kind = self._random.random()
            if kind < 0.7 or depth > 2:
                lines.append(self._filled(self._random.choice(_STEPS)))
            elif kind < 0.9 or self._loops > 3:
                lines.append(f"if {self._filled(self._random.choice(_CONDITIONS))}:")
                lines += [f"    {line}" for line in self._steps(depth + 1, 2)]
                if self._random.random() < 0.4:
                    lines += ["else:", *(f"    {line}" for line in self._steps(depth + 1, 2))]
            else:
                lines += self._loop(depth + 1)
        return lines

    def _loop(self, depth: int) -> list[str]:
        self._loops += 1
        turns = f"turns{self._loops}"
        inside = self._steps(depth, 4)
        if self._random.random() < 0.5:
            at = self._random.randint(0, len(inside))
            end = self._random.choice(_ENDS)
            leaving = [f"if {self._filled(self._random.choice(_CONDITIONS))}:", f"    {end}"]
            top = [
                place for place in range(len(inside) + 1) if place == len(inside) or inside[place][0] != " "
            ]
            at = min(top, key=lambda place: abs(place - at))
            if at < len(inside) and inside[at].startswith("else"):
                at = len(inside)
            inside[at:at] = leaving
        if self._random.random() < 0.3:
            head, before, after = f"for {turns} in range({self._random.randint(2, 12)}):", [], []
            inside = [f"if a.sum() > 60 or {turns} > limit:", "    break", *inside]
        elif self._random.random() < 0.5:
            head, before = f"while {turns} < limit:", [f"{turns} = Tensor(0)"]
            after = [f"{turns} = {turns} + 1"]
            inside = [*after, *inside]
        else:
            condition = self._filled(self._random.choice(_CONDITIONS[:3]))
            head, before = f"while {turns} < 10 and {condition}:", [f"{turns} = 0"]
            inside = [f"{turns} += 1", *inside]
        lines = [*before, head, *(f"    {line}" for line in inside)]
        if self._random.random() < 0.2:
            lines += ["else:", "    b = b + 1"]
        return lines
