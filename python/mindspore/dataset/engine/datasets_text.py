# SPDX-License-Identifier: Apache-2.0
"""Text: lines, tables, JSON and tagged words."""

from __future__ import annotations

import glob
import os
from typing import Any

from mindspore._later import defined_classes

from ..core.checks import sequence, text
from ._layouts_text import (
    CLUE_KEYS,
    check_iwslt2016,
    check_iwslt2017,
    iwslt2016_files,
    iwslt2017_files,
    multi30k_files,
    part_files,
)
from ._parameters import (
    DATASET_DIR,
    DATASET_FILES,
    FILE_ROWS,
    FILE_ROWS_BEFORE_WORKERS,
    FILE_SHUFFLE,
    ROWS,
    TRAIN_TEST_ALL,
    TRAIN_TEST_VALID_ALL,
    TRAIN_VALID_TEST_ALL,
    Parameter,
    choice,
    replaced,
)
from ._sources import IndexedFilesDataset, StreamFilesDataset, find_files
from .datasets import TextBaseDataset


class TextFileDataset(StreamFilesDataset, TextBaseDataset):
    """Lines of text files.

    Column: `text` string. Empty lines are passed over.
    """

    _source_name = "TextLines"
    _parameters = (DATASET_FILES, *FILE_ROWS)

    def _prepare(self) -> None:
        self.dataset_files = find_files(self.dataset_files)

    def _source_arguments(self) -> dict[str, Any]:
        return {"files": self.dataset_files, "dataset": "TextFileDataset", "what": "text file"}


class CLUEDataset(StreamFilesDataset, TextBaseDataset):
    """Chinese language understanding: six tasks in files of JSON lines (CLUE).

    Columns depend on task and use, in the order of their names.
    """

    _source_name = "JsonLines"
    _parameters = (
        DATASET_FILES,
        choice("task", "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC", "CSL", default="AFQMC", rule=text),
        choice("usage", "train", "test", "eval", default="train", rule=text),
        *FILE_ROWS,
    )

    def _prepare(self) -> None:
        if self.task not in CLUE_KEYS:
            raise ValueError("task should be 'AFQMC', 'TNEWS', 'IFLYTEK', 'CMNLI', 'WSC' or 'CSL'.")
        if self.usage not in ("train", "test", "eval"):
            raise ValueError("usage should be 'train', 'test' or 'eval'.")
        self.dataset_files = find_files(self.dataset_files)

    def _source_arguments(self) -> dict[str, Any]:
        keys = sorted(CLUE_KEYS[self.task][self.usage == "test"].split(), key=lambda key: key.split("/")[-1])
        columns = [key.split("/")[-1] for key in keys]
        return {"files": self.dataset_files, "keys": keys, "columns": columns, "dataset": "CLUEDataset"}


class _PartsDataset(StreamFilesDataset, TextBaseDataset):
    """A file for each use in one folder."""

    _parts: dict[str, str] = {}  # names by use, in the order in which all of them are read
    _form: dict[str, Any] = {}  # what else the native source has to know

    def _source_arguments(self) -> dict[str, Any]:
        return {"files": part_files(self, self._parts), "dataset": type(self).__name__, **self._form}


class _CsvCorpus(_PartsDataset):
    """Texts in the files train.csv and test.csv of a folder; the classes differ in their columns."""

    _source_name = "Csv"
    _fields: tuple[str, ...] = ()
    _parts = {"test": "test.csv", "train": "train.csv"}

    @classmethod
    def _contents(cls) -> str:
        columns = " , ".join(f"`{name}`" for name in cls._fields)
        return f"Columns, all string: {columns} . Files: train.csv and test.csv."

    def _source_arguments(self) -> dict[str, Any]:
        return {**super()._source_arguments(), "field_delim": ",", "column_names": list(self._fields)}


class AGNewsDataset(_CsvCorpus):
    """News of four kinds (AG News)."""

    _fields = ("index", "title", "description")
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS)


class AmazonReviewDataset(_CsvCorpus):
    """Reviews of goods (Amazon, polarity or full)."""

    _fields = ("label", "title", "content")
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS)


class DBpediaDataset(_CsvCorpus):
    """Articles of fourteen classes (DBpedia)."""

    _fields = ("class", "title", "content")
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS)


class SogouNewsDataset(_CsvCorpus):
    """Chinese news of five classes, in Pinyin (Sogou)."""

    _fields = ("index", "title", "content")
    _parts = {"train": "train.csv", "test": "test.csv"}
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS_BEFORE_WORKERS)


class YahooAnswersDataset(_CsvCorpus):
    """Questions with answers of ten topics (Yahoo)."""

    _fields = ("class", "title", "content", "answer")
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS)


class YelpReviewDataset(_CsvCorpus):
    """Reviews of places (Yelp, polarity or full)."""

    _fields = ("label", "text")
    _parts = {"train": "train.csv", "test": "test.csv"}
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS_BEFORE_WORKERS)


class CoNLL2000Dataset(_PartsDataset):
    """Sentences cut into words with parts of speech and phrases (CoNLL-2000).

    Columns: `word` , `pos_tag` , `chunk_tag` , each a string array of one axis; a row is a sentence.
    """

    _source_name = "TaggedWords"
    _parts = {"test": "test.txt", "train": "train.txt"}
    _form = {"columns": ["word", "pos_tag", "chunk_tag"], "separator": " ", "what": "file path"}
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS_BEFORE_WORKERS)


class UDPOSDataset(_PartsDataset):
    """Sentences cut into words with two kinds of tags (UDPOS).

    Columns: `word` , `universal` , `stanford` , each a string array of one axis; a row is a sentence.
    """

    _source_name = "TaggedWords"
    _parts = {
        "valid": "en-ud-tag.v2.dev.txt",
        "test": "en-ud-tag.v2.test.txt",
        "train": "en-ud-tag.v2.train.txt",
    }
    _form = {"columns": ["word", "universal", "stanford"], "separator": "\t", "what": "file path"}
    _parameters = (DATASET_DIR, TRAIN_TEST_VALID_ALL, *FILE_ROWS_BEFORE_WORKERS)


class EnWik9Dataset(StreamFilesDataset, TextBaseDataset):
    """The first part of a dump of the English Wikipedia.

    Column: `text` string, a line each. File: enwik9.
    """

    _source_name = "TextLines"
    _parameters = (DATASET_DIR, *replaced(FILE_ROWS, FILE_SHUFFLE._replace(default=True)))

    def _source_arguments(self) -> dict[str, Any]:
        return {
            "files": [os.path.join(self.dataset_dir, "enwik9")],
            "dataset": "EnWik9Dataset",
            "what": "file path",
            "keep_empty": True,
        }


class PennTreebankDataset(_PartsDataset):
    """Lines of the Penn Treebank, prepared for language models.

    Column: `text` string.
    """

    _source_name = "TextLines"
    _parts = {"test": "ptb.test.txt", "train": "ptb.train.txt", "valid": "ptb.valid.txt"}
    _form = {"what": "file path"}
    _parameters = (DATASET_DIR, TRAIN_TEST_VALID_ALL, *FILE_ROWS)


class WikiTextDataset(_PartsDataset):
    """Lines of good Wikipedia articles (WikiText-2, WikiText-103).

    Column: `text` string.
    """

    _source_name = "TextLines"
    _parts = {"test": "wiki.test.tokens", "train": "wiki.train.tokens", "valid": "wiki.valid.tokens"}
    _form = {"what": "file path"}
    _parameters = (DATASET_DIR, TRAIN_TEST_VALID_ALL, *FILE_ROWS)


class IMDBDataset(IndexedFilesDataset, TextBaseDataset):
    """Film reviews, good or bad (IMDB).

    Columns: `text` string, `label` int32: 0 negative, 1 positive.
    """

    _source_name = "Imdb"
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *ROWS)

    def num_classes(self) -> int:
        """Negative and positive."""
        return 2


def _language_pair(description: str, pair: str) -> Parameter:
    """From which language into which; `pair` is the default."""
    pair_of_texts = sequence(text, list, tuple, length=2)
    return Parameter("language_pair", "sequence", description, None, f"which is ``{pair}`` ", pair_of_texts)


class IWSLT2016Dataset(StreamFilesDataset, TextBaseDataset):
    """Talks in two languages (IWSLT 2016).

    Columns: `text` , `translation` string.
    """

    _source_name = "TranslationPairs"
    _parameters = (
        DATASET_DIR,
        TRAIN_VALID_TEST_ALL,
        _language_pair("Source and target, one of them ``'en'`` .", "('de', 'en')"),
        Parameter("valid_set", "str", "Which talks validate.", None, "which is ``'tst2013'`` "),
        Parameter("test_set", "str", "Which talks test.", None, "which is ``'tst2014'`` "),
        *FILE_ROWS_BEFORE_WORKERS,
    )
    _listed_by = staticmethod(iwslt2016_files)

    def _prepare(self) -> None:
        self.language_pair = list(self.language_pair or ("de", "en"))
        self.valid_set = self.valid_set or "tst2013"
        self.test_set = self.test_set or "tst2014"
        check_iwslt2016(self.language_pair, self.valid_set, self.test_set)


class IWSLT2017Dataset(StreamFilesDataset, TextBaseDataset):
    """Talks in five languages (IWSLT 2017).

    Columns: `text` , `translation` string.
    """

    _source_name = "TranslationPairs"
    _parameters = (
        DATASET_DIR,
        TRAIN_VALID_TEST_ALL,
        _language_pair("Two of ``'en'`` , ``'nl'`` , ``'de'`` , ``'it'`` , ``'ro'`` .", "('de', 'en')"),
        *FILE_ROWS_BEFORE_WORKERS,
    )
    _listed_by = staticmethod(iwslt2017_files)

    def _prepare(self) -> None:
        self.language_pair = list(self.language_pair or ("de", "en"))
        check_iwslt2017(self.language_pair)


class Multi30kDataset(StreamFilesDataset, TextBaseDataset):
    """Descriptions of pictures in English and German (Multi30k).

    Columns: `text` , `translation` string.
    """

    _source_name = "TranslationPairs"
    _parameters = (
        DATASET_DIR,
        TRAIN_TEST_VALID_ALL,
        _language_pair("``['en', 'de']`` or ``['de', 'en']`` .", "['en', 'de']"),
        *replaced(FILE_ROWS, FILE_SHUFFLE._replace(default=None)),
    )
    _listed_by = staticmethod(multi30k_files)

    def _prepare(self) -> None:
        self.language_pair = list(self.language_pair or ("en", "de"))
        if sorted(self.language_pair) != ["de", "en"]:
            raise ValueError(
                f"language_pair can only be ['en', 'de'] or ['en', 'de'], but got {self.language_pair}"
            )


class SQuADDataset(StreamFilesDataset, TextBaseDataset):
    """Questions about paragraphs, with answers (SQuAD 1.1, SQuAD 2.0).

    Columns: `context` , `question` string, `text` string (N,), `answer_start` uint32 (N,).
    """

    _source_name = "Squad"
    _parameters = (DATASET_DIR, choice("usage", "train", "dev", "all", none="all"), *FILE_ROWS)

    def _source_arguments(self) -> dict[str, Any]:
        parts = ("train", "dev") if self.usage in (None, "all") else (self.usage,)
        files = [
            path
            for part in parts
            for path in sorted(glob.glob(os.path.join(glob.escape(self.dataset_dir), f"{part}*.json")))
        ]
        if not files:
            raise RuntimeError(
                f"Invalid data, SQuADDataset finds no JSON file of {parts} in {self.dataset_dir}."
            )
        return {"files": files}


class SST2Dataset(StreamFilesDataset, TextBaseDataset):
    """Sentences of film reviews, good or bad (SST-2).

    Columns: `sentence` , `label` string; of ``'test'`` : `sentence` .
    """

    _source_name = "TabTable"
    _parameters = (DATASET_DIR, choice("usage", "train", "test", "dev", none="train"), *FILE_ROWS)

    def _source_arguments(self) -> dict[str, Any]:
        usage = self.usage or "train"
        return {
            "files": [os.path.join(self.dataset_dir, f"{usage}.tsv")],
            "columns": ["sentence"] if usage == "test" else ["sentence", "label"],
            # Tests are numbered in the first field.
            "fields": [1] if usage == "test" else [0, 1],
            "dataset": "SST2Dataset",
            "what": "file path",
        }


__all__ = defined_classes(globals())
