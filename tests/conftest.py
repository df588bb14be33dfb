# SPDX-License-Identifier: Apache-2.0
"""Settings all Python tests share."""

from __future__ import annotations

import faulthandler

import pytest

faulthandler.enable()  # a crash in native code says which test it was


@pytest.fixture(autouse=True)
def _own_random_state():
    """Every test starts from the same generator state, whatever ran before it."""
    from mindspore import _c_expression

    _c_expression.set_global_seed(20_23)
    yield
    _c_expression.clear_global_seed()
