# SPDX-License-Identifier: Apache-2.0
"""Settings all Python tests share."""

from __future__ import annotations

import faulthandler
import os

import pytest

faulthandler.enable()  # a crash in native code says which test it was


@pytest.fixture(scope="session", autouse=True)
def _graphs_elsewhere(tmp_path_factory):
    """Graphs of compilations that fail are not written into the current folder."""
    os.environ["MS_OM_PATH"] = str(tmp_path_factory.mktemp("om"))


@pytest.fixture(autouse=True)
def _own_random_state():
    """Every test starts from the same generator state, whatever ran before it."""
    from mindspore import _c_expression

    _c_expression.set_global_seed(20_23)
    yield
    _c_expression.clear_global_seed()


@pytest.fixture
def unnoticed_key():
    """Gives, for an encrypted piece without a tag, a wrong key whose noise ends like proper padding."""
    from mindspore import _c_expression as _c

    def search(piece: bytes, mode: str) -> bytes:
        keys = (f"{number:016d}".encode() for number in range(1, 1 << 16))
        return next(key for key in keys if _c.decrypt_envelope(piece, key, mode) is not None)

    return search
