# SPDX-License-Identifier: Apache-2.0
"""What tests of training share."""

import pytest

import mindspore as ms


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def each_mode(request):
    """The test runs in both modes."""
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)
