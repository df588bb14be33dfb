# SPDX-License-Identifier: Apache-2.0
"""Argument checks of the data package: small rules, and a decorator that applies them by name.

A rule is a function `rule(value, name)` that raises and returns nothing. An argument whose default is `None`
may always be `None`.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore._spelling import bind

INT32_MAX = 2147483647
INT64_MAX = 9223372036854775807
UINT32_MAX = 4294967295
UINT64_MAX = 18446744073709551615

Rule = Callable[[Any, str], None]


def shown(value: Any) -> str:
    """A value as error texts show it."""
    return '""' if isinstance(value, str) and not value else str(value)


def check_type(value: Any, types: Any, name: str) -> None:
    """TypeError unless `value` is one of `types`; a bool is no number unless bool is listed."""
    types = types if isinstance(types, tuple) else (types,)
    wrong_bool = isinstance(value, (bool, np.bool_)) and bool not in types
    if wrong_bool or not isinstance(value, types):
        expected = types if wrong_bool else list(types)  # two spellings, as MindSpore has them
        raise TypeError(
            f"Argument {name} with value {shown(value)} is not of type {expected}, but got {type(value)}."
        )


def check_interval(
    value: Any, low: Any, high: Any, name: str, left_open: bool = False, right_open: bool = False
) -> None:
    """ValueError unless `value` lies in the interval; not-a-number lies nowhere."""
    above = value > low if left_open else value >= low
    below = value < high if right_open else value <= high
    if not (above and below):
        left, right = "(" if left_open else "[", ")" if right_open else "]"
        what = f"Input {name}".rstrip()
        raise ValueError(f"{what} is not within the required interval of {left}{low}, {high}{right}.")


def check_int_range(value: Any, low: int, high: int, name: str) -> None:
    """An int in [low, high]."""
    check_type(value, int, name)
    check_interval(value, low, high, name)


def check_choice(value: Any, choices: Any, name: str) -> None:
    """ValueError unless `value` is one of `choices`."""
    if value not in choices:
        raise ValueError(f"Input {name} is not within the valid set of {list(choices)}.")


def check_dir(value: Any, name: str = "dataset_dir") -> None:
    """An existing, readable folder."""
    check_type(value, (str, os.PathLike), name)
    if not os.path.isdir(value) or not os.access(value, os.R_OK):
        raise ValueError(f"The folder {value} does not exist or is not a directory or permission denied!")


def check_file(value: Any, name: str = "dataset_file") -> None:
    """An existing, readable file."""
    check_type(value, (str, os.PathLike), name)
    if not os.path.isfile(value) or not os.access(value, os.R_OK):
        raise ValueError(f"The file {value} does not exist or permission denied!")


def check_columns(value: Any, name: str) -> None:
    """One column name, or a list of different ones."""
    check_type(value, (list, str), name)
    names = [value] if isinstance(value, str) else value
    if not names:
        raise ValueError(f"{name} should not be empty.")
    for position, column in enumerate(names):
        check_type(column, str, f"{name}[{position}]")
        if not column:
            raise ValueError(f"{name}[{position}] should not be empty.")
    if len(set(names)) != len(names):
        raise ValueError("Every column name should not be same with others in column_names.")


def check_num_samples(value: Any, name: str = "num_samples") -> None:
    """A row limit."""
    check_type(value, int, name)
    if not 0 <= value <= INT64_MAX:
        raise ValueError(f"{name} exceeds the boundary between 0 and {INT64_MAX}(INT64_MAX)!")


def worker_limit() -> int:
    """Most workers a stage may ask for: a script tuned on a large machine runs on a small one."""
    return max(os.cpu_count() or 1, 64)


def check_workers(value: Any, name: str = "num_parallel_workers") -> None:
    """A number of workers."""
    check_type(value, int, name)
    if not 1 <= value <= worker_limit():
        raise ValueError(f"{name} exceeds the boundary between 1 and {worker_limit()}!")


def check_shards(num_shards: Any, shard_id: Any) -> None:
    """Both or none, and in range."""
    if num_shards is not None:
        check_int_range(num_shards, 1, INT32_MAX, "num_shards")
        if shard_id is None:
            raise RuntimeError("num_shards is specified and currently requires shard_id as well.")
        check_int_range(shard_id, 0, num_shards - 1, "shard_id")
    elif shard_id is not None:
        raise RuntimeError("shard_id is specified but num_shards is not.")


def check_sampler_shuffle_shard(arguments: dict[str, Any]) -> None:
    """The arguments that choose rows, against each other."""
    if arguments.get("sampler") is not None:
        if arguments.get("shuffle") is not None:
            raise RuntimeError("sampler and shuffle cannot be specified at the same time.")
        if arguments.get("num_shards") is not None:
            raise RuntimeError("sampler and sharding cannot be specified at the same time.")
        if arguments.get("num_samples") is not None and hasattr(arguments["sampler"], "get_num_samples"):
            raise RuntimeError("sampler and num_samples cannot be specified at the same time.")
    check_shards(arguments.get("num_shards"), arguments.get("shard_id"))


def check_dataset_files(value: Any, name: str = "dataset_files") -> None:
    """A pattern or a list of them; whether files match is found out when they are looked up."""
    check_type(value, (str, list), name)
    if not value:
        raise ValueError(f"Input {name} can not be empty")
    for item in [value] if isinstance(value, str) else value:
        if not isinstance(item, str):
            raise TypeError(f"Item of dataset files is not of type [<class 'str'>], but got {type(item)}.")


# Makers of rules.


def instance(*types: type) -> Rule:
    """Any value of these types."""
    return lambda value, name: check_type(value, types, name)


def integer(low: int = -INT32_MAX - 1, high: int = INT32_MAX) -> Rule:
    """An int in [low, high]."""
    return lambda value, name: check_int_range(value, low, high, name)


def number(low: float, high: float, left_open: bool = False, right_open: bool = False) -> Rule:
    """An int or float in the interval."""

    def rule(value: Any, name: str) -> None:
        check_type(value, (int, float), name)
        check_interval(value, low, high, name, left_open, right_open)

    return rule


def one_of(*choices: Any) -> Rule:
    """One of a few values of the same type."""

    def rule(value: Any, name: str) -> None:
        check_type(value, type(choices[0]), name)
        check_choice(value, choices, name)

    return rule


def sequence(item: Rule, *types: type, length: int | None = None) -> Rule:
    """A list (or other given types) whose items follow a rule."""

    def rule(value: Any, name: str) -> None:
        check_type(value, types or (list, tuple), name)
        if length is not None and len(value) != length:
            raise ValueError(f"{name} should be a list or tuple of length {length}, but got {len(value)}")
        for position, element in enumerate(value):
            item(element, f"{name}[{position}]")

    return rule


def either(*rules: Rule) -> Rule:
    """The first rule whose types fit decides; when none does the last one complains."""

    def rule(value: Any, name: str) -> None:
        for candidate in rules[:-1]:
            try:
                return candidate(value, name)
            except TypeError:
                continue
        return rules[-1](value, name)

    return rule


boolean = instance(bool)
text = instance(str)
positive_int32 = integer(1, INT32_MAX)


def stream_shuffle(value: Any, name: str) -> None:
    """A bool or the Shuffle enumeration, as sources of whole files take it."""
    if not isinstance(value, bool) and type(value).__name__ != "Shuffle":
        raise TypeError(
            f"{name} must be of boolean or enum of 'Shuffle' values like 'Shuffle.GLOBAL' or 'Shuffle.FILES' "
            "or 'Shuffle.INFILE'."
        )


def decrypt_function(value: Any, name: str) -> None:
    """A function that reads an encrypted file."""
    if not callable(value):
        raise TypeError(f"Argument {name} should be a callable, but got {type(value)}.")


def no_class_sampler(dataset: str) -> Rule:
    """Any sampler but the one that draws by class."""

    def rule(value: Any, name: str) -> None:
        if type(value).__name__ == "PKSampler":
            raise ValueError(f"{dataset} doesn't support PKSampler.")

    return rule


def class_numbers(value: Any, name: str) -> None:
    """A dict from class name to number."""
    check_type(value, dict, name)
    for key, index in value.items():
        check_type(key, str, f"key of {name}")
        check_type(index, int, name)


def check_arguments(arguments: dict[str, Any], optional: set[str], rules: dict[str, Rule]) -> None:
    """Applies the rules to named arguments. Types come before paths, so that the clearer text wins."""
    late = ("dataset_dir", "dataset_file", "dataset_files", "annotation_file")
    for name in sorted(arguments, key=lambda name: name in late):
        rule = rules.get(name)
        if rule is not None and not (arguments[name] is None and name in optional):
            rule(arguments[name], name)


def checked(**rules: Rule) -> Callable[[Callable], Callable]:
    """Decorator: checks the arguments of a function or method before it runs."""

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)
        optional = {name for name, one in signature.parameters.items() if one.default is None}

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            bound = bind(signature, function.__name__, *args, **kwargs)
            bound.apply_defaults()
            arguments = {name: value for name, value in bound.arguments.items() if name != "self"}
            check_arguments(arguments, optional, rules)
            return function(*bound.args, **bound.kwargs)

        return call

    return decorate
