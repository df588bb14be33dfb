# SPDX-License-Identifier: Apache-2.0
"""What was captured, what ran how often, what fell back and why."""

from __future__ import annotations

from mindspore import _c_expression as _c
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
        if each.about_ways():
            lines.append(f"  {each.about_ways()}")
        lines += [f"  {_about_recipe(entry)}" for entry in each.recipes()]
    if target is None:
        lines.append(_generated_code())
    return "\n".join(lines)


def _about_recipe(entry: dict) -> str:
    call = entry["arguments"] + (f" {entry['keywords']}" if entry["keywords"] != "{}" else "")
    if entry["refusal"]:
        return f"{call}: each size is captured by itself: {entry['refusal']}"
    text = f"{call}: sizes are symbols, {entry['made']} compiled without Python"
    if entry["failures"]:
        state = "" if entry["is_useful"] else ", no longer tried"
        text += f", {entry['failures']} captured all the same{state}: {entry['last_failure']}"
    return text


def _generated_code() -> str:
    code = _c.code_generation_status()
    if code["state"] != "ready":
        return f"generated code: {code['state']}"
    return (
        f"generated code: {code['compiled']} formula(s) compiled, {code['from_disk']} found on disk, "
        f"{code['failed']} left to the interpreter, {code['waiting']} waiting; {code['seconds']:.3f} s "
        "beside the program"
    )
