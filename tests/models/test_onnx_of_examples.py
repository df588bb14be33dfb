# SPDX-License-Identifier: Apache-2.0
"""The networks of the examples as ONNX files: read again, they compute the same."""

from __future__ import annotations

import numpy as np
import pytest
from example_networks import NETWORKS, network_and_inputs

import mindspore as ms
from mindspore.train._onnx.importer import load_onnx


@pytest.mark.parametrize("name", NETWORKS)
def test_written_and_read_again(name, tmp_path):
    net, inputs = network_and_inputs(name)
    expected = net(*inputs).asnumpy()
    assert np.abs(expected).max() > 1e-6
    path = str(tmp_path / "net.onnx")
    ms.export(net, *inputs, file_name=path, file_format="ONNX")
    read = load_onnx(path)
    np.testing.assert_allclose(read(*inputs).asnumpy(), expected, rtol=1e-4, atol=1e-4)
    names = {parameter.name for parameter in net.get_parameters()}
    assert {parameter.name for parameter in read.get_parameters() if parameter.name in names}
