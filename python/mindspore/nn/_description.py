# SPDX-License-Identifier: Apache-2.0
"""Constructors of cells from descriptions that say each argument once: name, type, text, default, check."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable

from mindspore._wording import LateText, sections_of, written

REQUIRED = inspect.Parameter.empty
_WIDTH = 102  # of a line that stands four columns to the right
_INHERITED = ("Inputs", "Outputs", "Raises")


class Argument:
    """One argument of a constructor.

    Args:
        name (str): Its name, and that of the attribute that keeps it.
        kind (str): Its type, in the words of the documentation.
        text (str): What it means.
        default (object): What it is if nothing is given; without one it has to be given.
        check (Callable): Takes value, name and owner, and gives the value to keep. Default: ``None``.
        by_name (bool): Whether it can be given by its name only. Default: ``False``.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        text: str,
        default: object = REQUIRED,
        check: Callable | None = None,
        by_name: bool = False,
    ):
        self.name, self.kind, self.text = name, kind, text
        self.default, self.check, self.by_name = default, check, by_name

    def but(self, **changes: object) -> Argument:
        """The same argument, apart from what is named."""
        return Argument(**{**vars(self), **changes})

    @property
    def is_required(self) -> bool:
        """Whether it has to be given."""
        return self.default is REQUIRED

    def as_parameter(self) -> inspect.Parameter:
        """What it is in a signature."""
        kind = inspect.Parameter.KEYWORD_ONLY if self.by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Parameter(self.name, kind, default=self.default)

    def documentation(self) -> str:
        """Its lines in a docstring."""
        default = "" if self.is_required else f" Default: ``{_shown(self.default)}``."
        text = f"{self.name} ({self.kind}): {self.text}{default}"
        return textwrap.fill(text, _WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value)


def _document(cls: type, arguments: tuple[Argument, ...]) -> None:
    """Adds to the docstring of a class its arguments and platforms.

    Of inputs, outputs and errors that it does not mention, the class that it is derived from tells.
    """
    said = cls.__doc__ or ""

    def joined() -> str:
        inherited: dict[str, str] = {}
        for base in reversed(cls.__mro__[1:]):
            if hasattr(base, "construct"):
                sections = sections_of(base.__doc__ or "")
                inherited.update((title, sections[title]) for title in _INHERITED if title in sections)
        own = "\n".join(argument.documentation() for argument in arguments)
        platforms = {"Supported Platforms": "``CPU``"}
        return written({**inherited, **platforms, **sections_of(said), **({"Args": own} if own else {})})

    cls.__doc__ = LateText(joined)


def takes(*arguments: Argument, **given: object) -> Callable[[type], type]:
    """Gives a class its constructor and the documentation of it.

    Arguments that the class it is derived from takes, too, are handed on to that, after a check that it does
    not make itself. The others are checked and become attributes. A method `_set_up` of the class is called
    last. What it has parameters for does not become an attribute but is handed to it; if it takes `**`, so is
    all the rest, without a check: that is meant for a part.

    Args:
        arguments (tuple[Argument]): What the constructor takes.
        given (dict): What else the class that it is derived from is given.
    """

    def describe(cls: type) -> type:
        cls.__init__ = _constructor(cls, arguments, given)
        _document(cls, arguments)
        return cls

    return describe


def with_defaults(arguments: Iterable[Argument], **defaults: object) -> list[Argument]:
    """Arguments of which some have other defaults."""
    return [one.but(default=defaults[one.name]) if one.name in defaults else one for one in arguments]


def documented(cls: type) -> type:
    """Adds to the documentation of a class what is said elsewhere: of its constructor, and by its base."""
    _document(cls, getattr(cls.__init__, "_arguments", ()))
    return cls


def _constructor(cls: type, arguments: tuple[Argument, ...], given: dict) -> Callable:
    base = cls.__mro__[1].__init__
    of_base = _taken(base)
    made_there = {one.name: one.check for one in getattr(base, "_arguments", ())}
    handed_on = {
        one.name: None if one.check is made_there.get(one.name) else one.check
        for one in arguments
        if one.name in of_base
    }
    own = {one.name: one.check for one in arguments if one.name not in of_base}
    set_up = vars(cls).get("_set_up")
    wanted = _taken(set_up) if set_up else ()
    rest = tuple(own.keys() - set(wanted)) if set_up and _takes_rest(set_up) else ()
    checked = [(name, check) for name, check in own.items() if name not in rest]
    bound = _Binding(arguments)

    def __init__(self, *args, **kwargs):
        values = bound(constructor, args, kwargs)
        owner = self.cls_name
        for name, check in handed_on.items():
            if check is not None:
                values[name] = check(values[name], name, owner)
        super(cls, self).__init__(**{name: values[name] for name in handed_on}, **given)
        for name, check in checked:
            if check is not None:
                values[name] = check(values[name], name, owner)
            if name not in wanted:
                setattr(self, name, values[name])
        if set_up is not None:
            set_up(self, **{name: values[name] for name in (*wanted, *rest)})

    constructor = __init__
    constructor.__qualname__, constructor.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    constructor.__signature__ = inspect.Signature([itself, *(one.as_parameter() for one in arguments)])
    constructor._arguments = arguments
    constructor._takes = tuple(one.name for one in arguments)
    constructor._keeps = tuple(name for name, _ in checked if name not in wanted)
    return constructor


def _taken(function: Callable) -> tuple[str, ...]:
    """Names of the parameters of a method, but for the object itself."""
    described = getattr(function, "_takes", None)
    if described is not None:
        return described
    code = function.__code__
    return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


def _takes_rest(function: Callable) -> bool:
    return bool(function.__code__.co_flags & inspect.CO_VARKEYWORDS)


class _Binding:
    """The arguments of a call by name, as the interpreter assigns them, or refuses to."""

    def __init__(self, arguments: tuple[Argument, ...]):
        self._names = [one.name for one in arguments]
        self._positional = [one.name for one in arguments if not one.by_name]
        self._defaults = {one.name: one.default for one in arguments if not one.is_required}

    def __call__(self, constructor: Callable, args: tuple, kwargs: dict) -> dict:
        by_place = dict(zip(self._positional, args, strict=False))
        values = {**self._defaults, **by_place, **kwargs}
        is_once = len(args) <= len(self._positional) and kwargs.keys().isdisjoint(by_place)
        if not is_once or values.keys() != set(self._names):
            raise TypeError(f"{constructor.__qualname__}() {self._misfit(by_place, len(args), kwargs)}")
        return values

    def _misfit(self, by_place: dict, count: int, kwargs: dict) -> str:
        for name in kwargs:
            if name not in self._names:
                return f"got an unexpected keyword argument '{name}'"
            if name in by_place:
                return f"got multiple values for argument '{name}'"
        most = len(self._positional) + 1  # the object itself is the first
        if count >= most:
            least = most - len(self._defaults.keys() & set(self._positional))
            takes = f"{most}" if least == most else f"from {least} to {most}"
            return f"takes {takes} positional argument{'s' * (most > 1)} but {count + 1} were given"
        missing = [
            f"'{name}'" for name in self._names if name not in {**self._defaults, **by_place, **kwargs}
        ]
        listed = ", ".join(missing[:-1]) + "," * (len(missing) > 2)
        several = f"s: {listed} and {missing[-1]}" if listed else f": {missing[-1]}"
        return f"missing {len(missing)} required positional argument{several}"


def shows(fields: str) -> Callable[[object], str]:
    """`extend_repr` that shows attributes; "name=attribute" shows one under another name.

    Args:
        fields (str): The attributes, with spaces between.
    """
    pairs = [(field.partition("=")[0], field.rpartition("=")[2]) for field in fields.split()]

    def extend_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, attribute)}" for name, attribute in pairs)

    return extend_repr
