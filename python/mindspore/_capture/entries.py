# SPDX-License-Identifier: Apache-2.0
"""Entries of dicts among the arguments that differ from call to call: names of files, counters, weights.

One that has come with several values is withheld from what a call is recognized by. The next capture gets a
dict that watches its reads: what is not read does not matter, a number becomes an input of the graph, and
what else is read goes back to being a value to specialize for.
"""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._capture.numbers import NumberStandIn, Uses, without_stand_ins
from mindspore._capture.outside_numbers import is_number

_VALUES_BEFORE = 3  # of one entry, until it is withheld
_MOST_VALUES = 8  # that are remembered
_WITHHELD_TYPES = (int, float, str, bytes, bool, type(None))


class EntryIsRead(BaseException):
    """Python has read an entry that it was not to read; no error of the user's."""


class WatchedDict(dict):
    """What a function is given for a dict while it is captured.

    Args:
        content (dict): The entries.
        withheld (dict): Stand-ins for numbers among them, and None for others that are not to be read.
    """

    __slots__ = ("withheld",)

    def __init__(self, content: dict, withheld: dict):
        super().__init__(content)
        self.withheld = withheld

    def _read(self, key):
        if type(key) is str and key in self.withheld and key in self.keys():
            stand_in = self.withheld[key]
            if stand_in is None:
                raise EntryIsRead(key)
            return stand_in
        return None

    def __getitem__(self, key):
        found = self._read(key)
        return super().__getitem__(key) if found is None else found

    def get(self, key, default=None):
        """As of any dict."""
        found = self._read(key)
        return super().get(key, default) if found is None else found

    @property
    def __class__(self):
        return dict


def _reads_all(name: str):
    def method(self, *args, **kwargs):
        raise EntryIsRead(name)

    return method


for _name in (
    *("items", "values", "copy", "pop", "popitem", "setdefault", "update", "clear", "fromkeys"),
    *(
        "__setitem__",
        "__delitem__",
        "__or__",
        "__ror__",
        "__ior__",
        "__eq__",
        "__ne__",
        "__repr__",
        "__reduce_ex__",
    ),
    *("__iter__", "__reversed__", "__copy__", "__deepcopy__"),
):
    setattr(WatchedDict, _name, _reads_all(_name))


class EntryArguments:
    """Which entries of dicts among the arguments of one function are withheld."""

    __slots__ = ("_by_value", "_seen", "withheld")

    def __init__(self):
        self._seen: dict = {}  # (position or keyword, key) -> values
        self._by_value: set = set()  # dicts, by position or keyword, and entries that are read
        self.withheld: frozenset = frozenset()

    def note(self, args: tuple, kwargs: dict) -> bool:
        """A call that had to be captured; whether some entry has come to be withheld."""
        found = set()
        for place, value in (*enumerate(args), *kwargs.items()):
            if type(value) is not dict or place in self._by_value:
                continue
            for key, part in value.items():
                spot = (place, key)
                if type(key) is not str or type(part) not in _WITHHELD_TYPES or spot in self._by_value:
                    continue
                values = self._seen.setdefault(spot, set())
                if len(values) < _MOST_VALUES:
                    values.add((type(part), repr(part)))
                if len(values) >= _VALUES_BEFORE:
                    found.add(spot)
        is_new = not found <= self.withheld
        self.withheld = self.withheld | found
        return is_new

    def given(self, args: tuple, kwargs: dict) -> tuple | None:
        """((what is hidden, the rest of the arguments), keywords); None: there is nothing to withhold."""
        reduced, keywords, hidden = list(args), dict(kwargs), []
        for place in {place for place, _ in self.withheld}:
            holder = keywords if isinstance(place, str) else reduced
            is_there = place in holder if isinstance(place, str) else place < len(holder)
            content = holder[place] if is_there else None
            if type(content) is not dict:
                continue
            parts = {key: part for key, part in content.items() if (place, key) in self.withheld}
            if not all(type(part) in _WITHHELD_TYPES for part in parts.values()):
                return None
            holder[place] = {key: part for key, part in content.items() if key not in parts}
            # The keys and their order are still what the call is recognized by.
            inputs = {key: _c.number_input(part) for key, part in parts.items() if is_number(part)}
            hidden.append((place, tuple(content), inputs))
        return ((tuple(hidden), *reduced), keywords) if hidden else None

    def keep_by_value(self, spots) -> None:
        """These are specialized by value from now on."""
        self._by_value |= set(spots)
        self.withheld = frozenset(
            spot for spot in self.withheld if spot not in self._by_value and spot[0] not in self._by_value
        )


class EntryTrial:
    """One run of a function with dicts that watch what is read of them.

    Args:
        function (Callable): The function.
        args (tuple): Its arguments, as the caller gave them.
        kwargs (dict): Likewise.
    """

    __slots__ = ("_args", "_function", "_kwargs", "_uses", "has_begun")

    def __init__(self, function, args: tuple, kwargs: dict):
        self._function, self._args, self._kwargs = function, args, kwargs
        self._uses: dict = {}
        self.has_begun = False

    def run(self, hidden: tuple, *args, **kwargs):
        """The function, given the dicts whole."""
        self.has_begun = True
        given, keywords = list(args), dict(kwargs)
        for place, keys, inputs in hidden:
            holder = keywords if isinstance(place, str) else given
            whole = (self._kwargs if isinstance(place, str) else self._args)[place]
            rest = holder[place]
            withheld = {}
            for key in keys:
                if key in rest:
                    continue
                tensor = inputs.get(key)
                withheld[key] = (
                    self._stand_in(place, key, whole[key], tensor) if isinstance(tensor, Tensor) else None
                )
            content = {key: rest[key] if key in rest else whole[key] for key in keys}
            holder[place] = WatchedDict(content, withheld)
        return without_stand_ins(self._function(*given, **keywords))

    def _stand_in(self, place, key: str, number, tensor: Tensor) -> NumberStandIn:
        uses = self._uses[place, key] = Uses()
        return NumberStandIn(number, tensor, uses)

    def places_read(self, failure: BaseException | None) -> set:
        """What is to be specialized by value; of a run that has failed whole dicts may be."""
        used = {spot for spot, uses in self._uses.items() if uses.end()}
        if failure is None:
            return used
        dicts = {
            place for place, value in (*enumerate(self._args), *self._kwargs.items()) if type(value) is dict
        }
        if isinstance(failure, EntryIsRead):
            named = {(place, failure.args[0]) for place in dicts}
            keys = {
                key
                for place in dicts
                for key in (self._kwargs if isinstance(place, str) else self._args)[place]
            }
            if failure.args[0] in keys:
                return named
        return dicts
