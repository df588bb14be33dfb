# SPDX-License-Identifier: Apache-2.0
"""Settings that belong together, and how a value is taken or refused."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from mindspore import log as logger
from mindspore._c_expression import note_change
from mindspore._settings import settings_of_the_process
from mindspore._settings.setting import NO_DEFAULT, Setting, State
from mindspore._settings.telling import inform_once, users_line, warn_once
from mindspore._spelling import keyword_hint
from mindspore._world import require_one_process

_LONGEST_VALUE = 80


class Family:
    """Settings that are made in one place.

    Args:
        call (str): Where users make them, such as ``"set_context"``.
        title (str): What they are about, for the documentation.
        settings (Iterable[Setting]): The entries.
        spelling (str): How a setting looks in a program, with ``{name}`` and ``{value}``.
        targets (tuple[str]): ``module:name`` of the functions whose arguments they are.
    """

    def __init__(
        self,
        call: str,
        title: str,
        settings: Iterable[Setting],
        spelling: str = "",
        targets: tuple[str, ...] = (),
    ):
        self.call, self.title, self.targets = call, title, targets
        self.settings = {setting.name: setting for setting in settings}
        self._spelling = spelling or call + "({name}={value})"

    def spelled(self, name: str, value: Any) -> str:
        """A setting as it stands in a program."""
        text = repr(value)
        if len(text) > _LONGEST_VALUE:
            text = text[:_LONGEST_VALUE] + "..."
        return self._spelling.format(name=name, value=text)

    def tell(self, name: str, value: Any) -> None:
        """Lets the user know what becomes of a value, if it asks for something that is not there.

        Args:
            name (str): The setting.
            value (Any): Its value, checked.

        Raises:
            NotImplementedError: The setting is refused with an error, or several processes are meant.
        """
        setting = self.settings[name]
        if not setting.asks(value):
            return
        spelled = self.spelled(name, value)
        if setting.alone:
            require_one_process(spelled)
        if setting.state is State.REFUSED:
            self._refuse(setting, spelled)
        elif setting.state is State.HARMLESS:
            inform_once(spelled, f"'{spelled}' changes nothing: {setting.about}.")
        elif setting.refuses is not None and (why := setting.refuses(value)):
            warn_once(spelled, f"'{spelled}' has no effect: {why}.")

    @staticmethod
    def _refuse(setting: Setting, spelled: str) -> None:
        if setting.error is None:
            warn_once(spelled, f"'{spelled}' has no effect: {setting.about}.")
            return
        line = users_line()
        raise setting.error(f"'{spelled}' is refused: {setting.about}.{f' ({line})' if line else ''}")


def _unknown_keyword(name: str) -> ValueError:
    return ValueError(f"Set context keyword {name} is not recognized!")


class Store(Family):
    """Settings of the process, with their values.

    Args:
        unknown (Callable): The error for a name that is not there. Default: ``None``, a ValueError.
        wrong_type (str): Text of the TypeError, with ``{name}``, ``{expected}`` and ``{got}``.
        takes_none (bool): None leaves any setting as it is; otherwise it is a value of the wrong type.
        gone (dict): What replaces names that MindSpore had before 2.3.
        checks (ModuleType): A function of it checks the setting of its name that names no check.
        **more: See `Family`.
    """

    def __init__(
        self,
        *args: Any,
        unknown: Callable[[str], Exception] | None = None,
        wrong_type: str = "The parameter '{name}' must be {expected}, but got {got}.",
        takes_none: bool = False,
        gone: dict[str, str] | None = None,
        checks: ModuleType | None = None,
        **more: Any,
    ):
        super().__init__(*args, **more)
        self.gone = gone or {}
        self._unknown = unknown or _unknown_keyword
        self._wrong_type, self._takes_none, self._checks = wrong_type, takes_none, checks
        self.values: dict[str, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Every setting gets its default again."""
        for name, entry in self.settings.items():
            if entry.default is not NO_DEFAULT:
                self.values[name] = copy.deepcopy(entry.default)
        note_change()

    def _instead_of(self, name: str) -> str:
        """What to use instead of a name that is not there; a sentence that begins with a space, or empty."""
        if name in self.gone:
            return f" It was removed: {self.gone[name]}."
        for other in settings_of_the_process():
            if name in other.settings:
                return f" It is a setting of '{other.call}'."
        return keyword_hint(name, self.settings)

    def get(self, name: str, words: str = "context keyword") -> Any:
        """The value of a setting.

        Args:
            name (str): The setting.
            words (str): What the error calls it. Default: ``"context keyword"``.

        Raises:
            ValueError: There is no such setting.
        """
        if name not in self.values:
            raise ValueError(f"Get {words} {name} is not recognized!")
        return self.values[name]

    def set(self, name: str, value: Any, device: str = "") -> None:
        """Takes a value, or says why not.

        Args:
            name (str): The setting.
            value (Any): The value.
            device (str): Kind of the device that is in use. Default: ``""``.
        """
        setting = self.settings.get(name)
        if setting is None:
            error = self._unknown(name)
            raise type(error)(f"{error}{self._instead_of(name)}")
        if value is None and self._takes_none:
            return
        self._check_type(setting, value)
        if setting.devices and device not in setting.devices:
            logger.warning(
                "For '%s', when set the argument '%s', the argument 'device_target' only supports devices in "
                "%s, but got '%s', ignore it. (%s)",
                *(f"context.{self.call}", name, list(setting.devices), device, users_line()),
            )
            return
        check = setting.check or getattr(self._checks, name, None)
        kept = value if check is None else check(name, value)
        self.tell(name, kept)
        if setting.default is not NO_DEFAULT:
            self.values[name] = kept
        note_change()
        if setting.apply is not None:
            setting.apply(kept)

    def _check_type(self, setting: Setting, value: Any) -> None:
        kinds = setting.kinds
        if not kinds:
            return
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            expected = kinds[0] if len(kinds) == 1 else kinds
            text = self._wrong_type.format(name=setting.name, expected=expected, got=type(value))
            raise TypeError(text)
