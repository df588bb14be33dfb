# SPDX-License-Identifier: Apache-2.0
"""Flags that a function carries for whoever builds a graph from it."""

from __future__ import annotations


def add_flags(fn=None, **flags):
    """Keeps flags with a function; a decorator when no function is given.

    Args:
        fn (function): The function, or an object with a method `add_flags`. Default: ``None``.
        flags (dict): Names and values.
    """

    def keep(function):
        known = {**getattr(function, "_func_graph_flags", {}), **flags}
        function._func_graph_flags = known
        return function

    return keep if fn is None else keep(fn)


def core(fn=None, **flags):
    """Marks a function as a basic one, with further flags.

    Args:
        fn (function): The function. Default: ``None``.
        flags (dict): Names and values.
    """
    return add_flags(fn, core=True, **flags)
