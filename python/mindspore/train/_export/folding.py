# SPDX-License-Identifier: Apache-2.0
"""Operators of a captured network that give the same in every run."""

from __future__ import annotations

from functools import cache

from mindspore.common.tensor import Tensor
from mindspore.ops import _registry
from mindspore.train._export.captured_network import CapturedNetwork, Node


@cache
def _described(name: str) -> dict:
    try:
        return _registry.describe(name)
    except RuntimeError:  # a gradient derived from a formula, which the registry does not list
        return {"random": False, "effects": False}


def is_constant(network: CapturedNetwork, node: Node) -> bool:
    """Whether an operator has nothing but constants to compute from."""
    described = _described(node.name)
    if described["random"] or described["effects"]:  # something else in every run, or written memory
        return False
    return all(
        value is None
        or network.node(value).kind == "constant"
        or (network.node(value).kind == "operator" and is_constant(network, network.node(value)))
        for value in node.operands
    )


def computed(network: CapturedNetwork, node: Node) -> tuple[Tensor, ...]:
    """The outputs of an operator whose operands are constants."""
    operands = [
        None
        if value is None
        else network.node(value).tensor
        if network.node(value).kind == "constant"
        else computed(network, network.node(value))[value[1]]
        for value in node.operands
    ]
    named: dict = dict(node.attributes)
    for position, entry in enumerate(_registry.describe(node.name)["inputs"]):
        named[entry["name"]] = operands[position:] if entry["variadic"] else operands[position]
    result = _registry.function(node.name)(**named)
    return result if isinstance(result, tuple) else (result,)
