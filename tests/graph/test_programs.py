# SPDX-License-Identifier: Apache-2.0
"""Every program gives the same captured as eagerly: results, gradients, output, state."""

from __future__ import annotations

import re

import programs
import pytest
from comparison import run, same
from fallbacks import FALLBACKS

PROGRAMS = programs.load()


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_in_both_modes(name):
    one = PROGRAMS[name]
    expected, found = run(one, captured=False), run(one, captured=True)
    same(found.values, expected.values, "values")
    same(found.gradients, expected.gradients, "gradients", 1e-4)
    same(found.printed, expected.printed, "printed")
    same(found.state, expected.state, "state")
    assert found.captured, "nothing was captured"
    refusals = found.refusals
    if name in FALLBACKS:
        assert any(re.search(FALLBACKS[name], reason) for reason in refusals), refusals
    else:
        assert not refusals
        assert found.captures_in_last_round == 0 or found.raised


def test_few_programs_fall_back():
    assert set(FALLBACKS) <= set(PROGRAMS)
    assert len(PROGRAMS) >= 300
    assert len(FALLBACKS) * 20 <= len(PROGRAMS)
