# SPDX-License-Identifier: Apache-2.0
"""Text: lines, tables, JSON and tagged words."""

from __future__ import annotations

import glob
import os
from typing import Any

from ..core.checks import one_of, sequence, text
from ._layouts_text import (
    CLUE_KEYS,
    check_iwslt2016,
    check_iwslt2017,
    iwslt2016_files,
    iwslt2017_files,
    multi30k_files,
    part_files,
)
from ._sources import IndexedFilesDataset, StreamFilesDataset, constructor, find_files
from .datasets import Shuffle, TextBaseDataset

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "CLUEDataset",
    "CoNLL2000Dataset",
    "DBpediaDataset",
    "EnWik9Dataset",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "Multi30kDataset",
    "PennTreebankDataset",
    "SQuADDataset",
    "SST2Dataset",
    "SogouNewsDataset",
    "TextFileDataset",
    "UDPOSDataset",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]


class TextFileDataset(StreamFilesDataset, TextBaseDataset):
    """Lines of text files.

    Column: `text` string. Empty lines are passed over.

    Args:
        dataset_files (Union[str, list[str]]): A path or pattern, or a list of them. Matches of a pattern are
            sorted.
    """

    _source_name = "TextLines"

    @constructor()
    def __init__(
        self,
        dataset_files,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        self.dataset_files = find_files(dataset_files)

    def _source_arguments(self) -> dict[str, Any]:
        return {"files": self.dataset_files, "dataset": "TextFileDataset", "what": "text file"}


class CLUEDataset(StreamFilesDataset, TextBaseDataset):
    """Chinese language understanding: six tasks in files of JSON lines (CLUE).

    Columns depend on task and use, in the order of their names.

    Args:
        dataset_files (Union[str, list[str]]): A path or pattern, or a list of them. Matches of a pattern are
            sorted.
        task (str, optional): ``'AFQMC'`` , ``'TNEWS'`` , ``'IFLYTEK'`` , ``'CMNLI'`` , ``'WSC'`` or ``'CSL'``
            . Default: ``'AFQMC'`` .
        usage (str, optional): ``'train'`` , ``'test'`` or ``'eval'`` . Default: ``'train'`` .
    """

    _source_name = "JsonLines"

    @constructor(task=text, usage=text)
    def __init__(
        self,
        dataset_files,
        task="AFQMC",
        usage="train",
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        if task not in CLUE_KEYS:
            raise ValueError("task should be 'AFQMC', 'TNEWS', 'IFLYTEK', 'CMNLI', 'WSC' or 'CSL'.")
        if usage not in ("train", "test", "eval"):
            raise ValueError("usage should be 'train', 'test' or 'eval'.")
        self.dataset_files = find_files(dataset_files)

    def _source_arguments(self) -> dict[str, Any]:
        keys = sorted(CLUE_KEYS[self.task][self.usage == "test"].split(), key=lambda key: key.split("/")[-1])
        columns = [key.split("/")[-1] for key in keys]
        return {"files": self.dataset_files, "keys": keys, "columns": columns, "dataset": "CLUEDataset"}


class _CsvCorpus(StreamFilesDataset, TextBaseDataset):
    """Texts in the files train.csv and test.csv of a folder; the classes differ in their columns."""

    _source_name = "Csv"
    _fields: tuple[str, ...] = ()
    _parts = {"test": "test.csv", "train": "train.csv"}

    def _source_arguments(self) -> dict[str, Any]:
        return {
            "files": part_files(self, self._parts),
            "field_delim": ",",
            "column_names": list(self._fields),
            "dataset": type(self).__name__,
        }


class AGNewsDataset(_CsvCorpus):
    """News of four kinds (AG News).

    Columns, all string: `index` , `title` , `description` . Files: train.csv and test.csv.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _fields = ("index", "title", "description")

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class AmazonReviewDataset(_CsvCorpus):
    """Reviews of goods (Amazon, polarity or full).

    Columns, all string: `label` , `title` , `content` . Files: train.csv and test.csv.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _fields = ("label", "title", "content")

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class DBpediaDataset(_CsvCorpus):
    """Articles of fourteen classes (DBpedia).

    Columns, all string: `class` , `title` , `content` . Files: train.csv and test.csv.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _fields = ("class", "title", "content")

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class SogouNewsDataset(_CsvCorpus):
    """Chinese news of five classes, in Pinyin (Sogou).

    Columns, all string: `index` , `title` , `content` . Files: train.csv and test.csv.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _fields = ("index", "title", "content")
    _parts = {"train": "train.csv", "test": "test.csv"}

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        num_parallel_workers=None,
        cache=None,
    ) -> None:
        pass


class YahooAnswersDataset(_CsvCorpus):
    """Questions with answers of ten topics (Yahoo).

    Columns, all string: `class` , `title` , `content` , `answer` . Files: train.csv and test.csv.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _fields = ("class", "title", "content", "answer")

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class YelpReviewDataset(_CsvCorpus):
    """Reviews of places (Yelp, polarity or full).

    Columns, all string: `label` , `text` . Files: train.csv and test.csv.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _fields = ("label", "text")
    _parts = {"train": "train.csv", "test": "test.csv"}

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        num_parallel_workers=None,
        cache=None,
    ) -> None:
        pass


class CoNLL2000Dataset(StreamFilesDataset, TextBaseDataset):
    """Sentences cut into words with parts of speech and phrases (CoNLL-2000).

    Columns: `word` , `pos_tag` , `chunk_tag` , each a string array of one axis; a row is a sentence.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _source_name = "TaggedWords"

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        num_parallel_workers=None,
        cache=None,
    ) -> None:
        pass

    def _source_arguments(self) -> dict[str, Any]:
        return {
            "files": part_files(self, {"test": "test.txt", "train": "train.txt"}),
            "columns": ["word", "pos_tag", "chunk_tag"],
            "separator": " ",
            "dataset": "CoNLL2000Dataset",
            "what": "file path",
        }


class UDPOSDataset(StreamFilesDataset, TextBaseDataset):
    """Sentences cut into words with two kinds of tags (UDPOS).

    Columns: `word` , `universal` , `stanford` , each a string array of one axis; a row is a sentence.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'valid'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
    """

    _source_name = "TaggedWords"

    @constructor(usage=one_of("train", "test", "valid", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        num_parallel_workers=None,
        cache=None,
    ) -> None:
        pass

    def _source_arguments(self) -> dict[str, Any]:
        return {
            "files": part_files(
                self,
                {
                    "valid": "en-ud-tag.v2.dev.txt",
                    "test": "en-ud-tag.v2.test.txt",
                    "train": "en-ud-tag.v2.train.txt",
                },
            ),
            "columns": ["word", "universal", "stanford"],
            "separator": "\t",
            "dataset": "UDPOSDataset",
            "what": "file path",
        }


class EnWik9Dataset(StreamFilesDataset, TextBaseDataset):
    """The first part of a dump of the English Wikipedia.

    Column: `text` string, a line each. File: enwik9.

    Args:
        dataset_dir (str): Folder that holds the data.
    """

    _source_name = "TextLines"

    @constructor()
    def __init__(
        self,
        dataset_dir,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=True,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _source_arguments(self) -> dict[str, Any]:
        return {
            "files": [os.path.join(self.dataset_dir, "enwik9")],
            "dataset": "EnWik9Dataset",
            "what": "file path",
            "keep_empty": True,
        }


class PennTreebankDataset(StreamFilesDataset, TextBaseDataset):
    """Lines of the Penn Treebank, prepared for language models.

    Column: `text` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'valid'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
    """

    _source_name = "TextLines"

    @constructor(usage=one_of("train", "test", "valid", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _source_arguments(self) -> dict[str, Any]:
        return {
            "files": part_files(
                self, {"test": "ptb.test.txt", "train": "ptb.train.txt", "valid": "ptb.valid.txt"}
            ),
            "dataset": "PennTreebankDataset",
            "what": "file path",
        }


class WikiTextDataset(StreamFilesDataset, TextBaseDataset):
    """Lines of good Wikipedia articles (WikiText-2, WikiText-103).

    Column: `text` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'valid'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
    """

    _source_name = "TextLines"

    @constructor(usage=one_of("train", "test", "valid", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _source_arguments(self) -> dict[str, Any]:
        return {
            "files": part_files(
                self, {"test": "wiki.test.tokens", "train": "wiki.train.tokens", "valid": "wiki.valid.tokens"}
            ),
            "dataset": "WikiTextDataset",
            "what": "file path",
        }


class IMDBDataset(IndexedFilesDataset, TextBaseDataset):
    """Film reviews, good or bad (IMDB).

    Columns: `text` string, `label` int32: 0 negative, 1 positive.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _source_name = "Imdb"

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def num_classes(self) -> int:
        """Negative and positive."""
        return 2


class IWSLT2016Dataset(StreamFilesDataset, TextBaseDataset):
    """Talks in two languages (IWSLT 2016).

    Columns: `text` , `translation` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'valid'`` , ``'test'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
        language_pair (sequence, optional): Source and target, one of them ``'en'`` . Default: ``None`` ,
            which is ``('de', 'en')`` .
        valid_set (str, optional): Which talks validate. Default: ``None`` , which is ``'tst2013'`` .
        test_set (str, optional): Which talks test. Default: ``None`` , which is ``'tst2014'`` .
    """

    _source_name = "TranslationPairs"

    @constructor(
        usage=one_of("train", "valid", "test", "all"),
        language_pair=sequence(text, list, tuple, length=2),
        valid_set=text,
        test_set=text,
    )
    def __init__(
        self,
        dataset_dir,
        usage=None,
        language_pair=None,
        valid_set=None,
        test_set=None,
        num_samples=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        num_parallel_workers=None,
        cache=None,
    ) -> None:
        self.language_pair = list(language_pair or ("de", "en"))
        self.valid_set = valid_set or "tst2013"
        self.test_set = test_set or "tst2014"
        check_iwslt2016(self.language_pair, self.valid_set, self.test_set)

    def _source_arguments(self) -> dict[str, Any]:
        return iwslt2016_files(
            self.dataset_dir, self.usage, self.language_pair, self.valid_set, self.test_set
        )


class IWSLT2017Dataset(StreamFilesDataset, TextBaseDataset):
    """Talks in five languages (IWSLT 2017).

    Columns: `text` , `translation` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'valid'`` , ``'test'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
        language_pair (sequence, optional): Two of ``'en'`` , ``'nl'`` , ``'de'`` , ``'it'`` , ``'ro'`` .
            Default: ``None`` , which is ``('de', 'en')`` .
    """

    _source_name = "TranslationPairs"

    @constructor(
        usage=one_of("train", "valid", "test", "all"), language_pair=sequence(text, list, tuple, length=2)
    )
    def __init__(
        self,
        dataset_dir,
        usage=None,
        language_pair=None,
        num_samples=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        num_parallel_workers=None,
        cache=None,
    ) -> None:
        self.language_pair = list(language_pair or ("de", "en"))
        check_iwslt2017(self.language_pair)

    def _source_arguments(self) -> dict[str, Any]:
        return iwslt2017_files(self.dataset_dir, self.usage, self.language_pair)


class Multi30kDataset(StreamFilesDataset, TextBaseDataset):
    """Descriptions of pictures in English and German (Multi30k).

    Columns: `text` , `translation` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'valid'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
        language_pair (sequence, optional): ``['en', 'de']`` or ``['de', 'en']`` . Default: ``None`` , which
            is ``['en', 'de']`` .
    """

    _source_name = "TranslationPairs"

    @constructor(
        usage=one_of("train", "test", "valid", "all"), language_pair=sequence(text, list, tuple, length=2)
    )
    def __init__(
        self,
        dataset_dir,
        usage=None,
        language_pair=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        self.language_pair = list(language_pair or ("en", "de"))
        if sorted(self.language_pair) != ["de", "en"]:
            raise ValueError(
                f"language_pair can only be ['en', 'de'] or ['en', 'de'], but got {self.language_pair}"
            )

    def _source_arguments(self) -> dict[str, Any]:
        return multi30k_files(self.dataset_dir, self.usage, self.language_pair)


class SQuADDataset(StreamFilesDataset, TextBaseDataset):
    """Questions about paragraphs, with answers (SQuAD 1.1, SQuAD 2.0).

    Columns: `context` , `question` string, `text` string (N,), `answer_start` uint32 (N,).

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'dev'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _source_name = "Squad"

    @constructor(usage=one_of("train", "dev", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

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

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , which ``None`` stands for, ``'test'`` or ``'dev'`` . Default:
            ``None`` .
    """

    _source_name = "TabTable"

    @constructor(usage=one_of("train", "test", "dev"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

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
