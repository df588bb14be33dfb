# SPDX-License-Identifier: Apache-2.0
"""Where in a network an error arose: messages of layers name the layer's path and what it was given."""

from __future__ import annotations

from mindspore._failures import is_stumble
from mindspore.common.tensor import Tensor

_KINDS = (ValueError, TypeError, RuntimeError, IndexError, ZeroDivisionError, AttributeError)
_LAYERS = ("mindspore.nn.layer.", "mindspore.nn.loss.")
_ROOT = "network"


class _Place:
    """The layer an error left, and its path so far.

    Args:
        layer (Cell): The layer.
        text (str): The message before anything was added.
        args (tuple): What the layer was given.
    """

    def __init__(self, layer, text: str, args: tuple):
        self._cell, self._names, self._text = layer, [], text
        self._given = _described(layer, args) + _other_types(layer, text, args)

    def leave(self, parent) -> None:
        """The error also leaves a cell above."""
        for name, cell in parent._cells.items():
            if cell is self._cell:
                if parent._auto_prefix:
                    self._names.insert(0, name)
                break
        else:
            return
        self._cell = parent

    def message(self) -> str:
        """The message with the place."""
        path = ".".join((_ROOT, *self._names)) if self._names else ""
        where = f"'{path}', " if path else ""
        return f"{self._text}\nIn {where}{self._given}"


def _described(layer, args: tuple) -> str:
    given = ", ".join(
        f"Tensor[{value.dtype}] of shape {tuple(value.shape)}" for value in args if isinstance(value, Tensor)
    )
    expected = layer._expects()
    text = f"a layer {layer.cls_name}"
    text += f" that expects an input of shape {expected}" if expected else ""
    return f"{text}; it was given {given or 'no tensor'}."


def _other_types(layer, text: str, args: tuple) -> str:
    """What to do where an error is about types, and the input has not that of the layer's parameters."""
    wanted = {parameter.dtype for parameter in layer._params.values() if parameter is not None}
    given = {value.dtype for value in args if isinstance(value, Tensor)}
    if " type of " not in text or len(wanted) != 1 or not given or given == wanted:
        return ""
    kind = str(wanted.pop())
    # Without it among the types that are named, the layer takes another: numbers of rows, for one.
    return f" Its parameters are {kind}: pass x.astype(mindspore.{kind.lower()})." if kind in text else ""


def _told(cell, error: Exception) -> str:
    """The message; of code that met something it had not reckoned with, one that says what that means."""
    if not is_stumble(error):
        return error.args[0]
    return (
        f"For '{cell.cls_name}', the inputs do not fit the layer ({type(error).__name__}: {error.args[0]})."
    )


def note_place(cell, error: Exception, args: tuple) -> None:
    """Lets an error that leaves a layer say which one, and what it was given; others stay as they are."""
    fields = error.__dict__
    place = fields.get("_place")
    if place is None:
        is_ours = (
            type(cell).__module__.startswith(_LAYERS) and type(error) in _KINDS and "_params" in cell.__dict__
        )
        is_text = len(error.args) == 1 and isinstance(error.args[0], str)
        place = _Place(cell, _told(cell, error), args) if is_ours and is_text else False
        fields["_place"] = place
    elif place:
        place.leave(cell)
    if place:
        error.args = (place.message(),)
