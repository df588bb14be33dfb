# SPDX-License-Identifier: Apache-2.0
"""Attributes of layers that hardly anybody reads."""

from __future__ import annotations

from mindspore import log as logger

# Names of all such attributes: assigning to another one costs a look at them, and nothing more.
NAMES: set[str] = set()


class OnDemand:
    """An attribute that is made when it is read, unless another was assigned.

    Args:
        make (Callable): Takes the layer.
    """

    # Whether the layer does nothing but apply it.
    is_whole_layer = False

    def __init__(self, make):
        self._make, self.__doc__ = make, make.__doc__
        self._name, self.owner = "", object

    def __set_name__(self, owner: type, name: str) -> None:
        self._name, self.owner = name, owner
        NAMES.add(name)

    def __get__(self, instance, owner=None):
        return self if instance is None else self.made_for(instance)

    def made_for(self, layer) -> object:
        """The attribute of a layer to which nothing was assigned."""
        return self._make(layer)


def note_assignment(layer, name: str, value) -> None:
    """Sees that a layer computes with what is assigned to one of these attributes.

    A `construct` of the user's reads what it likes; one of ours gives way to `ByPrimitives`.

    Args:
        layer (Cell): The layer.
        name (str): The attribute, one of `NAMES`.
        value (object): What is assigned.
    """
    from mindspore.nn._by_primitives import ByPrimitives

    fields = vars(layer)
    described = _found(type(layer), name)
    standing = fields.get("construct")
    if not isinstance(described, OnDemand) or not isinstance(standing, (ByPrimitives, type(None))):
        return
    writer = next(kind for kind in type(layer).__mro__ if "construct" in vars(kind))
    is_ours = writer.__module__.partition(".")[0] == __name__.partition(".")[0]
    if "_params" not in fields or _is_base(writer) or described.owner.__name__ == "Cell":
        return  # what all cells have is for the user's own
    if not is_ours:
        if _calls_base(writer) and not _does_the_same(value, described.made_for(layer)):
            logger.warning(
                f"'{writer.__name__}.construct' calls that of '{described.owner.__name__}', which computes "
                f"without the '{name}' that was assigned. Please use 'self.{name}' in it instead."
            )
        return
    if not _does_the_same(value, described.made_for(layer)):
        standing = fields.setdefault("construct", ByPrimitives(layer, writer.__name__))
        standing.replace(name, described.is_whole_layer)
    elif standing is not None:
        standing.replaced.discard(name)
        if not standing.replaced:
            del fields["construct"]


def _found(kind: type, name: str) -> object:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def _is_base(kind: type) -> bool:
    """Whether a class leaves `construct` to classes derived from it."""
    return kind.__name__ in ("Cell", "LossBase", "Optimizer")


def _calls_base(kind: type) -> bool:
    """Whether a class's `construct` may call the one it stands in place of."""
    code = getattr(vars(kind)["construct"], "__code__", None)
    return code is not None and "construct" in code.co_names


def _does_the_same(value, made) -> bool:
    """Whether two objects are the same value, or are called alike: of one kind, with the same settings."""
    if type(value) is not type(made):
        return False
    if not callable(made):
        return bool(value == made)
    settings = made.attrs if hasattr(made, "attrs") else vars(made)
    return all(_is_equal(getattr(value, name, None), wanted) for name, wanted in settings.items())


def _is_equal(value, wanted) -> bool:
    """Whether settings are equal; one number stands for all of a tuple, and "SAME" is "same"."""
    one, other = (tuple(x) if isinstance(x, (tuple, list)) else (x,) for x in (value, wanted))
    size = max(len(one), len(other))
    one, other = (x * size if len(x) == 1 else x for x in (one, other))
    return len(one) == len(other) and all(_lowered(x) == _lowered(y) for x, y in zip(one, other, strict=True))


def _lowered(value) -> object:
    return value.lower() if isinstance(value, str) else value
