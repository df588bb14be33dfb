# SPDX-License-Identifier: Apache-2.0
"""The networks of the examples as ONNX files: read again, they compute the same."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor
from mindspore.train._onnx.importer import load_onnx

EXAMPLES = Path(__file__).parents[2] / "examples"


def images(*shape):
    return Tensor(np.random.default_rng(2).standard_normal(shape).astype(np.float32))


def words(*shape, high=10):
    return Tensor(np.random.default_rng(2).integers(0, high, shape).astype(np.int32))


NETWORKS = {
    "lenet": lambda module: (module.LeNet5(), images(2, 1, 28, 28)),
    "resnet50": lambda module: (module.ResNet50(10, width=8), images(1, 3, 32, 32)),
    "mobilenetv2": lambda module: (module.MobileNetV2(10, alpha=0.35), images(1, 3, 64, 64)),
    "bert": lambda module: (module.BertClassifier(20, 8, 2), words(2, 8)),
    "gpt2": lambda module: (module.GPT(8), words(2, 8)),
    "lstm_tagger": lambda module: (module.Tagger(10, 3), words(2, 8), Tensor([8, 5], ms.int32)),
    "dcgan": lambda module: (module.Generator(16, 8), images(2, 16)),
    "yolo": lambda module: (module.Detector(3), images(1, 3, 64, 64)),
}


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NETWORKS)
def test_written_and_read_again(name, tmp_path):
    ms.set_seed(1)
    net, *inputs = NETWORKS[name](example(name))
    net.set_train(False)
    expected = net(*inputs).asnumpy()
    assert np.abs(expected).max() > 1e-6
    path = str(tmp_path / "net.onnx")
    ms.export(net, *inputs, file_name=path, file_format="ONNX")
    read = load_onnx(path)
    np.testing.assert_allclose(read(*inputs).asnumpy(), expected, rtol=1e-4, atol=1e-4)
    names = {parameter.name for parameter in net.get_parameters()}
    assert {parameter.name for parameter in read.get_parameters() if parameter.name in names}
