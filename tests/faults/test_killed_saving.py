# SPDX-License-Identifier: Apache-2.0
"""Writers of checkpoints that are killed at any moment: the file is the old one or the new one, whole.

The short version runs with the other tests; the long one is a command::

    python tests/faults/test_killed_saving.py --kills 200 --mib 200
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import signal
import tempfile
import time

import numpy as np
import pytest

import mindspore as ms

ARRAYS = 20


def content(version: int, mib: float) -> list[dict]:
    """What a version of the checkpoint holds: numbers that tell the version and the place."""
    size = int(mib * (1 << 20)) // 4 // ARRAYS
    return [
        {"name": f"p{place}", "data": ms.Tensor(np.full(size, 100 * version + place, np.float32))}
        for place in range(ARRAYS)
    ]


def version_in(path: str, mib: float) -> int:
    """The version a file holds; every number of it is looked at."""
    found = ms.load_checkpoint(path, crc_check=True)
    version = int(found["p0"].asnumpy()[0]) // 100
    for entry in content(version, mib):
        np.testing.assert_array_equal(found[entry["name"]].asnumpy(), entry["data"].asnumpy())
    assert len(found) == ARRAYS
    return version


def save(version: int, path: str, mib: float) -> None:
    ms.save_checkpoint(content(version, mib), path, crc_check=True)


def kill_while_saving(version: int, path: str, mib: float, delay: float) -> None:
    """Starts to save a version in another process, and kills it after a while."""
    entries = content(version, mib)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"x")
        ms.save_checkpoint(entries, path, crc_check=True)
        os._exit(0)
    os.read(reading, 1)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading), os.close(writing)


def run(kills: int, mib: float, ending: str, seed: int = 3) -> collections.Counter:
    """How often the old and how often the new content was there after a kill."""
    chance = random.Random(seed)
    outcomes: collections.Counter = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"x.{ending}")
        start = time.perf_counter()
        save(0, path, mib)
        duration = time.perf_counter() - start
        current = 0
        for _ in range(kills):
            kill_while_saving(current + 1, path, mib, chance.uniform(0, 1.2 * duration))
            found = version_in(path, mib)
            assert found in (current, current + 1), (found, current)
            outcomes["new" if found > current else "old"] += 1
            current = found
            outcomes["unfinished files"] += sum(".part." in name for name in os.listdir(folder))
            for name in os.listdir(folder):
                if ".part." in name:
                    os.remove(os.path.join(folder, name))
        save(current + 1, path, mib)
        assert os.listdir(folder) == [f"x.{ending}"]
    return outcomes


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
def test_a_killed_writer_leaves_the_old_file_or_the_new_one(ending):
    outcomes = run(8, 8, ending)
    assert outcomes["old"] + outcomes["new"] == 8


def main() -> None:
    """The long version."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--mib", type=float, default=200)
    parser.add_argument("--ending", default="ckpt")
    given = parser.parse_args()
    print(dict(run(given.kills, given.mib, given.ending)))


if __name__ == "__main__":
    main()
