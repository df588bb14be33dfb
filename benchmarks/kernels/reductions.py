# SPDX-License-Identifier: Apache-2.0
"""Reductions, running sums, softmax and sorting."""

from __future__ import annotations

from cases import case, choose

ROWS, COLUMNS = 4096, 2048
READ = 4 * ROWS * COLUMNS


def _reduction(name: str, axis: int | None, label: str) -> None:
    @case(f"{name} {label} {ROWS}x{COLUMNS}", "reduction", bytes=READ)
    def _(side):
        a = side.normal(ROWS, COLUMNS)
        if side.name == "ours":
            function = side.operator(f"reduce_{name}")
            return (lambda: function(a)) if axis is None else (lambda: function(a, axis))
        function = {"sum": side.torch.sum, "mean": side.torch.mean, "max": side.torch.amax}[name]
        return (lambda: function(a)) if axis is None else (lambda: function(a, axis))


for _name in ("sum", "mean", "max"):
    _reduction(_name, None, "all")
    _reduction(_name, 1, "rows")
    _reduction(_name, 0, "columns")


@case(f"argmax rows {ROWS}x{COLUMNS}", "reduction", bytes=READ)
def _(side):
    a = side.normal(ROWS, COLUMNS)
    argmax = side.ops.argmax if side.name == "ours" else side.torch.argmax
    return lambda: argmax(a, 1)


@case(f"cumsum rows {ROWS}x{COLUMNS}", "reduction", bytes=2 * READ)
def _(side):
    a = side.normal(ROWS, COLUMNS)
    cumsum = side.ops.cumsum if side.name == "ours" else side.torch.cumsum
    return lambda: cumsum(a, 1)


@case(f"softmax {ROWS}x{COLUMNS}", "normalisation", bytes=2 * READ)
def _(side):
    a = side.normal(ROWS, COLUMNS)
    return choose(side, lambda: side.ops.softmax(a, -1), lambda: side.torch.softmax(a, -1))


@case("sort rows 1000x1000", "sorting", bytes=16 * 1_000_000)
def _(side):
    a = side.normal(1000, 1000)
    sort = side.ops.sort if side.name == "ours" else side.torch.sort
    return lambda: sort(a, -1)


@case("topk 10 of 1000x10000", "sorting", bytes=4 * 10_000_000)
def _(side):
    a = side.normal(1000, 10000)
    topk = side.ops.topk if side.name == "ours" else side.torch.topk
    return lambda: topk(a, 10)
