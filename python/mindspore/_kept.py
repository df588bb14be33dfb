# SPDX-License-Identifier: Apache-2.0
"""Properties that only give what an object keeps."""

from __future__ import annotations


class Kept(property):
    """A property that gives the attribute of its own name with an underscore before it.

    Args:
        kind (str): The type of its values, as an annotation names it; "" where nothing names it.
        words (str): What it is.
    """

    def __init__(self, kind: str, words: str) -> None:
        super().__init__()
        self._kind, self._words = kind, words

    def __set_name__(self, owner: type, name: str) -> None:
        attribute = f"_{name}"

        def read(self):
            return getattr(self, attribute)

        read.__module__ = owner.__module__
        if self._kind:
            read.__annotations__["return"] = self._kind
        super().__init__(read)
        super().__set_name__(owner, name)  # errors of assignments name it
        self.__doc__ = read.__doc__ = self._words
