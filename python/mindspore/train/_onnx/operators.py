# SPDX-License-Identifier: Apache-2.0
"""What an operator becomes in an ONNX file: a table of rules, one per operator.

A rule is called with the writer, the node and the names of its operands (an absent one is empty); it adds
nodes and returns the names of the outputs, one per output that somebody may read.
"""

from __future__ import annotations

from collections.abc import Callable

from mindspore.train._export.captured_network import Node
from mindspore.train._onnx.element_types import NUMBERS
from mindspore.train._onnx.model_writer import ModelWriter

Rule = Callable[[ModelWriter, Node, list[str]], "str | list[str]"]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers a rule for operators."""

    def register(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return register


def same(**kinds: str) -> None:
    """Operators that differ in their name only."""
    for name, kind in kinds.items():
        RULES[name] = lambda writer, node, inputs, kind=kind: writer.add_one(kind, *inputs)


same(
    relu="Relu",
    sigmoid="Sigmoid",
    tanh="Tanh",
    identity="Identity",
)


@rule("cast")
def _cast(writer: ModelWriter, node: Node, inputs: list[str]) -> str:
    return writer.add_one("Cast", inputs[0], to=NUMBERS[node.dtype])


@rule("reshape")
def _reshape(writer: ModelWriter, node: Node, inputs: list[str]) -> str:
    return writer.add_one("Reshape", inputs[0], writer.constant(node.shape, "int64", "shape"))


@rule("conv2d")
def _convolution(writer: ModelWriter, node: Node, inputs: list[str]) -> str:
    top, bottom, left, right = node.attributes["pad"]
    return writer.add_one(
        "Conv",
        *[name for name in inputs if name],
        pads=(top, left, bottom, right),
        strides=node.attributes["stride"],
        dilations=node.attributes["dilation"],
        group=node.attributes["groups"],
    )


@rule("dense")
def _dense(writer: ModelWriter, node: Node, inputs: list[str]) -> str:
    turned = writer.add_one("Transpose", inputs[1], perm=(1, 0))
    product = writer.add_one("MatMul", inputs[0], turned)
    return writer.add_one("Add", product, inputs[2]) if len(inputs) > 2 and inputs[2] else product
