# SPDX-License-Identifier: Apache-2.0
"""Whether the arguments of a call fit what is called."""

from __future__ import annotations

import inspect
from typing import Any

from mindspore._spelling import keyword_hint
from mindspore.tools._scan.uses import Call

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Arguments:
    """Compares calls with signatures, each of which is read once."""

    def __init__(self) -> None:
        self._signatures: dict[tuple[int, bool], tuple[Any, inspect.Signature | None]] = {}

    def mistake(self, function: Any, call: Call, name: str, bound: bool) -> str:
        """What is wrong with the arguments; empty: nothing that can be seen.

        Args:
            function (Any): What is called.
            call (Call): The arguments.
            name (str): What it is called in the script.
            bound (bool): It is a method of an object, which is not among the arguments.
        """
        signature = self.signature(function, bound)
        if signature is None:
            return ""
        parameters = list(signature.parameters.values())
        named = [one.name for one in parameters if one.kind in (*_POSITIONAL[1:], one.KEYWORD_ONLY)]
        if not any(one.kind is one.VAR_KEYWORD for one in parameters):
            for keyword in call.keywords:
                if keyword not in named:
                    hint = keyword_hint(keyword, named).strip().removeprefix("In MindSpore ").rstrip(".")
                    return f"{name} has no argument '{keyword}'" + (f": {hint}" if hint else "")
        return self._wrong_number(parameters, call, name)

    @staticmethod
    def _wrong_number(parameters: list[inspect.Parameter], call: Call, name: str) -> str:
        places = [one for one in parameters if one.kind in _POSITIONAL]
        takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters)
        given = len(call.positional)
        if given > len(places) and not takes_any:
            arguments = "argument" if len(places) == 1 else "arguments"
            return f"{name} takes at most {len(places)} {arguments} without a name, not {given}"
        twice = [one.name for one in places[:given] if one.name in call.keywords]
        if twice and not takes_any:
            return f"{name} gets '{twice[0]}' twice"
        if call.open_ended:
            return ""
        needed = [one for one in places[given:] if one.default is one.empty]
        needed += [one for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
        lacking = [one.name for one in needed if one.name not in call.keywords]
        return f"{name} needs the argument '{lacking[0]}'" if lacking else ""

    def signature(self, function: Any, bound: bool) -> inspect.Signature | None:
        """How something is called; None: it does not say."""
        key = id(function), bound
        if key not in self._signatures:
            self._signatures[key] = (
                function,
                _signature(function, bound),
            )  # kept, so that its id is not used again
        return self._signatures[key][1]


def _signature(function: Any, bound: bool) -> inspect.Signature | None:
    if not callable(function) or isinstance(function, property):
        return None
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    is_instance_method = bound and not inspect.ismethod(function) and not isinstance(function, type)
    if not is_instance_method:
        return signature
    first = next(iter(signature.parameters.values()), None)
    if first is None or first.kind not in _POSITIONAL:
        return signature
    return signature.replace(parameters=list(signature.parameters.values())[1:])
