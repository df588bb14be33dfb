# SPDX-License-Identifier: Apache-2.0
"""How long compute threads wait actively: what the OpenMP library says it was told."""

import os
import subprocess
import sys

import pytest

SCRIPT = "import os, mindspore; print('left:', os.environ.get('GOMP_SPINCOUNT'))"


def imported_with(**settings: str) -> tuple[str, str]:
    """(what the library shows about itself, what is left in the environment)."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))
    }
    environment |= {"OMP_DISPLAY_ENV": "verbose", **settings}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    shown = [line for line in done.stderr.splitlines() if "GOMP_SPINCOUNT" in line]
    if not shown:
        pytest.skip("another OpenMP library")
    return shown[0], done.stdout.strip()


def test_threads_sleep_soon_and_programs_started_later_are_not_told():
    shown, left = imported_with()
    assert "'2000'" in shown
    assert left == "left: None"


def test_what_the_user_has_set_counts():
    shown, left = imported_with(GOMP_SPINCOUNT="777")
    assert "'777'" in shown
    assert left == "left: 777"
    assert "'2000'" not in imported_with(OMP_WAIT_POLICY="active")[0]
