# SPDX-License-Identifier: Apache-2.0
"""Primitives that cells keep as attributes, for scripts that use them or set a strategy on them."""

from __future__ import annotations

import functools


def inner_primitive(name: str, *constants: object, **attributes: str) -> functools.cached_property:
    """An attribute of a class of cells: a primitive that each cell makes when it is first read.

    Args:
        name (str): The primitive's name in `mindspore.ops`.
        constants (tuple): First arguments of its constructor.
        attributes (dict): Other arguments, each with the attribute of the cell that holds its value.
    """

    def made(self: object) -> object:
        from mindspore import ops

        given = {argument: getattr(self, held) for argument, held in attributes.items()}
        return getattr(ops, name)(*constants, **given)

    made.__doc__ = f"The primitive `{name}`."
    return functools.cached_property(made)
