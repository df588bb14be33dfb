# SPDX-License-Identifier: Apache-2.0
"""Tests of other folders on the simulated device, where a missing copy or wait shows.

Each suite runs in a process of its own, since a device is chosen for a whole process. Any other test can be
run the same way: ``MYCEL_TEST_DEVICE=Simulated MYCEL_POISON_MEMORY=1 python -m pytest tests/graph tests/nn``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SUITES = {
    "graphs": (["tests/graph/test_loop_nodes.py", "tests/graph/test_programs.py"], {}),
    "gradients of regions": (
        [
            "tests/graph/test_branch_gradients.py",
            "tests/graph/test_scan_nodes.py",
            "tests/graph/test_whole_loops.py",
        ],
        {},
    ),
    "shared memory": (["tests/graph/test_aliases.py", "-k", "0 or 5"], {}),
    "steps": (["tests/graph/test_training_steps.py", "-k", "learn_the_same"], {}),
    "steps without recordings": (
        ["tests/graph/test_training_steps.py", "-k", "learn_the_same"],
        {"MYCEL_RECORDINGS": "off"},
    ),
    "steps with regions that are late": (
        ["tests/graph/test_training_steps.py", "-k", "learn_the_same"],
        {"MYCEL_SIMULATED_REGIONS": "late"},
    ),
    "steps without regions": (
        ["tests/graph/test_training_steps.py", "-k", "learn_the_same"],
        {"MYCEL_SIMULATED_REGIONS": "declined"},
    ),
    "training": (["tests/train/test_model.py", "tests/train/test_checkpoints.py"], {}),
    "training without every third kernel": (
        ["tests/train/test_model.py", "-k", "sink or train"],
        {"MYCEL_SIMULATED_MISSING": "3"},
    ),
    "layers without any kernel": (
        ["tests/nn/test_small_layers.py", "tests/nn/test_attention.py"],
        {"MYCEL_SIMULATED_MISSING": "1"},
    ),
    "layers": (["tests/nn/test_losses.py", "tests/nn/test_spatial_layers.py"], {}),
}


@pytest.mark.parametrize("name", SUITES)
def test_suite_gives_what_it_gives_on_the_cpu(name):
    arguments, settings = SUITES[name]
    environment = {
        **os.environ,
        "MYCEL_TEST_DEVICE": "Simulated",
        "MYCEL_POISON_MEMORY": "1",
        **settings,
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
