# SPDX-License-Identifier: Apache-2.0
"""Gathering and scattering."""

from __future__ import annotations

from cases import case, choose

ROWS, WIDTH, CHOSEN = 50_000, 256, 16_384


@case(f"embedding {CHOSEN} of {ROWS}x{WIDTH}", "indexing", bytes=8 * CHOSEN * WIDTH)
def _(side):
    table, chosen = side.normal(ROWS, WIDTH), side.indices(CHOSEN, below=ROWS)
    return choose(
        side,
        lambda: side.ops.gather(table, chosen, 0),
        lambda: side.torch.nn.functional.embedding(chosen, table),
    )


@case("gather elements 1000x1000", "indexing", bytes=16 * 1_000_000)
def _(side):
    values, index = side.normal(1000, 1000), side.indices(1000, 1000, below=1000)
    if side.name == "ours":
        gather = side.operator("gather_elements")
        return lambda: gather(values, 1, index)
    return lambda: side.torch.gather(values, 1, index)


@case(f"index add {CHOSEN} rows of {WIDTH}", "indexing", bytes=12 * CHOSEN * WIDTH)
def _(side):
    base, rows = side.normal(4096, WIDTH), side.normal(CHOSEN, WIDTH)
    index = side.indices(CHOSEN, below=4096)
    if side.name == "ours":
        add = side.operator("scatter_add_axis")
        return lambda: add(base, index, rows, axis=0)
    return lambda: side.torch.index_add(base, 0, index, rows)


@case("scatter add elements 1000x1000", "indexing", bytes=20 * 1_000_000)
def _(side):
    base, updates = side.normal(1000, 1000), side.normal(1000, 1000)
    index = side.indices(1000, 1000, below=1000)
    if side.name == "ours":
        scatter = side.operator("tensor_scatter_elements")
        return lambda: scatter(base, index, updates, axis=0, reduction="add")
    return lambda: side.torch.scatter_add(base, 0, index, updates)
