# SPDX-License-Identifier: Apache-2.0
"""Places outside a function that it writes: attributes, globals, entries of dicts.

A captured function gets what stands there as a hidden argument and gives back what is to stand there then.
"""

from __future__ import annotations

import types

from mindspore._c_expression import Tensor, note_change
from mindspore._capture.cell_state import ATOMS

MISSING = object()
_VALUES_AT_MOST = 4  # of a number that is kept; each value is captured on its own
_DEPTH = 4


def can_be_kept(value, depth: int = _DEPTH) -> bool:
    """Whether a value can be an argument and a result of a compiled function."""
    if value is MISSING or isinstance(value, ATOMS):
        return True
    if isinstance(value, Tensor):
        return not hasattr(value, "param_info") and value._has_data()
    if depth == 0:
        return False
    if type(value) in (tuple, list):
        return all(can_be_kept(part, depth - 1) for part in value)
    if type(value) is dict:
        return all(isinstance(key, ATOMS) and can_be_kept(part, depth - 1) for key, part in value.items())
    # Types written in C may have a descriptor there instead of a name; those we meet are our operators.
    module = type(value).__module__
    is_ours = not isinstance(module, str) or module.startswith("mindspore")
    return is_ours and not hasattr(value, "__dict__")


class Place:
    """One place, in a dict or in a variable of a closure.

    Args:
        holder (Union[dict, CellType]): What holds the value.
        key (Any): Where in the dict.
        what (str): How messages call it.
    """

    __slots__ = ("_seen", "holder", "is_counter", "key", "what", "where")

    def __init__(self, holder, key, what: str):
        self.holder, self.key, self.what = holder, key, what
        self._seen: set = set()
        self.is_counter = False  # the function only adds constants to it
        self.where = ""  # " (file:line)" of the user's code that writes it, where that is known

    def is_at(self, holder, key) -> bool:
        """Whether this is the place."""
        return self.holder is holder and self.key == key

    def get(self):
        """What stands there."""
        if isinstance(self.holder, types.CellType):
            try:
                return self.holder.cell_contents
            except ValueError:
                return MISSING
        return self.holder.get(self.key, MISSING)

    def put(self, value) -> None:
        """Puts something else there."""
        if value is self.get():
            return
        note_change()  # other functions may rely on what stood there
        if isinstance(self.holder, types.CellType):
            self.holder.cell_contents = value
        elif value is MISSING:
            self.holder.pop(self.key, None)
        else:
            self.holder[self.key] = value

    def lay(self, value) -> None:
        """Puts something there that nobody else is to notice."""
        if isinstance(self.holder, types.CellType):
            self.holder.cell_contents = value
        else:
            self.holder[self.key] = value

    def given(self):
        """What the function is given for it; a counter is not looked at."""
        if self.is_counter and type(self.get()) is not int:
            self.is_counter = False  # of other numbers a difference is not what was added
        return None if self.is_counter else self.get()

    def left_since(self, before):
        """What the function has left; of a counter, how much it has counted."""
        return self.get() - before if self.is_counter else self.get()

    def repeat(self, left) -> None:
        """Does what a run has done that left this."""
        self.put(self.get() + left if self.is_counter else left)

    def is_restless(self, value) -> bool:
        """Whether numbers stand there that are different in every call."""
        if isinstance(value, (int, float, complex, str, bytes)) and len(self._seen) <= _VALUES_AT_MOST:
            self._seen.add(value)
        return len(self._seen) > _VALUES_AT_MOST
