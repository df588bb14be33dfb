# SPDX-License-Identifier: Apache-2.0
"""Lists, dicts and tensors given to a recorded run: it works on copies, but its changes are the caller's."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._capture.cell_state import same

_DEEPEST = 8


def containers_in(value) -> list:
    """Lists and dicts among arguments, outer ones first."""
    if isinstance(value, dict):
        parts, found = value.values(), [value]
    elif isinstance(value, (tuple, list)):
        parts, found = value, [value] if isinstance(value, list) else []
    else:
        return []
    for part in parts:
        found += containers_in(part)
    return found


def content_of(container):
    """What a list or dict holds, for `is_as_before`."""
    return dict(container) if isinstance(container, dict) else list(container)


def is_as_before(container, content) -> bool:
    """Whether a list or dict holds what it held."""
    if isinstance(container, dict):
        same_keys = list(container) == list(content)
        return same_keys and all(same(part, content[key]) for key, part in container.items())
    return len(container) == len(content) and all(map(same, container, content))


def set_content(container, content) -> None:
    """Makes a list or dict hold something else."""
    if isinstance(container, dict):
        parts = dict(content)
        container.clear()
        container.update(parts)
    else:
        container[:] = content


class _Given:
    """Stands in a result for a list or dict that the caller gave."""

    __slots__ = ("number",)

    def __init__(self, number: int):
        self.number = number


def _replaced(value, replace, depth: int = 0):
    """A result in which lists, dicts and stand-ins for them are what `replace` gives; None: as they are."""
    fresh = replace(value) if isinstance(value, (list, dict, _Given)) else None
    if fresh is not None or type(value) not in (list, tuple, dict) or depth > _DEEPEST:
        return value if fresh is None else fresh
    parts = value.values() if type(value) is dict else value
    made = [_replaced(part, replace, depth + 1) for part in parts]
    if all(one is other for one, other in zip(parts, made, strict=True)):
        return value
    return dict(zip(value, made, strict=True)) if type(value) is dict else type(value)(made)


def with_places_of(containers: list, result):
    """A result with stand-ins for lists and dicts that were given."""
    places = {id(one): _Given(number) for number, one in enumerate(containers)}
    return _replaced(result, lambda value: places.get(id(value)))


def with_containers(containers: list, result):
    """The other way round, for the containers of another call."""
    return _replaced(result, lambda value: containers[value.number] if type(value) is _Given else None)


def _has_other_form(copy, given) -> bool:
    """Whether the stand-in for a tensor has got a content of another shape or type than the tensor."""
    if not isinstance(given, Tensor) or not isinstance(copy, Tensor) or not given._has_data():
        return False
    return copy._has_data() and (copy.shape != given.shape or copy.dtype is not given.dtype)


class ArgumentContainers:
    """The containers among the arguments of one recorded call.

    Args:
        given (Any): What the caller gave.
        copies (Any): The same with stand-ins for tensors.
    """

    __slots__ = ("_originals", "_pairs")

    def __init__(self, given, copies):
        self._pairs: list = []  # (the caller's container, its copy, content of the copy)
        self._originals: dict = {}  # id of a stand-in or copy -> (it, the caller's object)
        self._collect(given, copies)

    def _collect(self, given, copy) -> None:
        if given is copy:
            return
        self._originals[id(copy)] = (copy, given)
        if isinstance(given, Tensor):
            return
        if isinstance(given, (list, dict)):
            self._pairs.append((given, copy, content_of(copy)))
        if isinstance(given, dict):
            for key, part in given.items():
                self._collect(part, copy[key])
        elif isinstance(given, (tuple, list)):
            for part, other in zip(given, copy, strict=True):
                self._collect(part, other)

    def are_in(self, result, depth: int = 0) -> bool:
        """Whether a result holds a list or dict that was given."""
        if isinstance(result, (list, dict)) and id(result) in self._originals:
            return True
        if type(result) not in (list, tuple, dict) or depth > _DEEPEST:
            return False
        parts = result.values() if type(result) is dict else result
        return any(self.are_in(part, depth + 1) for part in parts)

    def in_place_of_copies(self, result, finished, was_there, depth: int = 0):
        """What a call gives, with the lists and dicts that existed before it.

        Args:
            result (Any): What the run itself gave.
            finished (Any): The same with tensors that were computed.
            was_there (Callable): Whether an object existed before the run.
            depth (int): In how many containers these stand.
        """
        copy, given = self._originals.get(id(result), (None, None))
        if isinstance(copy, (list, dict)) or _has_other_form(copy, given):
            return given
        if isinstance(result, (list, dict)) and was_there(result):
            return result
        if type(result) not in (list, tuple, dict) or len(result) != len(finished) or depth > _DEEPEST:
            return finished
        is_dict = type(result) is dict
        before = list(finished.values()) if is_dict else finished
        pairs = zip(result.values() if is_dict else result, before, strict=True)
        parts = [self.in_place_of_copies(*pair, was_there, depth + 1) for pair in pairs]
        if all(one is other for one, other in zip(parts, before, strict=True)):
            return finished
        return dict(zip(result, parts, strict=True)) if is_dict else type(result)(parts)

    def hand_back_attributes(self) -> bool:
        """Gives the caller's tensors the attributes that their stand-ins got; whether there were any."""
        pairs = [
            pair for pair in self._originals.values() if isinstance(pair[0], Tensor) and pair[0].__dict__
        ]
        for copy, given in pairs:
            given.__dict__.update(copy.__dict__)
        return bool(pairs)

    def has_reshaped_tensors(self) -> bool:
        """Whether a tensor that was given has another shape or type now, which its stand-in alone shows."""
        return any(_has_other_form(copy, given) for copy, given in self._originals.values())

    def hand_back(self) -> bool:
        """Does to the caller's containers what was done to the copies; whether anything was."""
        changed = [(given, copy) for given, copy, before in self._pairs if not is_as_before(copy, before)]
        for given, copy in changed:
            content = content_of(copy)
            for key, part in content.items() if isinstance(content, dict) else enumerate(content):
                content[key] = self._originals.get(id(part), (None, part))[1]
            set_content(given, content)
        for copy, given in self._originals.values():
            if _has_other_form(copy, given):
                given._share(copy)
        return bool(changed)
