# SPDX-License-Identifier: Apache-2.0
"""Attributes of layers that hardly anybody reads."""

from __future__ import annotations


class OnDemand:
    """An attribute that is made when it is read, unless another was assigned.

    Args:
        make (Callable): Takes the layer.
    """

    def __init__(self, make):
        self._make, self.__doc__ = make, make.__doc__

    def __get__(self, instance, owner=None):
        return self if instance is None else self._make(instance)
