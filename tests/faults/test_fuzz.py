# SPDX-License-Identifier: Apache-2.0
"""A short run of the call fuzzer; the program itself makes ten times as many by default."""

from __future__ import annotations

import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("fuzz_calls.py")


def test_hostile_calls_end_well():
    run = subprocess.run([sys.executable, PROGRAM, "--calls", "2000"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "0 problems" in run.stdout
