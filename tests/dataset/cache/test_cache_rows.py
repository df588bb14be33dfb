# SPDX-License-Identifier: Apache-2.0
"""Rows from the cache are those of the pipeline without it."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cached_rows import expect_same, first_column, folder_rows, plus_hundred, rows_of

import mindspore.dataset as ds
from mindspore.dataset import transforms, vision

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "dataset"


def decoded(data, **options):
    return data.map([vision.Decode(), vision.Resize((9, 8))], "image", **options)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_mappable_sources_and_maps(workers, pictures, server):
    session = server.session()
    plain = decoded(folder_rows(pictures))
    expected, batches = rows_of(plain), rows_of(plain.batch(5))
    options = {"num_parallel_workers": workers}
    for data in (
        decoded(folder_rows(pictures, cache=server.cache(session), **options), **options),
        decoded(folder_rows(pictures), cache=server.cache(session), **options),
    ):
        for _ in range(2):
            expect_same(rows_of(data), expected)
            expect_same(rows_of(data.batch(5)), batches)
        expect_same(rows_of(data.repeat(4)), expected * 4)
        expect_same(rows_of(data, epochs=3), expected * 3)
        expect_same(rows_of(data.skip(3).take(5)), expected[3:8])
    assert sorted(line[1:] for line in server.listed(session)) == [["12", "n/a"], ["12", "n/a"]]


def test_decoded_sources(pictures, server):
    cache = server.cache()
    expected = rows_of(folder_rows(pictures, decode=True))
    for _ in range(2):
        expect_same(rows_of(folder_rows(pictures, decode=True, cache=cache)), expected)
    figures = cache.get_stat()
    assert figures.num_mem_cached == 12 and figures.num_disk_cached == 0
    assert figures.avg_cache_sz > 24 * 30 * 3


def test_sampling_is_above_the_cache(pictures, server):
    before = ds.config.get_seed()
    ds.config.set_seed(3)
    session = server.session()
    try:
        for options in (
            {"shuffle": True},
            {"shuffle": False, "num_shards": 2, "shard_id": 1},
            {"shuffle": True, "num_shards": 3, "shard_id": 0},
            {"shuffle": None, "sampler": ds.SubsetRandomSampler([3, 1, 7])},
            {"shuffle": None, "sampler": ds.PKSampler(2)},
        ):
            expected = rows_of(folder_rows(pictures, **options), epochs=2)
            data = folder_rows(pictures, cache=server.cache(session), **options)
            expect_same(rows_of(data, epochs=2), expected)
    finally:
        ds.config.set_seed(before)
    assert len(server.listed(session)) == 1


def test_random_maps_above_the_cache(pictures, server):
    before = ds.config.get_seed()
    ds.config.set_seed(3)
    try:
        expected = rows_of(decoded(folder_rows(pictures)).map(vision.RandomCrop(4), "image"), epochs=2)
        data = decoded(folder_rows(pictures), cache=server.cache()).map(vision.RandomCrop(4), "image")
        expect_same(rows_of(data, epochs=2), expected)
    finally:
        ds.config.set_seed(before)


def test_numbers_of_samples_are_caches_of_their_own(pictures, server):
    session = server.session()
    for samples in (3, 4, None):
        data = folder_rows(pictures, num_samples=samples, cache=server.cache(session))
        assert len(first_column(data)) == (samples or 12)
    assert len(server.listed(session)) == 3


def test_texts_and_records(lines, records, server):
    for make in (
        lambda **options: ds.TextFileDataset(lines, shuffle=False, **options),
        lambda **options: ds.TFRecordDataset(records, shuffle=False, **options),
        lambda **options: ds.CSVDataset(lines, " ", [""], ["a", "b"], shuffle=False, **options),
    ):
        expected = rows_of(make())
        data = make(cache=server.cache())
        assert data.get_dataset_size() == len(expected)
        for _ in range(2):
            expect_same(rows_of(data), expected)
        expect_same(rows_of(data.repeat(4)), expected * 4)
        expect_same(rows_of(make(num_samples=2, cache=server.cache())), expected[:2])


def test_maps_over_streams(records, server):
    session = server.session()
    data = ds.TFRecordDataset(records, shuffle=False)
    data = data.map(plus_hundred, "x", cache=server.cache(session), num_parallel_workers=1)
    assert first_column(data.repeat(4)) == [[number] for number in range(100, 106)] * 4
    assert server.listed(session)[0][1] == "6"
    data = ds.TFRecordDataset(records, shuffle=False).repeat(2).rename("x", "y")
    data = data.map(plus_hundred, "y", cache=server.cache(session))
    assert first_column(data) == [[number] for number in range(100, 106)] * 2
    assert data.get_dataset_size() == 12
    data = ds.TFRecordDataset(records, shuffle=False).shuffle(4)
    data = data.map(plus_hundred, "x", cache=server.cache(session))
    assert sorted(first_column(data)) == [[number] for number in range(100, 106)]


def test_streams_are_shuffled_anew_and_sharded_by_row(lines, records, server):
    session = server.session()
    iterator = ds.TextFileDataset(lines, cache=server.cache(session)).create_tuple_iterator(
        num_epochs=3, output_numpy=True
    )
    epochs = [[str(row[0]) for row in iterator] for _ in range(3)]
    assert epochs[0] != epochs[1] or epochs[1] != epochs[2]
    assert all(sorted(epoch) == [f"line {number}" for number in range(10)] for epoch in epochs)
    shares = []
    for shard in range(4):  # there are only two files
        options = {"shuffle": False, "num_shards": 4, "shard_id": shard}
        data = ds.TFRecordDataset(records, cache=server.cache(session), **options)
        assert data.get_dataset_size() == 2
        shares.append(first_column(data))
    assert shares == [[[0], [4]], [[1], [5]], [[2], [0]], [[3], [1]]]
    assert len(server.listed(session)) == 2  # all shards share one


def test_other_functions_have_other_rows(pictures, server):
    session = server.session()

    def shifted(by):
        function = transforms.not_random(lambda x: x + by)
        return folder_rows(pictures).map(function, "label", cache=server.cache(session))

    for by in (1, 1000, 1):
        assert sorted({int(row[1]) for row in rows_of(shifted(by))}) == [by, by + 1]
    assert len(server.listed(session)) == 2


def test_changed_files_are_read_again(tmp_path, server):
    path = tmp_path / "lines.txt"
    path.write_text("old\n")
    session = server.session()
    caches = server.cache(session), server.cache(session, check_files=False)
    assert [first_column(ds.TextFileDataset(str(path), cache=cache)) for cache in caches] == [["old"]] * 2
    path.write_text("newer\n")
    read = [first_column(ds.TextFileDataset(str(path), cache=cache)) for cache in caches]
    assert read == [["newer"], ["old"]]


def test_changed_files_behind_links_are_read_again(tmp_path, server):
    (tmp_path / "kept").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "kind").symlink_to("../kept")
    session = server.session()
    for content in (b"old", b"newer"):
        (tmp_path / "kept" / "0.jpg").write_bytes(content)
        data = ds.ImageFolderDataset(str(tmp_path / "root"), cache=server.cache(session))
        assert [row[0].tobytes() for row in rows_of(data)] == [content]
    # One more name for the same folder, before the other: labels change.
    (tmp_path / "root" / "first").symlink_to("../kept")
    data = ds.ImageFolderDataset(str(tmp_path / "root"), shuffle=False, cache=server.cache(session))
    assert [int(row[1]) for row in rows_of(data)] == [0, 1]


def test_values_may_be_written_by_whoever_gets_them(pictures, server):
    def scribble(x):
        x[...] = 7
        return x

    cached = decoded(folder_rows(pictures), cache=server.cache())
    expected = rows_of(cached)
    assert all((row[0] == 7).all() for row in rows_of(cached.map(scribble, "image")))
    for row in cached.create_tuple_iterator(num_epochs=1, output_numpy=True):
        row[0][...] = 9
    for row in cached.create_tuple_iterator(num_epochs=1):
        row[0][...] = 9
    expect_same(rows_of(cached), expected)


def test_rows_beyond_the_size(pictures, tmp_path, server):
    large = np.random.default_rng(0).integers(0, 255, (40, 80, 1000), np.uint8)
    for number, picture in enumerate(large):
        np.save(tmp_path / f"{number}.npy", picture)
    paths = [str(tmp_path / f"{number}.npy") for number in range(40)]
    (tmp_path / "list.txt").write_text("\n".join(paths) + "\n")

    @transforms.not_random
    def load(path):
        return np.load(str(path))

    def listed(cache):
        return ds.TextFileDataset(str(tmp_path / "list.txt"), shuffle=False).map(load, "text", cache=cache)

    expected = [[picture] for picture in large]
    spilling = server.cache(size=1, spilling=True)
    for _ in range(2):
        expect_same(rows_of(listed(spilling)), expected)
    figures = spilling.get_stat()
    assert figures.num_disk_cached > 0 and figures.num_disk_cached + figures.num_mem_cached == 40
    with pytest.raises(RuntimeError, match="Out of memory"):
        rows_of(listed(server.cache(size=1)))

    @transforms.not_random
    def enlarge(label):
        return np.full((300, 1000), label, np.uint8)

    for _ in range(2):
        small = server.cache(size=1)
        data = folder_rows(pictures).map(enlarge, "label", cache=small)
        assert [row[1][0, 0] for row in rows_of(data, epochs=2)] == ([0] * 6 + [1] * 6) * 2
        assert small.get_stat().num_mem_cached < 12


SHARE = """
import sys
import mindspore.dataset as ds
port, session, shard, pictures, records = sys.argv[1:]
options = {"shuffle": False, "num_shards": 2, "shard_id": int(shard)}
cache = lambda: ds.DatasetCache(int(session), port=int(port))
data = ds.ImageFolderDataset(pictures, cache=cache(), **options)
stream = ds.TFRecordDataset(records, cache=cache(), **options)
for _ in range(2):
    labels = [int(row[1]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    numbers = [int(row[0][0]) for row in stream.create_tuple_iterator(num_epochs=1, output_numpy=True)]
print(labels, numbers)
"""


def test_processes_share_a_cache(pictures, records, server):
    session = server.session()
    command = [sys.executable, "-c", SHARE, str(server.port), str(session)]
    running = [
        subprocess.Popen([*command, str(shard), pictures, records[0]], stdout=subprocess.PIPE, text=True)
        for shard in range(2)
    ]
    printed = [process.communicate(timeout=120)[0].strip() for process in running]
    labels = str([0, 0, 0, 1, 1, 1])
    assert printed == [f"{labels} [0, 2]", f"{labels} [1, 0]"]
    assert sorted(line[1] for line in server.listed(session)) == ["12", "3"]


def test_debug_mode_has_no_cache(pictures):
    ds.config.set_debug_mode(True)
    try:
        data = folder_rows(pictures, cache=ds.DatasetCache(1, port=1025))
        assert len(rows_of(data)) == 12
    finally:
        ds.config.set_debug_mode(False)


@pytest.mark.skipif(not (SHARED / "golden").exists(), reason="the reference files are not there")
def test_rows_of_the_reference(server):
    folder = str(SHARED / "testImageNetData" / "train")
    for name, cached_map in (("cache_map_01_result.npz", False), ("cache_map_02_result.npz", True)):
        sources = {} if cached_map else {"cache": server.cache()}
        data = ds.ImageFolderDataset(folder, shuffle=False, **sources)
        options = {"cache": server.cache()} if cached_map else {}
        data = data.map(vision.Decode(), "image", **options).repeat(4)
        expected = {row[0]: row[1] for row in np.load(SHARED / "golden" / name, allow_pickle=True)["arr_0"]}
        digests = {"image": [], "label": []}
        for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
            for column, value in row.items():
                digests[column].append(np.frombuffer(hashlib.md5(value).digest(), "<f4"))
        for column, listed in expected.items():
            assert np.array_equal(np.array(listed), np.array(digests[column]))


def test_parts_of_a_split_share_a_cache(pictures, server):
    expected = [sorted(first_column(part)) for part in folder_rows(pictures).split([8, 4], randomize=False)]
    session = server.session()
    parts = folder_rows(pictures, cache=server.cache(session)).split([8, 4], randomize=False)
    for _ in range(2):
        assert [sorted(first_column(part)) for part in parts] == expected
    assert [rows[1] for rows in server.listed(session)] == ["12"]
    others = folder_rows(pictures, cache=server.cache(session)).split([5, 7])
    assert [len(first_column(part)) for part in others] == [5, 7]
    assert len(server.listed(session)) == 1
