# SPDX-License-Identifier: Apache-2.0
"""Writes random programs: assignments, branches, loops, containers, state, updates, in any order."""

from __future__ import annotations

import random

_BINARY = ("+", "-", "*")
_UNARY = ("ops.tanh", "ops.sigmoid", "ops.relu", "ops.neg", "_half", "self.layer")
_SHAPED = ("{}.sum()", "{}.mean()", "{}[0]", "{}[-1]", "{}.max()")


class Writer:
    """One random program, a Cell class named `Net`, as text.

    Args:
        seed (int): Chooses the program.
    """

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self._names = ["x", "y"]  # vectors of four
        self._lines: list[str] = []
        self._fresh = 0
        self._budget = 14

    def text(self) -> str:
        """The program."""
        self._block(2, 0)
        chosen = self._random.sample(self._names, min(3, len(self._names)))
        body = "\n".join(self._lines)
        return _FRAME.format(body=body, result=", ".join(chosen))

    # ---- expressions --------------------------------------------------------------------------

    def _vector(self, depth: int = 2) -> str:
        choice = self._random.random()
        if depth == 0 or choice < 0.3:
            return self._random.choice(self._names)
        if choice < 0.6:
            operation = self._random.choice(_BINARY)
            return f"({self._vector(depth - 1)} {operation} {self._vector(depth - 1)})"
        if choice < 0.75:
            return f"{self._random.choice(_UNARY)}({self._vector(depth - 1)})"
        if choice < 0.85:
            return f"({self._vector(depth - 1)} * {self._random.choice((0.5, 2, -1, 'self.scale'))})"
        if choice < 0.95:
            return f"({self._vector(depth - 1)} + {self._scalar()})"
        return f"({self._vector(0)} if {self._condition()} else {self._vector(0)})"

    def _scalar(self) -> str:
        return self._random.choice(_SHAPED).format(self._random.choice(self._names))

    def _condition(self) -> str:
        comparison = self._random.choice(("<", ">", "<=", ">="))
        limit = self._random.choice(("0", "0.5", "-0.5", self._scalar()))
        plain = f"{self._scalar()} {comparison} {limit}"
        choice = self._random.random()
        if choice < 0.15:
            return f"not {plain}"
        if choice < 0.3:
            joint = self._random.choice(("and", "or"))
            return f"{plain} {joint} {self._scalar()} > 0.1"
        return plain

    # ---- statements ---------------------------------------------------------------------------

    def _line(self, indent: int, text: str) -> None:
        self._lines.append("    " * indent + text)

    def _block(self, indent: int, loops: int) -> None:
        known = len(self._names)
        for _ in range(self._random.randint(1, 4)):
            if self._budget > 0:
                self._budget -= 1
                self._random.choice(self._statements(indent, loops))(indent, loops)
        self._line(indent, f"y = y * 0.5 + {self._random.choice(self._names)} * 0.25")
        if indent > 2:
            del self._names[known:]  # perhaps not assigned after the block

    def _statements(self, indent: int, loops: int) -> list:
        simple = [
            self._assign,
            self._assign,
            self._again,
            self._store,
            self._state,
            self._update,
            self._print,
        ]
        deep = [self._branch, self._branch, self._loop, self._while, self._call, self._attempt]
        return simple + (deep if indent < 5 else []) + ([self._leave] if loops else [])

    def _assign(self, indent: int, loops: int) -> None:
        value = self._vector()
        self._fresh += 1
        self._names.append(f"v{self._fresh}")
        self._line(indent, f"v{self._fresh} = {value}")

    def _again(self, indent: int, loops: int) -> None:
        name = self._random.choice(self._names)
        self._line(indent, f"{name} {self._random.choice(('=', '+=', '-=', '*='))} {self._vector()}")

    def _store(self, indent: int, loops: int) -> None:
        self._line(
            indent,
            self._random.choice(
                (
                    f"kept.append({self._vector(1)})",
                    f"table['k'] = {self._vector(1)}",
                    "y = y + (kept[-1] if kept else 0.5)",
                    "y = y + table.get('k', x)",
                    "y = y + len(kept)",
                )
            ),
        )

    def _state(self, indent: int, loops: int) -> None:
        self._line(
            indent,
            self._random.choice(
                (
                    f"self.state = {self._vector(1)}",
                    "y = y + self.state",
                    "self.calls += 1",
                    "self.flag = not self.flag",
                    "y = -y if self.flag else y",
                    f"self.table['s'] = {self._vector(0)}",
                    "y = y * self.table['s']",
                )
            ),
        )

    def _update(self, indent: int, loops: int) -> None:
        self._line(
            indent,
            self._random.choice(
                (
                    f"ops.assign(self.total, ops.tanh({self._vector(1)}))",
                    f"ops.assign_add(self.total, ops.tanh({self._vector(0)}))",
                    "y = y + self.total",
                    f"z = ops.tanh(y) * 1; z[{self._random.randrange(4)}] = {self._scalar()}; y = y + z",
                )
            ),
        )

    def _print(self, indent: int, loops: int) -> None:
        self._line(indent, f"print('here', {self._scalar()})")

    def _branch(self, indent: int, loops: int) -> None:
        self._line(indent, f"if {self._condition()}:")
        self._block(indent + 1, loops)
        if self._random.random() < 0.3:
            self._line(indent, f"elif {self._condition()}:")
            self._block(indent + 1, loops)
        if self._random.random() < 0.6:
            self._line(indent, "else:")
            self._block(indent + 1, loops)

    def _loop(self, indent: int, loops: int) -> None:
        over = self._random.choice(("range(2)", "(0, 1, 2)", "x", "y[:2]"))
        self._line(indent, f"for k{indent} in {over}:")
        self._line(indent + 1, f"y = y * 0.5 + k{indent} * 0.1")
        self._block(indent + 1, loops + 1)

    def _while(self, indent: int, loops: int) -> None:
        self._line(indent, f"n{indent} = 0")
        self._line(indent, f"while n{indent} < 3 and ({self._condition()}):")
        self._line(indent + 1, f"n{indent} += 1")
        self._block(indent + 1, loops + 1)

    def _call(self, indent: int, loops: int) -> None:
        self._fresh += 1
        name = f"inner{self._fresh}"
        self._line(indent, f"def {name}(a, b=x):")
        self._line(indent + 1, f"return a * 0.5 + {self._vector(1)} * b.mean()")
        self._line(indent, f"y = {name}({self._vector(0)})")

    def _attempt(self, indent: int, loops: int) -> None:
        self._line(indent, "try:")
        self._line(indent + 1, f"assert {self._condition()}")
        self._block(indent + 1, 0)
        self._line(indent, "except AssertionError:")
        self._block(indent + 1, 0)

    def _leave(self, indent: int, loops: int) -> None:
        self._line(indent, f"if {self._condition()}:")
        self._line(indent + 1, self._random.choice(("break", "continue", "return y, len(kept)")))


_FRAME = """
def _half(value):
    return value * factor


factor = 0.5


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.LayerNorm((4,))
        self.scale, self.calls, self.flag = 1.5, 0, False
        self.state = Tensor([0.1, 0.2, 0.3, 0.4])
        self.table = {{"s": Tensor([0.5, 0.5, 0.5, 0.5])}}
        self.total = Parameter(Tensor([0.0, 0.0, 0.0, 0.0]), name="total", requires_grad=False)

    def construct(self, x, y):
        kept, table = [], {{}}
{body}
        return ({result}, kept, table)
"""
