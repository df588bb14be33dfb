# SPDX-License-Identifier: Apache-2.0
"""Arguments of sources, each described once: name, type, meaning, check and default.

A class lists its parameters in the order in which users pass them. Its constructor with signature, checks and
documentation is made from the list.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from mindspore._spelling import bind

from ..core import checks
from .cache_client import DatasetCache
from .datasets import Shuffle

_REQUIRED = inspect.Parameter.empty

# Checks that the type of an argument says already.
_RULES = {
    "bool": checks.boolean,
    "int": checks.instance(int),
    "str": checks.text,
    "list": checks.instance(list),
    "list[str]": checks.sequence(checks.text, list),
}


class Parameter(NamedTuple):
    """One argument.

    Args:
        name (str): Its name.
        kind (str): Its type, in words that the stubs understand.
        text (str): What it is, in sentences.
        default (Any, optional): What stands for it when it is left out; ``None`` then passes the check.
        meaning (str, optional): What the default means, where that does not go without saying.
        rule (Rule, optional): A check of its own. Default: ``None`` , the one of the type, if it has one.
    """

    name: str
    kind: str
    text: str
    default: Any = _REQUIRED
    meaning: str = ""
    rule: checks.Rule | None = None


def choice(
    name: str,
    *words: str,
    default: Any = _REQUIRED,
    none: str | None = None,
    before: str = "",
    after: str = "",
    rule: checks.Rule | None = None,
) -> Parameter:
    """An argument that is one of a few words.

    Args:
        name (str): Its name.
        words (str): The words, as documentation and error messages list them.
        default (Any, optional): One of them, if the argument can be left out.
        none (str, optional): The word that ``None`` stands for, which then is the default.
        before (str, optional): What the documentation says before the words.
        after (str, optional): What it says of the word that ``None`` stands for.
        rule (Rule, optional): A check of its own. Default: ``None`` , the words are compared.
    """
    text = before
    for place, word in enumerate(words):
        is_last = place == len(words) - 1
        if place and words[place - 1] == none:
            text += ", or " if is_last else ", "
        elif place:
            text += " or " if is_last else " , "
        text += f"``{word!r}``" + (f" , which ``None`` stands for{after}" if word == none else "")
    text += "." if words[-1] == none else " ."
    return Parameter(name, "str", text, None if none else default, rule=rule or checks.one_of(*words))


# What many sources take.

DATASET_DIR = Parameter("dataset_dir", "str", "Folder that holds the data.", rule=checks.check_dir)
DATASET_FILES = Parameter(
    "dataset_files",
    "Union[str, list[str]]",
    "A path or pattern, or a list of them. Matches of a pattern are sorted.",
    rule=checks.check_dataset_files,
)
TRAIN_TEST_ALL = choice("usage", "train", "test", "all", none="all")
TRAIN_TEST_VALID_ALL = choice("usage", "train", "test", "valid", "all", none="all")
TRAIN_VALID_TEST_ALL = choice("usage", "train", "valid", "test", "all", none="all")
DECODE = Parameter("decode", "bool", "Decode the pictures.", False, "columns hold the bytes of the files")
DECODE_OR_NONE = DECODE._replace(default=None, meaning="no")
DECRYPT = Parameter(
    "decrypt",
    "callable",
    "Takes a path and returns the bytes of the picture.",
    None,
    rule=checks.decrypt_function,
)
EXTENSIONS = Parameter(
    "extensions",
    "list[str]",
    "Endings of the files that count, as ``['.jpg']`` ; case does not matter.",
    None,
    "jpg, jpeg, png and bmp",
)
CLASS_INDEXING = Parameter(
    "class_indexing",
    "dict",
    "Numbers of the classes to read, by name.",
    None,
    "all classes from 0 in the order of their names",
    checks.class_numbers,
)
EXTRA_METADATA = Parameter(
    "extra_metadata",
    "bool",
    "Add the column `_meta-filename` , which a pipeline drops at its end unless it is renamed.",
    False,
)

# What chooses and keeps rows, which all sources understand alike.

NUM_SAMPLES = Parameter("num_samples", "int", "Most rows to read.", None, "all", checks.check_num_samples)
NUM_PARALLEL_WORKERS = Parameter(
    "num_parallel_workers", "int", "Threads that read.", None, "as configured", checks.check_workers
)
SHUFFLE = Parameter(
    "shuffle", "Union[bool, Shuffle]", "Whether rows come in random order.", None, rule=checks.boolean
)
FILE_SHUFFLE = SHUFFLE._replace(rule=checks.stream_shuffle, default=Shuffle.GLOBAL)
SAMPLER = Parameter("sampler", "Union[Sampler, Iterable]", "Picks the rows.", None)
SHARDS = (
    Parameter("num_shards", "int", "Into how many parts the rows are divided.", None),
    Parameter("shard_id", "int", "Which part to read; goes with `num_shards` .", None),
)
CACHE = Parameter(
    "cache", "DatasetCache", "Keeps rows for later epochs.", None, rule=checks.instance(DatasetCache)
)


def inserted(parameters: tuple[Parameter, ...], after: str, *others: Parameter) -> tuple[Parameter, ...]:
    """The parameters with others after the one of that name."""
    place = [parameter.name for parameter in parameters].index(after) + 1
    return (*parameters[:place], *others, *parameters[place:])


def replaced(parameters: tuple[Parameter, ...], *others: Parameter) -> tuple[Parameter, ...]:
    """The parameters with others in the places of those that have their names."""
    by_name = {other.name: other for other in others}
    return tuple(by_name.get(parameter.name, parameter) for parameter in parameters)


# Orders in which most sources take them: rows by number, the same of pictures, and rows of whole files.
ROWS = (NUM_SAMPLES, NUM_PARALLEL_WORKERS, SHUFFLE, SAMPLER, *SHARDS, CACHE)
PICTURE_ROWS = inserted(ROWS, "shuffle", DECODE)
FILE_ROWS = (NUM_SAMPLES, NUM_PARALLEL_WORKERS, FILE_SHUFFLE, *SHARDS, CACHE)
FILE_ROWS_BEFORE_WORKERS = (NUM_SAMPLES, FILE_SHUFFLE, *SHARDS, NUM_PARALLEL_WORKERS, CACHE)

ROW_ARGUMENTS = frozenset(parameter.name for parameter in ROWS)


class DescribedArguments:
    """Base of classes whose constructor is made from the `_parameters` they state."""

    _parameters: tuple[Parameter, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_parameters" in cls.__dict__:
            cls.__init__ = _constructor(cls)
            text = f"{inspect.cleandoc(cls.__doc__)}\n\n{cls._contents()}".rstrip()
            cls.__doc__ = _with_arguments(text, cls._parameters)

    @classmethod
    def _contents(cls) -> str:
        """What the documentation says of columns and files of a whole family of classes."""
        return ""

    def _take_arguments(self, arguments: dict[str, Any]) -> None:
        """Gets all arguments by name, checked."""
        raise NotImplementedError


def _constructor(cls: type[DescribedArguments]) -> Callable:
    """`__init__` of the class: it checks the arguments and hands them on."""
    rules = {parameter.name: parameter.rule or _RULES.get(parameter.kind) for parameter in cls._parameters}
    optional = {parameter.name for parameter in cls._parameters if parameter.default is None}
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shown = [inspect.Parameter("self", plain)]
    shown += [inspect.Parameter(one.name, plain, default=one.default) for one in cls._parameters]
    signature = inspect.Signature(shown, return_annotation="None")

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = bind(signature, type(self).__name__, self, *args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        del arguments["self"]
        checks.check_arguments(arguments, optional, rules)
        checks.check_sampler_shuffle_shard(arguments)
        self._take_arguments(arguments)

    __init__.__signature__ = signature
    __init__.__module__ = cls.__module__
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


@functools.cache
def _documentation(parameter: Parameter) -> str:
    """The entry of a docstring."""
    name, kind, text, default, meaning, _ = parameter
    if default is not _REQUIRED:
        shown = str(default) if isinstance(default, Enum) else repr(default)
        kind += ", optional"
        text += f" Default: ``{shown}`` , {meaning}." if meaning else f" Default: ``{shown}`` ."
    indents = {"initial_indent": "    ", "subsequent_indent": "        "}
    return textwrap.fill(f"{name} ({kind}): {text}", 106, break_on_hyphens=False, **indents)


def _with_arguments(text: str, parameters: tuple[Parameter, ...]) -> str:
    """A docstring with the section of the arguments, which comes before sections that the docstring has."""
    entries = "".join(f"{_documentation(parameter)}\n" for parameter in parameters)
    description, *sections = re.split(r"\n\n(?=(?:Raises|Examples):)", text)
    return "\n\n".join([description, f"Args:\n{entries}", *sections])
