# SPDX-License-Identifier: Apache-2.0
"""The networks of the examples, small, each with inputs. Runs with every release of the package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np

import mindspore as ms
from mindspore import Tensor

EXAMPLES = Path(__file__).parents[2] / "examples"


def images(*shape) -> Tensor:
    """Numbers around zero."""
    return Tensor(np.random.default_rng(2).standard_normal(shape).astype(np.float32))


def words(*shape, high: int = 10) -> Tensor:
    """Numbers of words."""
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
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # where some releases look for it
    spec.loader.exec_module(module)
    return module


def network_and_inputs(name: str) -> tuple:
    """The network of an example, ready to be used, and its inputs."""
    ms.set_seed(1)
    net, *inputs = NETWORKS[name](example(name))
    net.set_train(False)
    return net, inputs
