# SPDX-License-Identifier: Apache-2.0
"""Functions whose backward the user writes."""

from __future__ import annotations


class custom_vjp:  # noqa: N801 - used as a decorator
    """A function with a backward of its own.

    Args:
        fn (Union[Function, Cell]): Computes the outputs.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore.ops.function.grad.grad_func import custom_vjp
        >>> @custom_vjp
        ... def scaled(x):
        ...     return 2 * x
        >>> scaled.defbwd(lambda x, out, dout: (3 * dout,))
        >>> print(ms.grad(scaled)(ms.Tensor(1.0)))
        3.0
    """

    def __init__(self, fn):
        self.fn = fn
        self._cell = None

    def defbwd(self, bwd) -> None:
        """Sets the backward: it takes the inputs, the outputs and their gradients.

        Args:
            bwd (Function): Returns one gradient per input.
        """
        from mindspore.nn.cell import Cell

        function = self.fn
        body = {
            "construct": lambda _, *args: function(*args),
            "bprop": lambda _, *args: bwd(*args),
        }
        self._cell = type(getattr(function, "__name__", "CustomVjp"), (Cell,), body)()

    def __call__(self, *args):
        if self._cell is None:
            raise RuntimeError("For 'custom_vjp', set the backward with 'defbwd' before the first call.")
        return self._cell(*args)
