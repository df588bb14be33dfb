# SPDX-License-Identifier: Apache-2.0
"""What tests of settings share: fresh settings, and what the user was told."""

from __future__ import annotations

import copy

import pytest

import mindspore as ms
from mindspore import log
from mindspore._settings import families, telling
from mindspore._settings.family import Store
from mindspore._world import _RANK_TABLES, _RANKS, _SIZES


@pytest.fixture(autouse=True)
def _settings_kept(monkeypatch):
    """No launcher, nothing told yet; settings that a test changes are put back."""
    for variable in (*_SIZES, *_RANKS, *_RANK_TABLES, "MS_ROLE", "MS_SERVER_NUM", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(telling, "_told", set())
    stores = [family for family in families() if isinstance(family, Store)]
    before = [copy.deepcopy(store.values) for store in stores]
    yield
    for store, values in zip(stores, before, strict=True):
        store.values.update(values)
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX, save_graphs=0, jit_config={})
    ms.set_context(max_device_memory="1024GB")


@pytest.fixture
def warnings(monkeypatch) -> list[str]:
    """The texts of all warnings."""
    texts: list[str] = []
    monkeypatch.setattr(log, "warning", lambda text, *parts: texts.append(text % parts if parts else text))
    return texts
