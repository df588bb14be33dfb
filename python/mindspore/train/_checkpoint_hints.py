# SPDX-License-Identifier: Apache-2.0
"""Why parameters of a network are not in a file: what the names there look like."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable

from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor

# Last parts of names that mean the same: ours, and what other frameworks call it.
SYNONYMS = {
    "gamma": ("weight", "scale"),
    "beta": ("bias",),
    "moving_mean": ("running_mean", "mean"),
    "moving_variance": ("running_var", "var", "variance"),
    "embedding_table": ("weight", "embedding"),
    "weight": ("kernel",),
}
_MOST_NAMES = 10
_MOST_CANDIDATES = 300  # comparing names is slow


def synonyms(name: str) -> list[str]:
    """The names other frameworks give a parameter."""
    head, _, last = name.rpartition(".")
    return [f"{head}.{other}" if head else other for other in SYNONYMS.get(last, ())]


def hints(missing: list[Parameter], found: dict[str, object], used: set[str]) -> str:
    """What may be the matter with the names, as lines that follow a warning; empty: nothing is known.

    Args:
        missing (list): Parameters of the network that got nothing.
        found (dict): What the file holds, by name.
        used (set): Names of it that were taken.
    """
    unused = {name: value for name, value in found.items() if name not in used and isinstance(value, Tensor)}
    if not unused:
        return ""
    lines = _prefix_hints({parameter.name for parameter in missing}, unused)
    if not lines:
        lines = [_one_hint(parameter, unused) for parameter in missing[:_MOST_NAMES]]
        if len(missing) > _MOST_NAMES:
            lines.append(f"... and {len(missing) - _MOST_NAMES} more.")
    lines.append(f"Names of the 'parameter_dict' that no parameter has: {_listed(unused)}.")
    return "\n  " + "\n  ".join(lines)


def _prefix_hints(missing: set[str], unused: dict[str, Tensor]) -> list[str]:
    lines = []
    for longer, shorter, what in (
        (missing, unused, "has {} in front that the 'parameter_dict' does not have"),
        (unused, missing, "lacks {} that the 'parameter_dict' has in front"),
    ):
        prefix, example, count = _common_prefix(longer, shorter)
        if prefix:
            lines.append(
                f"Each of {count} names of the network {what.format(repr(prefix))}, like '{example}': rename "
                "the entries, or build the network with the same names (a Cell with auto_prefix=False adds "
                "none)."
            )
    return lines


def _common_prefix(longer: Iterable[str], shorter) -> tuple[str, str, int]:
    """The prefix that makes most of the longer names of the shorter ones, an example, and how many."""
    counts: Counter[str] = Counter()
    examples = {}
    for name in longer:
        end = name.find(".") + 1
        while end > 0:
            if name[end:] in shorter:
                counts[name[:end]] += 1
                examples.setdefault(name[:end], name)
            end = name.find(".", end) + 1
    if not counts:
        return "", "", 0
    prefix, count = counts.most_common(1)[0]
    return prefix, examples[prefix], count


def _one_hint(parameter: Parameter, unused: dict[str, Tensor]) -> str:
    name = parameter.name
    same = next((other for other in synonyms(name) if other in unused), None)
    if same is not None:
        return (
            f"{_described(name, parameter)} may be {_described(same, unused[same])}, a name of other "
            "frameworks: 'python -m mindspore.tools.convert' renames them."
        )
    last = name.rpartition(".")[2]
    likely = sorted(
        unused, key=lambda other: (unused[other].shape != parameter.shape, other.rpartition(".")[2] != last)
    )
    near = difflib.get_close_matches(name, likely[:_MOST_CANDIDATES], 2, 0.6)
    if not near:
        return f"{_described(name, parameter)}: no name of the 'parameter_dict' is like it."
    return f"{_described(name, parameter)} may be " + " or ".join(
        _described(other, unused[other]) for other in near
    )


def _described(name: str, value: Tensor) -> str:
    return f"'{name}' {value.dtype}{list(value.shape)}"


def _listed(unused: dict[str, Tensor]) -> str:
    shown = [_described(name, value) for name, value in list(unused.items())[:_MOST_NAMES]]
    more = len(unused) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
