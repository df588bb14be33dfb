# SPDX-License-Identifier: Apache-2.0
"""Where the function is found that makes a block recompute itself."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType


class RecomputeRegistry:
    """Holds one function; a library may put its own there."""

    def __init__(self) -> None:
        self.recompute_generator: Callable | None = None

    def register(self, fn: Callable) -> None:
        """Sets the function.

        Raises:
            TypeError: `fn` is no function.
        """
        if not isinstance(fn, FunctionType):
            raise TypeError(f"Fn should be function type, but got {type(fn)}.")
        self.recompute_generator = fn

    def get(self) -> Callable:
        """The function.

        Raises:
            TypeError: There is none.
        """
        if self.recompute_generator is None:
            raise TypeError("Recompute generator should be initialised before get()!")
        return self.recompute_generator


recompute_registry = RecomputeRegistry()
