# SPDX-License-Identifier: Apache-2.0
"""Pipelines that cannot be cached, and caches that cannot be had."""

import threading

import pytest
from cached_rows import first_column, folder_rows, plus_hundred, refusal_of

import mindspore.dataset as ds
from mindspore.dataset import transforms, vision


def unmarked(x):
    return x


class Unmarked:
    def __call__(self, x):
        return x


class OwnOperation(transforms.PyTensorOperation):
    def __call__(self, x):
        return x


UNDER = "is not supported as a descendant operator under a cache"
RANDOM = "MapNode containing random operation is not supported as a descendant of cache"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.batch(2), f"BatchNode {UNDER}"),
        (lambda data: data.padded_batch(2), f"BatchNode {UNDER}"),
        (lambda data: data + data, f"ConcatNode {UNDER}"),
        (lambda data: data.filter(lambda *row: True), f"FilterNode {UNDER}"),
        (lambda data: data.zip(data.rename(["image", "label"], ["a", "b"])), f"ZipNode {UNDER}"),
        (lambda data: data.skip(1), f"SkipNode {UNDER}"),
        (lambda data: data.take(1), f"TakeNode (possibly from Split) {UNDER}"),
        (lambda data: data.repeat(2), "A cache over a RepeatNode of a mappable dataset is not supported"),
        (lambda data: data.map(vision.RandomCrop(2), "image"), RANDOM),
        (lambda data: data.map(unmarked, "image"), RANDOM),
        (lambda data: data.map(lambda x: x, "image"), RANDOM),
        (lambda data: data.map(Unmarked(), "image"), RANDOM),
        (lambda data: data.map(OwnOperation(), "image"), RANDOM),
        (lambda data: data.map(vision.Decode(to_pil=True), "image"), RANDOM),
        (lambda data: data.map([transforms.Compose([vision.Decode(), unmarked])], "image"), RANDOM),
        (
            lambda data: data.map(transforms.RandomApply([vision.HorizontalFlip()]), "image"),
            RANDOM,
        ),
    ],
)
def test_what_cannot_be_under_a_cache(change, words, pictures):
    data = change(folder_rows(pictures))
    cached = data.map(plus_hundred, "label", cache=ds.DatasetCache(1, port=1025))
    assert words in refusal_of(cached)


def test_caches_in_caches(pictures):
    inner = folder_rows(pictures, cache=ds.DatasetCache(1, port=1025))
    outer = inner.map(plus_hundred, "label", cache=ds.DatasetCache(1, port=1025))
    assert "Nested cache operations over ImageFolderNode is not supported" in refusal_of(outer)


@pytest.mark.parametrize(
    "source",
    [
        lambda: ds.GeneratorDataset([1, 2], "x"),
        lambda: ds.NumpySlicesDataset([1, 2], "x"),
        lambda: ds.PaddedDataset([{"x": 1}]),
    ],
)
def test_sources_in_python(source):
    data = source().map(plus_hundred, "x", cache=ds.DatasetCache(1, port=1025))
    assert "There is currently no support for GeneratorOp under cache" in refusal_of(data)


def test_splits(pictures, lines, server):
    part, _ = folder_rows(pictures, cache=server.cache()).split([4, 8], randomize=False)
    assert len(first_column(part)) == 4
    part, _ = ds.TextFileDataset(lines, shuffle=False).split([4, 6], randomize=False)
    data = part.map(transforms.Duplicate(), "text", ["a", "b"], cache=server.cache())
    assert "TakeNode (possibly from Split)" in refusal_of(data)


def test_repeats_without_end(lines):
    data = ds.TextFileDataset(lines).repeat()
    data = data.map(transforms.Duplicate(), "text", ["a", "b"], cache=ds.DatasetCache(1, port=1025))
    assert "RepeatNode without end" in refusal_of(data)


def test_functions_that_nothing_describes(pictures):
    lock = threading.Lock()

    @transforms.not_random
    def guarded(x):
        with lock:
            return x

    data = folder_rows(pictures).map(guarded, "label", cache=ds.DatasetCache(1, port=1025))
    assert "it uses a value of type '_thread.lock'" in refusal_of(data)


def test_one_cache_for_two_trees(pictures, server):
    cache = server.cache()
    first_column(folder_rows(pictures, cache=cache))
    other = folder_rows(pictures).map(vision.Decode(), "image", cache=cache)
    assert "Cannot re-use a cache for a different tree!" in refusal_of(other)


def test_no_server(pictures, lines):
    cache = ds.DatasetCache(1, port=1025)
    for data in (
        folder_rows(pictures, cache=cache),
        ds.TextFileDataset(lines, cache=ds.DatasetCache(1, port=1025)),
    ):
        words = refusal_of(data)
        assert (
            "Network error. Cache server with port 1025 is unreachable. Make sure the server is running"
            in words
        )
    # What can be known without one.
    data = folder_rows(pictures, cache=ds.DatasetCache(1, port=1025))
    assert data.get_dataset_size() == 12 and data.get_col_names() == ["image", "label"]
    assert data.output_shapes()[1] == []


def test_unknown_session(pictures, server):
    session = server.session()
    server.admin("-d", str(session))
    words = refusal_of(folder_rows(pictures, cache=server.cache(session)))
    assert "A cache creation has been requested but the session was not found!" in words


def test_spilling_without_a_folder(pictures, own_server):
    words = refusal_of(folder_rows(pictures, cache=own_server.cache(spilling=True)))
    assert "Server is not set up with spill support" in words


def test_objects_cannot_be_stored(pictures, server):
    @transforms.not_random
    def to_dict(x):
        return {"label": x}

    data = folder_rows(pictures).map(to_dict, "label", cache=server.cache())
    assert "The column 'label' holds dict" in refusal_of(data)


def test_getters_refuse_what_a_run_would(lines, server):
    data = ds.TextFileDataset(lines, cache=server.cache())
    nested = data.map(transforms.Duplicate(), "text", ["a", "b"], cache=server.cache()).repeat(2)
    for getter in (nested.get_batch_size, nested.get_repeat_count, nested.get_dataset_size):
        with pytest.raises(RuntimeError, match="Nested cache operations over TextFileNode is not supported"):
            getter()
