# SPDX-License-Identifier: Apache-2.0
"""Names of earlier releases that are no more: errors say in one line what replaces them."""

from __future__ import annotations

import importlib
import importlib.util
import re

import pytest

import mindspore as ms
from mindspore import _removed, _spelling, nn, ops

_STATEMENTS = {
    "from mindspore.nn import Module": "name 'Module' from 'mindspore.nn'. In MindSpore it is nn.Cell.",
    "from mindspore.nn import Relu": "cannot import name 'Relu' from 'mindspore.nn'. Did you mean 'ReLU'?",
    "from mindspore.nn import Conv2dQuant": "mindspore_gs",
    "from mindspore.nn.layer import ActQuant": "mindspore_gs",
    "from mindspore.ops import ControlDepend": "ops.depend",
    "from mindspore.ops.operations import ReLUV2": "ops.ReLU",
    "from mindspore import MetaTensor": "mindspore.Tensor(shape=",
    "from mindspore.common import MetaTensor": "mindspore.Tensor(shape=",
    "from mindspore.common.initializer import random_normal": "initializer(Normal(sigma, mean), shape",
    "from mindspore.train.callback import FederatedLearningManager": "mindspore_federated",
    "from mindspore.dataset import GraphData": "mindspore_gl",
    "import mindspore.explainer": "No module named 'mindspore.explainer'. In MindSpore explanations",
    "from mindspore.explainer.benchmark import Faithfulness": "mindspore_xai",
    "from mindspore.compression.quant import QuantizationAwareTraining": "mindspore_gs",
    "import mindspore.nn.transformer": "mindspore.parallel._transformer",
    "from mindspore.nn import TransformerOpParallelConfig": "mindspore.parallel._transformer",
    "from mindspore.nn.metrics.accuracy import Accuracy": "metrics are in mindspore.train",
    "from mindspore.ops._grad.grad_base import bprop_getters": "Cell.bprop",
}


@pytest.mark.parametrize("statement", _STATEMENTS)
def test_an_import_is_told_what_replaces_it(statement):
    with pytest.raises(ImportError) as raised:
        exec(statement, {})
    assert _STATEMENTS[statement] in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_import_like_no_other_is_told_what_python_tells():
    with pytest.raises(ImportError, match=r"cannot import name 'qqqqqqqq' from 'mindspore.nn' \(.*\)"):
        exec("from mindspore.nn import qqqqqqqq", {})
    with pytest.raises(ModuleNotFoundError) as raised:
        importlib.import_module("mindspore.qqqqqqqq")
    assert str(raised.value) == "No module named 'mindspore.qqqqqqqq'"


def test_asking_is_no_import():
    assert not hasattr(nn, "Conv2dQuant") and getattr(ops, "ReLUV2", None) is None
    with pytest.raises(AttributeError, match="it is ops.ReLU"):
        ops.ReLUV2  # noqa: B018
    assert importlib.util.find_spec("mindspore.qqqqqqqq") is None
    assert importlib.util.find_spec("mindspore.explainer") is None


@pytest.mark.parametrize("owner", _removed.NAMES)
def test_removed_names_are_not_there(owner):
    module = importlib.import_module(owner)
    for name in _removed.NAMES[owner]:
        assert not hasattr(module, name), f"{owner} has {name}"
        assert _spelling.name_hint(owner, name, ()), name


def test_removed_modules_are_not_there():
    for name in _removed.MODULES:
        if not name.endswith(".*"):
            with pytest.raises(ModuleNotFoundError) as raised:
                importlib.import_module(name)
            assert str(raised.value).startswith(f"No module named '{name}'. In MindSpore ")


def test_replacements_are_there():
    places = {"mindspore": ms, "nn": nn, "ops": ops}
    texts = {advice for names in _removed.NAMES.values() for advice in names.values()} | {
        *_removed.MODULES.values()
    }
    for advice in texts:
        for path in re.findall(r"\b(?:mindspore|nn|ops)(?:\.[A-Za-z_]\w*)+", advice):
            value = places[path.split(".")[0]]
            for part in path.split(".")[1:]:
                if not hasattr(value, part):
                    importlib.import_module(f"{value.__name__}.{part}")
                value = getattr(value, part)


@pytest.mark.parametrize("module", _removed.NAMES)
def test_every_name_of_the_table_is_told(module):
    for name, advice in _removed.NAMES[module].items():
        with pytest.raises(AttributeError, match=re.escape(advice)):
            getattr(importlib.import_module(module), name)
