# SPDX-License-Identifier: Apache-2.0
"""Text files, CSV, JSON lines and the corpora."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tiny_files import rows, write

import mindspore.dataset as ds

PLAIN = {"shuffle": False, "num_parallel_workers": 1}


def texts(dataset, column="text"):
    return [str(row[column]) for row in rows(dataset)]


def test_text_file_skips_empty_lines(tmp_path):
    path = write(tmp_path / "a.txt", "one\n\n two \nthree\r\nfour")
    data = ds.TextFileDataset(str(path), **PLAIN)
    assert texts(data) == ["one", " two ", "three\r", "four"] and data.get_dataset_size() == 4
    with pytest.raises(RuntimeError, match="TextFileDataset API can't read the data file"):
        rows(ds.TextFileDataset(str(write(tmp_path / "b.txt", "")), **PLAIN))


def test_csv_types_and_header(tmp_path):
    path = str(write(tmp_path / "a.csv", 'n,x,s\n1,2.5," a""b"\n-7,1e3,\n'))
    got = rows(ds.CSVDataset(path, column_defaults=[0, 0.0, ""], **PLAIN))
    assert [row["n"].dtype for row in got] == [np.int32] * 2 and got[0]["x"].dtype == np.float32
    assert [(int(r["n"]), float(r["x"]), str(r["s"])) for r in got] == [(1, 2.5, ' a"b'), (-7, 1000.0, "")]
    named = rows(ds.CSVDataset(path, column_names=["a", "b", "c"], **PLAIN))
    assert [str(value) for value in named[0].values()] == ["n", "x", "s"]


@pytest.mark.parametrize(
    "content, words",
    [
        ("1,2\n1\n", "failed to parse csv file: .* at line 2"),
        ("1,2\n1,2,3\n", "failed to parse csv file: .* at line 2"),
        ("1,2\nx,2\n", "type does not match"),
        ("1,2\n,2\n", "type does not match"),
        ("99999999999,2\n", "value out of range"),
        ('1,"2', "reach the end of file in quote field"),
        ('1,2"3\n', "unexpected quote in unquote field"),
        ("", "CSVDataset API can't read the data file"),
    ],
)
def test_csv_mistakes_are_told(tmp_path, content, words):
    path = str(write(tmp_path / "a.csv", content))
    with pytest.raises(RuntimeError, match=words):
        rows(ds.CSVDataset(path, column_names=["a", "b"], column_defaults=[1, 1], **PLAIN))


def test_csv_arguments(tmp_path):
    path = str(write(tmp_path / "a.csv", "1;2\n"))
    (row,) = rows(ds.CSVDataset(path, ";", column_names=["a", "b"], **PLAIN))
    assert [str(value) for value in row.values()] == ["1", "2"]
    for wrong in ("", '"', ";;", "\n"):
        with pytest.raises(ValueError, match="field_delim is invalid"):
            ds.CSVDataset(path, wrong)
    with pytest.raises(TypeError, match="column type in column_defaults is invalid"):
        ds.CSVDataset(path, column_defaults=[b"1"])
    with pytest.raises(RuntimeError, match="duplicate column names are not allowed: a"):
        rows(ds.CSVDataset(path, ";", column_names=["a", "a"]))


@pytest.mark.parametrize("task, usage", [("AFQMC", "train"), ("WSC", "eval"), ("CSL", "test")])
def test_clue_columns(tmp_path, task, usage):
    values = {"label": "1", "sentence1": "a", "sentence2": "b", "id": 3, "abst": "x", "keyword": ["k", "l"]}
    span = {"span1_index": 0, "span1_text": "s", "span2_index": 4, "span2_text": "t"}
    values.update(idx=5, text="words", target=span)
    path = write(tmp_path / "a.json", json.dumps(values) + "\n")
    (row,) = rows(ds.CLUEDataset(str(path), task, usage, **PLAIN))
    assert list(row) == sorted(row)
    if task == "CSL":
        assert list(row) == ["abst", "id", "keyword"] and row["id"].dtype == np.uint32
        assert row["keyword"].tolist() == ["k", "l"]
    if task == "WSC":
        assert int(row["span2_index"]) == 4 and str(row["text"]) == "words"


def test_clue_errors(tmp_path):
    path = str(write(tmp_path / "a.json", '{"label": "1"}\n'))
    with pytest.raises(RuntimeError, match="failed to find key: sentence1"):
        rows(ds.CLUEDataset(path, **PLAIN))
    with pytest.raises(RuntimeError, match="at line 2"):
        broken = write(tmp_path / "b.json", '{"label": "", "sentence1": "", "sentence2": ""}\n{"label": \n')
        rows(ds.CLUEDataset(str(broken), **PLAIN))
    with pytest.raises(ValueError, match="task should be"):
        ds.CLUEDataset(path, "OTHER")


@pytest.mark.parametrize(
    "name, columns",
    [
        ("AGNewsDataset", ["index", "title", "description"]),
        ("AmazonReviewDataset", ["label", "title", "content"]),
        ("DBpediaDataset", ["class", "title", "content"]),
        ("SogouNewsDataset", ["index", "title", "content"]),
        ("YahooAnswersDataset", ["class", "title", "content", "answer"]),
        ("YelpReviewDataset", ["label", "text"]),
    ],
)
def test_csv_corpora(tmp_path, name, columns):
    for part in ("train", "test"):
        write(tmp_path / f"{part}.csv", ",".join(f'"{part}{i}"' for i in range(len(columns))) + "\n")
    (row,) = rows(getattr(ds, name)(str(tmp_path), "test", **PLAIN))
    assert list(row) == columns and str(row[columns[-1]]) == f"test{len(columns) - 1}"
    assert len(rows(getattr(ds, name)(str(tmp_path), **PLAIN))) == 2
    with pytest.raises(ValueError, match="Input usage is not within the valid set"):
        getattr(ds, name)(str(tmp_path), "dev")


def test_tagged_words(tmp_path):
    write(tmp_path / "test.txt", "He PRP B-NP\nran VBD B-VP\n\nShe PRP B-NP\n")
    got = rows(ds.CoNLL2000Dataset(str(tmp_path), "test", **PLAIN))
    assert [row["word"].tolist() for row in got] == [["He", "ran"], ["She"]]
    write(tmp_path / "en-ud-tag.v2.dev.txt", "He\tPRON\tPRP\nran\tVERB\n")
    with pytest.raises(RuntimeError, match="line 2: expected 3 fields, but got 2"):
        rows(ds.UDPOSDataset(str(tmp_path), "valid", **PLAIN))


def test_lines_of_corpora(tmp_path):
    for part in ("test", "train", "valid"):
        write(tmp_path / f"ptb.{part}.txt", f" {part}\n")
        write(tmp_path / f"wiki.{part}.tokens", f"{part}\n\n")
    assert texts(ds.PennTreebankDataset(str(tmp_path), **PLAIN)) == [" test", " train", " valid"]
    assert texts(ds.WikiTextDataset(str(tmp_path), "valid", **PLAIN)) == ["valid"]
    with pytest.raises(RuntimeError, match="EnWik9Dataset|enwik9"):
        rows(ds.EnWik9Dataset(str(tmp_path), **PLAIN))


def test_imdb(tmp_path):
    for opinion in ("pos", "neg", "unsup"):
        write(tmp_path / "train" / opinion / "0.txt", f"a {opinion} film")
    data = ds.IMDBDataset(str(tmp_path), "train", shuffle=False)
    assert [(str(r["text"]), int(r["label"])) for r in rows(data)] == [("a pos film", 1), ("a neg film", 0)]
    assert data.num_classes() == 2


def test_translations(tmp_path):
    for language in ("en", "de"):
        write(tmp_path / "training" / f"train.{language}", f"one {language}\ntwo {language}\n")
        tags = f"<url>x</url>\n one {language} \n<title>t</title>\n"
        folder = tmp_path / "texts" / "de" / "en" / "de-en"
        write(folder / f"train.tags.de-en.{language}", tags)
        write(
            folder / f"IWSLT16.TED.tst2013.de-en.{language}.xml",
            f'<doc>\n<seg id="1"> seg {language} </seg>\n</doc>\n',
        )
    (first, _) = rows(ds.Multi30kDataset(str(tmp_path), "train", ["de", "en"], **PLAIN))
    assert (str(first["text"]), str(first["translation"])) == ("one de", "one en")
    (row,) = rows(ds.IWSLT2016Dataset(str(tmp_path), "train", ("de", "en"), **PLAIN))
    assert (str(row["text"]), str(row["translation"])) == ("one de", "one en")
    (row,) = rows(ds.IWSLT2016Dataset(str(tmp_path), "valid", ("de", "en"), **PLAIN))
    assert (str(row["text"]), str(row["translation"])) == ("seg de", "seg en")
    write(tmp_path / "training" / "train.en", "only one\n")
    with pytest.raises(RuntimeError, match="fewer sentences"):
        rows(ds.Multi30kDataset(str(tmp_path), "train", ["de", "en"], **PLAIN))
    with pytest.raises(ValueError, match="language_pair can only be"):
        ds.Multi30kDataset(str(tmp_path), "train", ["de", "fr"])


def test_squad(tmp_path):
    answered = {
        "question": "q1",
        "answers": [{"text": "a", "answer_start": 3}, {"text": "b", "answer_start": 9}],
    }
    unanswered = {"question": "q2", "answers": []}
    content = {"data": [{"paragraphs": [{"context": "c", "qas": [answered, unanswered]}]}]}
    write(tmp_path / "train-v2.0.json", json.dumps(content))
    got = rows(ds.SQuADDataset(str(tmp_path), "train", **PLAIN))
    assert got[0]["text"].tolist() == ["a", "b"] and got[0]["answer_start"].tolist() == [3, 9]
    assert got[1]["text"].tolist() == [""]
    write(tmp_path / "train-v2.0.json", '{"data": [{}]}')
    with pytest.raises(RuntimeError, match="'paragraphs' node is missing"):
        rows(ds.SQuADDataset(str(tmp_path), "train", **PLAIN))


def test_sst2(tmp_path):
    write(tmp_path / "train.tsv", "sentence\tlabel\ngood film\t1\n")
    write(tmp_path / "test.tsv", "index\tsentence\n0\tbad film\n")
    (row,) = rows(ds.SST2Dataset(str(tmp_path), **PLAIN))
    assert [str(value) for value in row.values()] == ["good film", "1"]
    (row,) = rows(ds.SST2Dataset(str(tmp_path), "test", **PLAIN))
    assert list(row) == ["sentence"] and str(row["sentence"]) == "bad film"


def test_random_dataset():
    schema = ds.Schema()
    schema.add_column("image", "uint8", [2, 3])
    schema.add_column("label", "float32", [1])
    got = rows(ds.RandomDataset(5, schema, ["label", "image"]))
    assert len(got) == 5 and list(got[0]) == ["label", "image"] and got[0]["image"].shape == (2, 3)
    assert len(rows(ds.RandomDataset(num_samples=4))) == 4


def test_line_reader(tmp_path):
    reader = ds.utils.LineReader(str(write(tmp_path / "a.txt", "one\ntwö\nthree")))
    assert len(reader) == reader.len() == 3
    assert [reader.readline(i) for i in (3, 1, 2)] == ["three", "one", "twö"]
    with pytest.raises(ValueError, match="not within the required interval of"):
        reader.readline(4)
    reader.close()
    with pytest.raises(RuntimeError, match="does not exist"):
        ds.utils.LineReader(str(tmp_path / "none"))
