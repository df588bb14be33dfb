# SPDX-License-Identifier: Apache-2.0
"""Which settings of a script are refused, by the table that the package itself obeys."""

from __future__ import annotations

import fnmatch
import importlib
import inspect
from typing import Any

from mindspore import _settings
from mindspore._settings.context_checks import device_target
from mindspore._settings.environment import ENVIRONMENT
from mindspore._settings.family import Family, Store
from mindspore._settings.setting import Setting, State
from mindspore.tools._scan.package import Found, Package
from mindspore.tools._scan.uses import NOT_LITERAL, Call
from mindspore.tools._scan.values import Known


class Settings:
    """The table, by the function that a script calls.

    Args:
        package (Package): Knows what the functions are.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._families: dict[Any, Family] = {}
        for family in _settings.families():
            for target in family.targets or self._functions_called(family.call):
                for function in _targets(target):
                    self._families[function] = family

    def _functions_called(self, name: str) -> list[str]:
        found = [self._package.find(f"{place}.{name}") for place in ("mindspore", "mindspore.profiler")]
        return [f"{one.value.__module__}:{one.value.__qualname__}" for one in found if isinstance(one, Found)]

    def told(self, function: Any, call: Call, signature: inspect.Signature | None) -> list[tuple[bool, str]]:
        """What becomes of the settings that a call makes.

        Args:
            function (Any): What is called.
            call (Call): The arguments.
            signature (Signature): How it is called, for arguments without a name.

        Returns:
            list, for every setting that is refused whether it is an error, and why.
        """
        family = self._family(function)
        if family is None:
            return []
        given = dict(call.keywords)
        if signature is not None and not isinstance(family, Store):
            given |= dict(zip(signature.parameters, call.positional, strict=False))
        told = [self._verdict(family, name, value) for name, value in given.items()]
        return [one for one in told if one is not None]

    def _family(self, function: Any) -> Family | None:
        candidates = (
            [function, getattr(function, "__init__", None)] if isinstance(function, type) else [function]
        )
        for candidate in candidates:
            function = inspect.unwrap(candidate) if callable(candidate) else candidate
            try:
                if function in self._families:
                    return self._families[function]
            except TypeError:  # cannot be hashed
                continue
        return None

    def _verdict(self, family: Family, name: str, value: Any) -> tuple[bool, str] | None:
        setting = family.settings.get(name)
        if setting is None:
            unknown = isinstance(family, Store)
            return (True, f"there is no setting '{name}'") if unknown else None
        value = self._value(value)
        if name == "device_target" and isinstance(family, Store):
            return _device(value)
        return _refusal(family, setting, value)

    def _value(self, value: Any) -> Any:
        if isinstance(value, Known):
            found = self._package.find(value.path)
            return found.value if isinstance(found, Found) else NOT_LITERAL
        return value

    @staticmethod
    def of_environment(name: str, value: Any) -> str:
        """Why a variable of the environment has no effect; empty: it has, or is none of ours."""
        setting = ENVIRONMENT.settings.get(name)
        told = _refusal(ENVIRONMENT, setting, value) if setting is not None else None
        return told[1] if told else ""


def _device(value: Any) -> tuple[bool, str] | None:
    if not isinstance(value, str):
        return None
    is_ascend = value.lower() in ("ascend", "davinci")
    try:
        device_target("device_target", "Ascend" if is_ascend else value)
    except (ValueError, RuntimeError):
        stands_in = "; with MYCEL_ASCEND_AS=CPU in the environment the script may stay as it is"
        return True, f"there is no device '{value}' here: it is 'CPU'{stands_in if is_ascend else ''}"
    return None


def _refusal(family: Family, setting: Setting, value: Any) -> tuple[bool, str] | None:
    is_error, why = setting.error is not None, setting.about.partition(";")[0]
    what = "is refused" if is_error else "has no effect"
    if value is NOT_LITERAL:
        text = f"'{setting.name}' {what} unless it is {setting.default!r}: {why}"
        return (False, text) if setting.state is State.REFUSED else None
    if not setting.asks(value):
        return None
    spelled = family.spelled(setting.name, value)
    if setting.state is State.REFUSED:
        return is_error, f"'{spelled}' {what}: {why}"
    if setting.state is State.WORKS and setting.refuses is not None and (why := setting.refuses(value)):
        return False, f"'{spelled}' has no effect: {why}"
    return None


def _targets(target: str) -> list[Any]:
    """The functions that ``module:name`` stands for; a star stands for all."""
    module_name, _, path = target.partition(":")
    module = importlib.import_module(module_name)
    owner_path, _, pattern = path.rpartition(".")
    owner: Any = module
    for part in owner_path.split(".") if owner_path else []:
        owner = getattr(owner, part)
    if "*" not in pattern:
        return [inspect.unwrap(getattr(owner, pattern))]
    names = fnmatch.filter(vars(owner) if owner is not module else dir(owner), pattern)
    found = [getattr(owner, name) for name in names if not name.startswith("_")]
    return [inspect.unwrap(one.__init__ if isinstance(one, type) else one) for one in found if callable(one)]
