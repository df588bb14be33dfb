# SPDX-License-Identifier: Apache-2.0
"""Where the files of published text collections lie."""

from __future__ import annotations

import os
from typing import Any

# Keys of each task's JSON objects: for training and evaluation, and for tests. A slash goes into an inner
# object; columns bear the last part.
_SPANS = "idx target/span1_index target/span1_text target/span2_index target/span2_text text"
CLUE_KEYS = {
    "AFQMC": ("label sentence1 sentence2", "id sentence1 sentence2"),
    "CMNLI": ("label sentence1 sentence2", "id sentence1 sentence2"),
    "TNEWS": ("keywords label label_desc sentence", "id keywords sentence"),
    "IFLYTEK": ("label label_des sentence", "id sentence"),
    "CSL": ("abst id keyword label", "abst id keyword"),
    "WSC": (f"{_SPANS} label", _SPANS),
}


def part_files(dataset: Any, names: dict[str, str]) -> list[str]:
    """Paths of the files of the use that the data set has; `names` are by use, in the
    order in which all of them are read."""
    parts = names if dataset.usage in (None, "all") else [dataset.usage]
    paths = [os.path.join(dataset.dataset_dir, names[part]) for part in parts]
    _require_files(type(dataset).__name__, paths)
    return paths


def _require_files(dataset: str, paths: list[str]) -> None:
    for path in paths:
        if not os.path.isfile(path):
            raise RuntimeError(
                f"Invalid data, {dataset} API can't read the data file (interface mismatch or no data "
                f"found). Check file path: {path}"
            )


def _pairs(dataset: str, rows: list[tuple[str, str, str]]) -> dict[str, Any]:
    _require_files(dataset, [path for row in rows for path in row[:2]])
    texts, translations, forms = zip(*rows, strict=True)
    return {
        "files": list(texts),
        "translations": list(translations),
        "forms": list(forms),
        "dataset": dataset,
    }


def multi30k_files(root: str, usage: str | None, languages: list[str]) -> dict[str, Any]:
    """training/train.en, validation/val.en, mmt16_task1_test/test.en and their counterparts."""
    parts = {"train": "training/train", "valid": "validation/val", "test": "mmt16_task1_test/test"}
    chosen = parts if usage in (None, "all") else [usage]
    rows = []
    for part in chosen:
        first, second = (os.path.join(root, f"{parts[part]}.{language}") for language in languages)
        rows.append((first, second, "lines"))
    return _pairs("Multi30kDataset", sorted(rows))


_IWSLT2016_PAIRS = {
    "en": ("ar", "de", "fr", "cs"),
    "ar": ("en",),
    "fr": ("en",),
    "de": ("en",),
    "cs": ("en",),
}
_IWSLT2016_SETS = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")
_IWSLT2017_LANGUAGES = ("en", "nl", "de", "it", "ro")


def check_iwslt2016(languages: list[str], valid_set: str, test_set: str) -> None:
    """Languages that were paired, and sets of talks that exist."""
    source, target = languages
    if source not in _IWSLT2016_PAIRS:
        raise ValueError(f"Input language_pair[0] is not within the valid set of {list(_IWSLT2016_PAIRS)}.")
    if target not in _IWSLT2016_PAIRS[source]:
        raise ValueError(
            f"Input language_pair[1] is not within the valid set of {list(_IWSLT2016_PAIRS[source])}."
        )
    for name, value in (("valid_set", valid_set), ("test_set", test_set)):
        if value not in _IWSLT2016_SETS:
            raise ValueError(f"Input {name} is not within the valid set of {list(_IWSLT2016_SETS)}.")


def check_iwslt2017(languages: list[str]) -> None:
    """Two different ones of the five languages."""
    for position, language in enumerate(languages):
        if language not in _IWSLT2017_LANGUAGES:
            valid = list(_IWSLT2017_LANGUAGES)
            raise ValueError(f"Input language_pair[{position}] is not within the valid set of {valid}.")


def _iwslt_rows(
    folder: str, prefix: str, usage: str | None, languages: list[str], sets: dict[str, list[str]]
) -> list[tuple[str, str, str]]:
    pair = "-".join(languages)
    rows = []
    for part in ("train", "valid", "test") if usage in (None, "all") else (usage,):
        if part == "train":
            first, second = (os.path.join(folder, f"train.tags.{pair}.{language}") for language in languages)
            rows.append((first, second, "untagged"))
        for name in sets.get(part, ()):
            first, second = (
                os.path.join(folder, f"{prefix}.TED.{name}.{pair}.{language}.xml") for language in languages
            )
            rows.append((first, second, "segments"))
    return rows


def iwslt2016_files(
    root: str, usage: str | None, languages: list[str], valid_set: str, test_set: str
) -> dict[str, Any]:
    """texts/<source>/<target>/<source>-<target>/..."""
    source, target = languages
    folder = os.path.join(root, "texts", source, target, f"{source}-{target}")
    rows = _iwslt_rows(folder, "IWSLT16", usage, languages, {"valid": [valid_set], "test": [test_set]})
    return _pairs("IWSLT2016Dataset", rows)


def iwslt2017_files(root: str, usage: str | None, languages: list[str]) -> dict[str, Any]:
    """texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo/..."""
    group = "DeEnItNlRo"
    folder = os.path.join(root, "texts", group, group, f"{group}-{group}")
    rows = _iwslt_rows(folder, "IWSLT17", usage, languages, {"valid": ["dev2010"], "test": ["tst2010"]})
    return _pairs("IWSLT2017Dataset", rows)
