# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators, small enough for a cache and too large for one."""

from __future__ import annotations

from cases import case, choose

SIZES = {"100k": 100_000, "10M": 10_000_000}


def _binary(label: str, count: int, dtype: str) -> None:
    width = 4 if dtype == "float32" else 2

    @case(f"add {dtype} {label}", "elementwise", bytes=3 * width * count, flops=count)
    def _(side):
        a, b = side.normal(count, dtype=dtype), side.normal(count, dtype=dtype)
        return lambda: a + b


def _unary(name: str, label: str, count: int, dtype: str = "float32") -> None:
    width = 4 if dtype == "float32" else 2

    @case(f"{name} {dtype} {label}", "elementwise", bytes=2 * width * count)
    def _(side):
        a = side.normal(count, dtype=dtype)
        if side.name == "ours":
            function = getattr(side.ops, name)
        else:
            function = getattr(side.torch.nn.functional if name == "gelu" else side.torch, name)
        return lambda: function(a)


for _label, _count in SIZES.items():
    _binary(_label, _count, "float32")
    _binary(_label, _count, "bfloat16")
    for _name in ("exp", "tanh", "gelu", "sigmoid"):
        _unary(_name, _label, _count)
_unary("relu", "10M", SIZES["10M"])
_unary("exp", "10M", SIZES["10M"], "bfloat16")


@case("bias add 4096x1024", "elementwise", bytes=8 * 4096 * 1024)
def _(side):
    a, bias = side.normal(4096, 1024), side.normal(1024)
    return lambda: a + bias


@case("where 10M", "elementwise", bytes=13 * 10_000_000)
def _(side):
    a, b = side.normal(10_000_000), side.normal(10_000_000)
    mask = a > 0
    where = side.ops.where if side.name == "ours" else side.torch.where
    return lambda: where(mask, a, b)


@case("cast float32 to bfloat16 10M", "elementwise", bytes=6 * 10_000_000)
def _(side):
    a = side.normal(10_000_000)
    if side.name == "ours":
        cast, target = side.ops.cast, side.dtype("bfloat16")
        return lambda: cast(a, target)
    return lambda: a.to(side.torch.bfloat16)


@case("transpose copy 4096x4096", "shape", bytes=8 * 4096 * 4096)
def _(side):
    a = side.normal(4096, 4096)
    if side.name == "ours":
        transpose, copy = side.operator("transpose"), side.operator("copy")
        return lambda: copy(transpose(a, (1, 0)))
    return lambda: a.t().contiguous()


@case("concat 4 x 1024x2048", "shape", bytes=2 * 4 * 4 * 1024 * 2048)
def _(side):
    parts = [side.normal(1024, 2048) for _ in range(4)]
    return choose(
        side,
        lambda: side.ops.concat(parts, 1),
        lambda: side.torch.cat(parts, 1),
    )
