# SPDX-License-Identifier: Apache-2.0
"""What was captured, what ran how often, what fell back and why."""

from __future__ import annotations

from mindspore._capture.function import every_captured


def explain(target=None) -> str:
    """A text about captured functions, for people.

    Args:
        target (Union[Cell, Function]): A Cell or a function made by `jit`; None tells about all.
            Default: ``None``.

    Returns:
        str, a paragraph per function.
    """
    captured = getattr(target, "_captured", None) if target is not None else None
    chosen = [captured] if captured is not None else sorted(every_captured, key=lambda each: each.name)
    lines = []
    for each in chosen:
        lines.append(f"{each.name}:")
        if each.given_up:
            lines.append(f"  runs eagerly: {each.given_up}")
        for entry in each.report():
            call = entry["arguments"] + (f" {entry['keywords']}" if entry["keywords"] != "{}" else "")
            if entry["refusal"]:
                lines.append(f"  {call}: runs eagerly: {entry['refusal']}")
            else:
                lines.append(
                    f"  {call}: {entry['segments']} compiled segment(s), replayed {entry['runs']} time(s)"
                )
    return "\n".join(lines)
