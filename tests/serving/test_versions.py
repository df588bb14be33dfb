# SPDX-License-Identifier: Apache-2.0
"""Versions that come and go while a server runs."""

from __future__ import annotations

import shutil
import time

import numpy as np
from serving_place import ADD

INPUTS = {"x1": np.ones((2, 2), np.float32), "x2": np.ones((2, 2), np.float32)}
SECONDS = 60


def wait_for(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def serves(servables, version):
    return isinstance(servables.client(version=version).infer(INPUTS), list)


def test_several_at_once(servables):
    servables.write(ADD, versions=(1, 2, 10))
    servables.start(servables.config(device_ids=0, version_number=1), servables.config(device_ids=1))
    assert [serves(servables, version) for version in (0, 1, 2, 10)] == [True, True, False, True]
    assert "servable is not available" in servables.client(version=2).infer(INPUTS)["error"]


def test_a_new_one_takes_over(servables):
    servables.write(ADD, versions=(2,)).start()
    shutil.copytree(servables.folder / "add" / "2", servables.folder / "add" / "3")
    wait_for(lambda: serves(servables, 3))
    wait_for(lambda: not serves(servables, 2))
    assert serves(servables, 0)


def test_one_that_was_asked_for_by_number_stays(servables):
    servables.write(ADD, versions=(1,))
    servables.start(servables.config(), servables.config(version_number=1))
    shutil.copytree(servables.folder / "add" / "1", servables.folder / "add" / "2")
    wait_for(lambda: serves(servables, 2))
    time.sleep(1)
    assert serves(servables, 1)


def test_one_that_cannot_be_loaded_changes_nothing(servables):
    servables.write(ADD, versions=(1,)).start()
    broken = servables.folder / "add" / "2" / "add.mindir"
    broken.parent.mkdir()
    broken.write_bytes(b"no model")
    time.sleep(3)
    assert serves(servables, 1)
    shutil.copy(servables.folder / "add" / "1" / "add.mindir", broken)
    wait_for(lambda: serves(servables, 2))
