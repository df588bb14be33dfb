# SPDX-License-Identifier: Apache-2.0
"""Files made to do harm are refused by every reader: no crash, no endless work, no memory to speak of."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("hostile_files.py")
KINDS = ("ckpt", "safetensors", "torch", "npz", "mindir", "onnx")
MOST_MIB, MOST_SECONDS, ALL_SECONDS = 100, 20, 120


def outcomes(kind: str) -> list[dict]:
    """What a process of its own tells of each file."""
    command = [sys.executable, str(PROGRAM), "read", kind]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ALL_SECONDS)
    except subprocess.TimeoutExpired as late:
        begun = late.stdout.decode().splitlines()[-1]
        pytest.fail(f"the reader did not come to an end: {begun}")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (told[-1:], done.stderr[-3000:])
    return [entry for entry in told if "case" in entry]


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_refused(kind):
    found = outcomes(kind)
    assert len(found) > 15
    for entry in found:
        assert entry["refused"], entry
        assert len(entry["outcome"].partition(":")[2]) > 10, entry
        assert entry["mib"] < MOST_MIB and entry["seconds"] < MOST_SECONDS, entry
