# SPDX-License-Identifier: Apache-2.0
"""What a summary collector may be told, and the checks of it."""

from __future__ import annotations

import copy
import re

from mindspore.train.summary.summary_record import check_value_type

DEFAULT_SPECIFIED_DATA = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "histogram_regular": None,
    "collect_landscape": {
        "landscape_size": 40,
        "unit": "step",
        "num_samples": 2048,
        "create_landscape": {"train": True, "result": True},
        "intervals": [list(range(1, 10)), list(range(10, 20))],
    },
}
_LANDSCAPE_TYPES = {
    "landscape_size": int,
    "unit": str,
    "num_samples": int,
    "create_landscape": dict,
    "intervals": list,
}
_LARGEST_LANDSCAPE = (3, 256)


def _refuse_unknown(keys, known, name: str) -> None:
    unknown = set(keys) - set(known)
    if unknown:
        raise ValueError(
            f'For "SummaryCollector", the keys {unknown} of `{name}` are unsupported, expect the follow '
            f"keys: {list(known)}"
        )


def check_landscape(settings) -> None:
    """Checks what is told about the landscape of the loss.

    Args:
        settings (dict): Some of the entries of "collect_landscape".

    Raises:
        TypeError: An entry has the wrong type.
        ValueError: An entry is unknown, or out of range.
    """
    check_value_type("collect_landscape", settings, [dict, type(None)])
    if settings is None:
        return
    _refuse_unknown(settings, _LANDSCAPE_TYPES, "collect_landscape")
    for name, value in settings.items():
        check_value_type(name, value, _LANDSCAPE_TYPES[name])
    low, high = _LARGEST_LANDSCAPE
    if not low <= settings.get("landscape_size", low) <= high:
        raise ValueError(
            f"Landscape size should be between {low} and {high}, but got {settings['landscape_size']}."
        )
    if settings.get("unit", "step") not in ("step", "epoch"):
        raise ValueError(f"Unit should be step or epoch, but got the: {settings['unit']}")
    create = settings.get("create_landscape", {})
    _refuse_unknown(create, ("train", "result"), "create_landscape")
    for name, value in create.items():
        check_value_type(name, value, bool)
    for interval in settings.get("intervals", ()):
        check_value_type("intervals", interval, list)
        for number in interval:
            check_value_type("intervals", number, int)


def checked_specified_data(specified_data, keep_default_action: bool) -> dict:
    """What is to be collected: what was told, over the defaults or alone.

    Args:
        specified_data (dict): What was told, or None.
        keep_default_action (bool): Whether the rest is as in `DEFAULT_SPECIFIED_DATA`.

    Returns:
        dict.
    """
    check_value_type("collect_specified_data", specified_data, [dict, type(None)])
    specified_data = specified_data or {}
    for name in specified_data:
        check_value_type(name, name, [str])
    _refuse_unknown(specified_data, DEFAULT_SPECIFIED_DATA, "collect_specified_data")
    for name, value in specified_data.items():
        if name == "histogram_regular":
            check_value_type(name, value, [str, type(None)])
            _check_pattern(value)
        elif name == "collect_landscape":
            check_landscape(value)
        else:
            check_value_type(name, value, bool)
    if not keep_default_action:
        return dict(specified_data)
    result = copy.deepcopy(DEFAULT_SPECIFIED_DATA)
    landscape = specified_data.get("collect_landscape")
    result.update(specified_data)
    if landscape is not None:
        result["collect_landscape"] = {**DEFAULT_SPECIFIED_DATA["collect_landscape"], **landscape}
    return result


def _check_pattern(pattern) -> None:
    if not isinstance(pattern, str):
        return
    try:
        re.compile(pattern)
    except re.error as failure:
        raise ValueError(
            "For `collect_specified_data`, the value of `histogram_regular` is not a valid regular "
            f"expression: {failure}."
        ) from failure


def check_custom_lineage(data) -> None:
    """Checks facts of the user's.

    Args:
        data (dict): Numbers and text by name, or None.
    """
    check_value_type("custom_lineage_data", data, [dict, type(None)])
    for name, value in (data or {}).items():
        check_value_type(f"custom_lineage_data -> {name}", name, [str])
        check_value_type(f"the value of custom_lineage_data -> {name}", value, [int, str, float])


def check_numbers(collect_freq, num_process, collect_tensor_freq, max_file_size) -> None:
    """Checks the numbers a collector is given."""
    check_value_type("collect_freq", collect_freq, int)
    check_value_type("num_process", num_process, int)
    check_value_type("collect_tensor_freq", collect_tensor_freq, [int, type(None)])
    check_value_type("max_file_size", max_file_size, [int, type(None)])
    for name, value in (("collect_freq", collect_freq), ("collect_tensor_freq", collect_tensor_freq)):
        if value is not None and value <= 0:
            raise ValueError(
                f'For "SummaryCollector", the value of `{name}` should be greater than 0, but got `{value}`.'
            )
