# SPDX-License-Identifier: Apache-2.0
"""Arguments of DatasetCache, where their defaults come from, and who takes a cache."""

import copy
import json
import pickle

import numpy as np
import pytest

import mindspore.dataset as ds
from mindspore.dataset.core import config as settings


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"session_id": "a"}, TypeError, "Argument session_id with value a is not of type .<class 'int'>"),
        (
            {"session_id": True},
            TypeError,
            r"value True is not of type \(<class 'int'>,\), but got <class 'bool'>",
        ),
        (
            {"session_id": 0},
            ValueError,
            r"session_id is not within the required interval of \[1, 4294967295\]",
        ),
        ({"session_id": 1 << 32}, ValueError, "session_id is not within the required interval"),
        ({"size": -1}, ValueError, "Input size must be greater than 0"),
        ({"size": 2**64}, ValueError, r"size is not .* interval of \[0, 18446744073709551615\]"),
        ({"size": 1.5}, TypeError, "Argument size with value"),
        ({"spilling": 1}, TypeError, "Argument spilling with value"),
        ({"hostname": 3}, TypeError, "Argument hostname with value"),
        ({"hostname": "localhost"}, RuntimeError, "on the same host with cache server"),
        ({"port": 80}, ValueError, r"port is not within the required interval of \[1025, 65535\]"),
        ({"port": "50052"}, TypeError, "Argument port with value"),
        ({"num_connections": 0}, ValueError, r"num_connections is not .* interval of \[1, 2147483647\]"),
        ({"prefetch_size": 0}, ValueError, r"prefetch_size is not .* interval of \[1, 2147483647\]"),
        ({"on_failure": "ignore"}, ValueError, "on_failure is not within the valid set"),
        ({"check_files": 1}, TypeError, "Argument check_files with value"),
    ],
)
def test_wrong_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        ds.DatasetCache(**{"session_id": 1, **arguments})


def test_a_cache_asks_nobody_until_a_pipeline_starts():
    cache = ds.DatasetCache(1, port=1025)
    assert (cache.size, cache.spilling, cache.hostname) == (0, False, "127.0.0.1")
    assert (cache.num_connections, cache.prefetch_size) == (12, 20)
    with pytest.raises(RuntimeError, match="GetStat called but the cache is not in use yet."):
        cache.get_stat()
    assert copy.deepcopy(cache) is cache
    assert pickle.loads(pickle.dumps(cache)).port == 1025


def test_arguments_come_before_environment_and_settings_file(monkeypatch, tmp_path):
    monkeypatch.setattr(settings, "_cache_settings", {})
    assert ds.DatasetCache(1).port == 50052
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"cachePort": 2000, "numConnections": 3, "cachePrefetchSize": 4}))
    ds.config.load(str(file))
    cache = ds.DatasetCache(1)
    assert (cache.port, cache.num_connections, cache.prefetch_size) == (2000, 3, 4)
    monkeypatch.setenv("MS_CACHE_PORT", "3000")
    assert ds.DatasetCache(1).port == 3000
    assert ds.DatasetCache(1, port=4000).port == 4000
    monkeypatch.setenv("MS_CACHE_PORT", "port")
    with pytest.raises(ValueError, match="Cache port from env variable MS_CACHE_PORT is invalid"):
        ds.DatasetCache(1)
    monkeypatch.setenv("MS_CACHE_HOST", "elsewhere")
    with pytest.raises(RuntimeError, match="on the same host"):
        ds.DatasetCache(1, port=4000)


def test_only_sources_and_maps_take_a_cache(pictures, lines):
    cache = ds.DatasetCache(1)
    data = ds.TextFileDataset(lines)
    for call in (
        lambda: data.batch(2, cache=cache),
        lambda: data.shuffle(2, cache=cache),
        lambda: data.filter(lambda x: True, cache=cache),
        lambda: data.zip((data,), cache=cache),
        lambda: ds.GeneratorDataset([1], "x", cache=cache),
        lambda: ds.NumpySlicesDataset([1], "x", cache=cache),
    ):
        with pytest.raises(TypeError, match="cache"):
            call()
    for call in (
        lambda: ds.ImageFolderDataset(pictures, cache=3),
        lambda: ds.TextFileDataset(lines, cache=3),
        lambda: data.map(np.copy, "text", cache=3),
    ):
        with pytest.raises(TypeError, match="Argument cache with value 3 is not of type"):
            call()
