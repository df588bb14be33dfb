# SPDX-License-Identifier: Apache-2.0
"""Loops whose turns are functions."""

from __future__ import annotations

import types

from mindspore._c_expression import Tensor
from mindspore.ops._primitives.composition import composed

__all__ = ["ForiLoop", "Scan", "WhileLoop"]


def _check_function(owner: str, name: str, value: object) -> None:
    if not isinstance(value, (types.FunctionType, types.MethodType)):
        raise TypeError(f"For '{owner}', '{name}' must be a function, but got {type(value).__name__}.")


@composed()
def WhileLoop(self, cond_func, loop_func, init_val):
    """``while cond_func(val): val = loop_func(val)``

    In a compiled function it is one node, whatever the number of turns is: memory does not grow with them,
    and another number needs no compilation. Gradients go through it; what they need of every turn is kept, as
    in PyNative mode. For that, what the turns change must be tensors that keep type and shape, and the
    functions must not look at values of tensors; else it is compiled turn by turn. So is a loop whose
    functions assign attributes or globals, write into the value they are given, or change lists and the like
    around them. Functions that they call must not do so: each is run once while the loop is recorded.

    Inputs:
        - **cond_func** (Function) - Tells from the value whether another turn is made.
        - **loop_func** (Function) - Makes the next value of the value.
        - **init_val** (Union[Tensor, number, str, bool, list, tuple, dict]) - The value at first.

    Outputs:
        The value after the last turn; its tensors share memory with no others.

    Raises:
        TypeError: `cond_func` or `loop_func` is no function.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import ops
        >>> @ms.jit
        ... def doubled(x, limit):
        ...     return ops.WhileLoop()(lambda v: v.sum() < limit, lambda v: v * 2, x)
        >>> print(doubled(ms.Tensor([1.0, 2.0]), ms.Tensor(100.0)))
        [ 64. 128.]
    """
    from mindspore._capture.loop_node import while_loop

    _check_function(self.name, "cond_func", cond_func)
    _check_function(self.name, "loop_func", loop_func)
    return while_loop(cond_func, loop_func, init_val)


@composed()
def ForiLoop(self, lower, upper, loop_func, init_val, unroll=True):
    """``for i in range(lower, upper): val = loop_func(i, val)``

    Inputs:
        - **lower** (Union[int, Tensor]) - The first number.
        - **upper** (Union[int, Tensor]) - The number behind the last one.
        - **loop_func** (Function) - Makes the next value of a number and the value.
        - **init_val** (Union[Tensor, number, str, bool, list, tuple, dict]) - The value at first.
        - **unroll** (bool) - Turns are compiled one by one if both bounds are int; else the loop is one node
          of a compiled function like `WhileLoop` , if `loop_func` uses its number beside tensors only.
          Default: ``True``.

    Outputs:
        The value after the last turn; its tensors share memory with no others if the loop is not unrolled.

    Raises:
        TypeError: A bound is neither int nor Tensor, or `loop_func` is no function.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import ops
        >>> print(ops.ForiLoop()(0, 4, lambda i, total: i + total, 0))
        6
    """
    for name, bound in (("lower", lower), ("upper", upper)):
        if isinstance(bound, bool) or not isinstance(bound, (int, Tensor)):
            raise TypeError(
                f"For 'ForiLoop', '{name}' must be an int or a Tensor, but got {type(bound).__name__}."
            )
    _check_function(self.name, "loop_func", loop_func)
    if not unroll or isinstance(lower, Tensor) or isinstance(upper, Tensor):
        from mindspore._capture.loop_node import counted_loop

        return counted_loop(lower, upper, loop_func, init_val)
    for i in range(lower, upper):
        init_val = loop_func(i, init_val)
    return init_val


@composed()
def Scan(self, loop_func, init, xs, length=None, unroll=True) -> tuple:
    """``for x in xs: carry, y = loop_func(carry, x)`` , where every `y` is kept.

    Inputs:
        - **loop_func** (Function) - Makes the next carried value, and a result, of that value and an element.
        - **init** (Union[Tensor, number, str, bool, list, tuple, dict]) - The carried value at first.
        - **xs** (Union[tuple, list, None]) - The elements; None: `length` times None.
        - **length** (int) - Number of turns without `xs` . Default: ``None``.
        - **unroll** (bool) - Turns are compiled one by one; else the loop is one node of a compiled function
          like `WhileLoop` , if the elements are tensors of one type and shape, or tuples or the like of
          such.
          Default: ``True``.

    Outputs:
        Tuple of the carried value at last and a list of the results.

    Raises:
        TypeError: `loop_func` is no function, `xs` no tuple or list, or `length` no int.
        ValueError: `loop_func` does not give two values.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import ops
        >>> print(ops.Scan()(lambda total, x: (total + x, total + x), 0, [1, 2, 3, 4]))
        (10, [1, 3, 6, 10])
    """
    _check_function(self.name, "loop_func", loop_func)
    if xs is None and (isinstance(length, bool) or not isinstance(length, int)):
        raise TypeError(f"For 'Scan', 'length' must be an int, but got {type(length).__name__}.")
    if xs is not None and not isinstance(xs, (tuple, list)):
        raise TypeError(f"For 'Scan', 'xs' must be a tuple, a list or None, but got {type(xs).__name__}.")
    elements = [None] * length if xs is None else list(xs)
    if not unroll:
        from mindspore._capture.loop_node import scanned_loop

        found = scanned_loop(loop_func, init, elements)
        if found is not None:
            return found
    results = []
    for x in elements:
        made = loop_func(init, x)
        if not isinstance(made, tuple) or len(made) != 2:
            raise ValueError(f"For 'Scan', 'loop_func' must give a tuple of two values, but got {made}.")
        init, result = made
        results.append(result)
    return init, results
