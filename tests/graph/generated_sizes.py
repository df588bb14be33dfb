# SPDX-License-Identifier: Apache-2.0
"""Writes random functions of tensors of any size: sizes in arithmetic, attributes, slices and branches."""

from __future__ import annotations

import random

_VALUES = (
    "({} + {})",
    "({} * {})",
    "ops.tanh({}) - {}",
    "ops.concat(({}, {}))[: x.shape[0]]",
    "ops.where({} > 0, {}, 0.5)",
    "ops.matmul(ops.matmul({}, {}.T), x) * 0.1",
)
_CHANGES = (
    "ops.reshape({}, (n * m,)).reshape(x.shape)",
    "ops.reshape({}, (-1, n)).T",
    "{}.T.reshape((m, n)).swapaxes(0, 1)",
    "{} * {size}",
    "{} / {size}",
    "({size} - {})",
    "{} + ops.ones((n, m), ms.float32) * {size}",
    "{} + ops.arange(m).astype(ms.float32)",
    "ops.tile({}, (2, 1))[n:]",
    "ops.concat(({}[{size} % n :], {}[: {size} % n]))",
    "{} - {}.mean(axis=0)",
    "{} - {}.sum(axis=1, keepdims=True) / m",
    "{} + {}[-1]",
    "{} + {}[n // 2, None, :]",
    "{} * {}[:, m - 1 :]",
    "ops.broadcast_to({}[:1], (n, m))",
    "ops.flip({}, (0,))",
    "ops.softmax({}, 1)",
    "ops.pad({}, (1, 1))[:, 1 : m + 1]",
    "ops.stack([{}, {}], 1).reshape((2 * n, m))[::2]",
)
_SIZES = (
    "n",
    "m",
    "(n + 1)",
    "n * m",
    "n // 2",
    "(m % 3 + 1)",
    "x.size",
    "len(x)",
    "x.shape[1]",
    "(-n)",
    "n / 2",
    "1",
)
_CONDITIONS = (
    "n > m",
    "n == m",
    "n % 2",
    "m > 3",
    "x.shape == y.shape",
    "n * m > 12",
    "n",
    "1 in x.shape",
    "n // 2 > 1",
)


class SizesWriter:
    """One random function named `f` of two tensors of shape (n, m), as text.

    Args:
        seed (int): Chooses the function.
    """

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self._lines = ["def f(x, y):", "    n, m = x.shape"]
        self._names = ["x", "y"]

    def text(self) -> str:
        """The function."""
        self._block(1, self._random.randint(2, 6))
        self._lines.append(f"    return {self._value(1)}, ({self._name()} * y).mean()")
        return "\n".join(self._lines)

    def _name(self) -> str:
        return self._random.choice(self._names)

    def _filled(self, form: str, parts: list[str]) -> str:
        size = self._random.choice(_SIZES)
        remaining = iter(parts)
        pieces = form.replace("{size}", size).split("{}")
        return "".join(
            piece + (next(remaining) if i < len(pieces) - 1 else "") for i, piece in enumerate(pieces)
        )

    def _value(self, depth: int) -> str:
        if depth == 0:
            return self._name()
        form = self._random.choice(_VALUES if self._random.random() < 0.4 else _CHANGES)
        return f"({self._filled(form, [self._value(depth - 1) for _ in range(form.count('{}'))])})"

    def _block(self, indent: int, count: int) -> None:
        for _ in range(count):
            choice = self._random.random()
            space = "    " * indent
            if choice < 0.15 and indent < 3:
                self._lines.append(f"{space}if {self._random.choice(_CONDITIONS)}:")
                self._block(indent + 1, 1)
            elif choice < 0.2 and indent < 3:
                self._lines.append(f"{space}for i in range(min(n, 2)):")
                self._block(indent + 1, 1)
            elif choice < 0.3:
                self._lines.append(f"{space}{self._name()} = {self._name()} * 1")
                self._lines.append(
                    f"{space}y = y * 1; y[{self._random.choice(('0', '-1', 'n // 2', ': n // 2'))}] = 0.5"
                )
            else:
                self._lines.append(f"{space}{self._name()} = {self._value(2)}")
                if indent == 1 and self._random.random() < 0.5:
                    name = f"v{len(self._names)}"
                    self._lines.append(f"{space}{name} = {self._value(1)}")
                    self._names.append(name)
