# SPDX-License-Identifier: Apache-2.0
"""Lengths that are not known yet."""

from __future__ import annotations


class Symbol:
    """A length of a placeholder about which something is known.

    Args:
        max (int): Largest length; 0: none. Default: ``0``.
        min (int): Smallest length. Default: ``1``.
        divisor (int): The length is ``divisor * n + remainder``. Default: ``1``.
        remainder (int): See `divisor`. Default: ``0``.
        unique (bool): The same length wherever the symbol is used. Default: ``False``.
        kwargs (dict): Accepted for compatibility.
    """

    def __init__(self, max=0, min=1, divisor=1, remainder=0, unique=False, **kwargs):
        for name, value in (("max", max), ("min", min), ("divisor", divisor), ("remainder", remainder)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"For 'Symbol', the argument '{name}' must be int, but got {type(value)}.")
        if not isinstance(unique, bool):
            raise TypeError(f"For 'Symbol', the argument 'unique' must be bool, but got {type(unique)}.")
        if min < 1:
            raise ValueError(f"For 'Symbol', the argument 'min' must be >= 1, but got {min}.")
        if divisor < 1:
            raise ValueError(f"For 'Symbol', the argument 'divisor' must be >= 1, but got {divisor}.")
        if not 0 <= remainder < divisor:
            raise ValueError(
                f"For 'Symbol', the argument 'remainder' must be in [0, {divisor}), but got {remainder}."
            )
        self.max, self.min, self.divisor, self.remainder, self.unique = max, min, divisor, remainder, unique
        self.id = id(self)

    def to_dict(self) -> dict:
        """What is known."""
        known = {"min": self.min, "divisor": self.divisor, "remainder": self.remainder, "unique": self.unique}
        return {**known, "id": self.id, **({"max": self.max} if self.max else {})}

    def __str__(self) -> str:
        return str(self.to_dict())


__all__ = ["Symbol"]
