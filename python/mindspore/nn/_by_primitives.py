# SPDX-License-Identifier: Apache-2.0
"""What layers compute from their primitives: used when one of those was replaced.

A layer calls operators, not its primitives. So an object that takes the place of one is noticed when it is
assigned, and that layer gets another `construct`; calls of all others stay as short as they are.
"""

from __future__ import annotations

from collections.abc import Callable

from mindspore.ops._registry import op


def _dense(layer, x):
    shape = x.shape
    rows = x if len(shape) == 2 else op.reshape(x, (-1, shape[-1]))
    rows = layer.matmul(rows, layer.weight)
    if layer.has_bias:
        rows = layer.bias_add(rows, layer.bias)
    if layer.activation_flag:
        rows = layer.activation(rows)
    return rows if len(shape) == 2 else op.reshape(rows, (*shape[:-1], -1))


def _convolution(layer, x):
    x = layer.conv2d(x, layer.weight)
    return layer.bias_add(x, layer.bias) if layer.has_bias else x


def _dropout(layer, x):
    return layer.dropout(x)[0] if layer.training and layer.keep_prob < 1 else x


# Layers of several primitives, or of one that is not just applied to the inputs.
_LAYERS: dict[str, Callable] = {
    "Conv2d": _convolution,
    "Dense": _dense,
    "Dropout": _dropout,
    "LayerNorm": lambda layer, x: layer.layer_norm(
        x, op.cast(layer.gamma, x.dtype), op.cast(layer.beta, x.dtype)
    )[0],
    "PReLU": lambda layer, x: layer.prelu(x, op.cast(layer.w, x.dtype)),
}


class ByPrimitives:
    """`construct` of one layer after something else was assigned to primitives of it.

    Args:
        layer (Cell): The layer.
        written_by (str): Class that has the `construct` in whose place it stands.
    """

    def __init__(self, layer, written_by: str):
        self._layer, self._written_by = layer, written_by
        self.replaced: set[str] = set()
        self._applied = ""

    def replace(self, name: str, is_whole_layer: bool) -> None:
        """Notes that a primitive is another one now.

        Args:
            name (str): The attribute.
            is_whole_layer (bool): Whether the layer does nothing but apply it.
        """
        self.replaced.add(name)
        if is_whole_layer:
            self._applied = name

    def of_copy(self, layer) -> ByPrimitives:
        """The same for a copy of the layer."""
        made = ByPrimitives(layer, self._written_by)
        made.replaced, made._applied = set(self.replaced), self._applied
        return made

    def __call__(self, *inputs):
        if self._applied:
            return getattr(self._layer, self._applied)(*inputs)
        compute = _LAYERS.get(self._written_by)
        if compute is None:
            names = ", ".join(f"'{name}'" for name in sorted(self.replaced))
            raise NotImplementedError(
                f"For '{type(self._layer).__name__}', another object was assigned to {names}, but the layer "
                "computes without that attribute. Please derive a class whose 'construct' uses it."
            )
        return compute(self._layer, *inputs)
