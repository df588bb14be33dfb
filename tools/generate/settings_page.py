# SPDX-License-Identifier: Apache-2.0
"""Prints the table of settings as the page `docs/guide/settings.md`.

Usage: python tools/generate/settings_page.py > docs/guide/settings.md
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from mindspore._settings import families
from mindspore._settings.family import Family
from mindspore._settings.setting import NO_DEFAULT, Setting, State

_HEAD = """\
# Settings

Everything that can be set, and what becomes of it. This page is made from the table that the package itself
obeys (`tools/generate/settings_page.py`); a name that is not in it is an error where it is set.

* **works**: it has the effect that the page names.
* **harmless here**: it has no effect, and nobody misses one. Nothing is said but at log level INFO.
* **refused**: it asks for what is not there. A value other than the default is a warning, once for a line of
  a program and with that line, or an error where results would be others.

*One process*: so it is as long as one process trains. Where the environment says that there are several
(`RANK_SIZE=8`, `mpirun`, `msrun`, `srun`) the same setting is an error: processes do not train together yet.
"""


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def state_text(setting: Setting) -> str:
    """State of a setting, and how it is refused."""
    text = setting.state.value
    if setting.state is State.REFUSED:
        text += f" ({setting.error.__name__})" if setting.error is not None else " (warning)"
    return text + (", one process" if setting.alone else "")


def name_text(setting: Setting) -> str:
    """Name of a setting, with its default if there is one."""
    default = "" if setting.default is NO_DEFAULT else f" ({setting.default!r})"
    return f"`{setting.name}`{default}"


def lines(family: Family) -> Iterator[str]:
    """The part of the page about one family."""
    yield f"\n## {family.title}\n"
    plain = [setting.name for setting in family.settings.values() if not setting.about]
    if plain:
        yield f"These work: {', '.join(f'`{name}`' for name in plain)}.\n"
    yield f"| `{family.call}` (default) | state | what it does, or why not |"
    yield "|---|---|---|"
    told = (setting for setting in family.settings.values() if setting.about)
    for (state, about), alike in itertools.groupby(told, lambda entry: (state_text(entry), entry.about)):
        yield "| " + " | ".join(map(cell, (", ".join(map(name_text, alike)), state, about))) + " |"


def page() -> str:
    """The whole page."""
    parts = [_HEAD.rstrip("\n")]
    for family in families():
        parts += lines(family)
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(page(), end="")
