# SPDX-License-Identifier: Apache-2.0
"""Options and exit codes of build.sh. Every call here ends before anything is built."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def build_sh(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(ROOT / "build.sh"), *options], capture_output=True, text=True, timeout=30
    )


@pytest.mark.parametrize(
    "options",
    [
        ["-z"],
        ["--help-me"],
        ["-e", "tpu"],
        ["-e"],
        ["-V", "new"],
        ["-V"],
        ["-j", "0"],
        ["-j", "-1"],
        ["-jmany"],
        ["-t", "maybe"],
        ["-a", "msan"],
        ["cpu"],
        ["-e", "cpu", "extra"],
        # A wrong option counts even beside one that would be refused later.
        ["-e", "gpu", "-z"],
    ],
    ids=" ".join,
)
def test_build_sh_refuses_wrong_usage(options):
    result = build_sh(*options)
    assert result.returncode == 2
    assert "Usage: bash build.sh" in result.stderr
    assert result.stdout == ""


def test_build_sh_names_the_unknown_option():
    assert "unknown option -z" in build_sh("-z").stderr


@pytest.mark.parametrize("device", ["gpu", "ascend"])
@pytest.mark.parametrize("more", [[], ["-V", "12.4"], ["-j8", "-t", "on"]], ids=" ".join)
def test_build_sh_says_which_plugin_is_missing(device, more):
    result = build_sh("-e", device, *more)
    assert result.returncode == 1
    assert f"plug-in for {device} is not there yet" in result.stderr


def test_build_sh_help_lists_every_option():
    result = build_sh("-h")
    assert result.returncode == 0
    for option in ["-e", "-V", "-j<n>", "-t", "-a", "-h", "asan", "tsan", "ubsan"]:
        assert option in result.stdout
