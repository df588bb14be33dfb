# SPDX-License-Identifier: Apache-2.0
"""Tests of what the package offers as a whole: they walk over every public name."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "generate"))
