# SPDX-License-Identifier: Apache-2.0
"""Names that are not there: errors say how MindSpore spells it, or what was likely meant."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, _spelling, nn, ops
from mindspore.dataset import transforms, vision


def _message(function) -> str:
    with pytest.raises((AttributeError, TypeError, ValueError)) as raised:
        function()
    return str(raised.value)


_X = Tensor(np.ones((2, 2), np.float32))

_SPELLINGS = {
    "Tensor.cuda": (lambda: _X.cuda(), "set_context(device_target="),
    "Tensor.cpu": (lambda: _X.cpu(), "set_context(device_target="),
    "Tensor.backward": (lambda: _X.backward(), "mindspore.value_and_grad"),
    "Tensor.detach": (lambda: _X.detach(), "mindspore.ops.stop_gradient"),
    "Tensor.requires_grad_": (lambda: _X.requires_grad_(), "mindspore.Parameter"),
    "Tensor.to(cuda)": (lambda: _X.to("cuda"), "set_context(device_target="),
    "Tensor(device)": (lambda: Tensor([1.0], device="cuda"), "set_context(device_target="),
    "Tensor(dtyp)": (lambda: Tensor([1.0], dtyp=ms.float32), "Tensor() got an unexpected keyword"),
    "Parameter(requires_gard)": (lambda: ms.Parameter(_X, requires_gard=True), "'requires_grad'?"),
    "LSTM(num_layer)": (lambda: nn.LSTM(2, 2, num_layer=1), "Did you mean 'num_layers'?"),
    "set_context(device)": (lambda: ms.set_context(device="CPU"), "In MindSpore it is 'device_target'."),
    "softmax(dim)": (lambda: ops.softmax(_X, dim=1), "In MindSpore it is 'axis'."),
    "Tensor.mean(keepdim)": (lambda: _X.mean(keepdim=True), "In MindSpore it is 'keep_dims'."),
    "Tensor.add_": (lambda: _X.add_(1), "x = x.add(...)"),
    "Parameter.cuda": (lambda: ms.Parameter(_X).cuda(), "'Parameter' object has no attribute 'cuda'"),
    "nn.Bilinear": (lambda: nn.Bilinear(2, 2, 2), "nn.BiDense"),
    "nn.Module": (lambda: nn.Module, "nn.Cell"),
    "nn.relu": (lambda: nn.relu, "Did you mean 'ReLU'?"),
    "nn.Dens": (lambda: nn.Dens(2, 2), "Did you mean 'Dense'?"),
    "ops.rellu": (lambda: ops.rellu(_X), "Did you mean 'relu'?"),
    "ops.batchnorm": (lambda: ops.batchnorm(_X), "Did you mean 'batch_norm'?"),
    "ops.operations.Rellu": (lambda: ops.operations.Rellu, "Did you mean 'ReLU'?"),
    "ops.linear": (lambda: ops.linear(_X), "mindspore.ops.dense"),
    "mindspore.Modell": (lambda: ms.Modell, "Did you mean 'Model'?"),
    "mindspore.save": (lambda: ms.save, "mindspore.save_checkpoint"),
    "train.LosMonitor": (lambda: ms.train.LosMonitor, "Did you mean 'LossMonitor'?"),
    "dataset.MnistDatset": (lambda: ds.MnistDatset, "Did you mean 'MnistDataset'?"),
    "dataset.DataLoader": (lambda: ds.DataLoader, "GeneratorDataset"),
    "vision.Resiz": (lambda: vision.Resiz(3), "Did you mean 'Resize'?"),
    "transforms.Compse": (lambda: transforms.Compse([]), "Did you mean 'Compose'?"),
    "Cell.eval": (lambda: nn.Dense(2, 2).eval(), "net.set_train(False)"),
    "Cell.parameters": (lambda: nn.Dense(2, 2).parameters(), "net.trainable_params()"),
    "Cell.wieght": (lambda: nn.Dense(2, 2).wieght, "Did you mean 'weight'?"),
    "Dense(bias)": (lambda: nn.Dense(2, 2, bias=False), "In MindSpore it is 'has_bias'."),
    "Conv2d(groups)": (lambda: nn.Conv2d(1, 2, 3, groups=1), "In MindSpore it is 'group'."),
    "ReLU(inplace)": (lambda: nn.ReLU(inplace=True), "never change their input"),
    "SGD(lr)": (lambda: nn.SGD(nn.Dense(2, 2).trainable_params(), lr=0.1), "it is 'learning_rate'"),
    "Adam(lr)": (lambda: nn.Adam(nn.Dense(2, 2).trainable_params(), lr=0.1), "it is 'learning_rate'"),
    "Adam(learning_rat)": (
        lambda: nn.Momentum(nn.Dense(2, 2).trainable_params(), learning_rat=0.1, momentum=0.9),
        "Did you mean 'learning_rate'?",
    ),
    "Dropout(p)": (
        lambda: ops.Dropout(p=0.5),
        "it is 'keep_prob', the share that stays: 1 - p.",
    ),
    "ResizeBilinear()": (
        lambda: ops.ResizeBilinear(),
        "ResizeBilinear(): missing a required argument",
    ),
    "Softmax(dim)": (lambda: ops.Softmax(dim=1), "In MindSpore it is 'axis'."),
    "CountNonZero(dim)": (lambda: ops.CountNonZero(dim=1), "In MindSpore it is 'dims'."),
    "concat(dim)": (lambda: ops.concat([_X, _X], dim=1), "In MindSpore it is 'axis'."),
    "concat(axs)": (lambda: ops.concat([_X, _X], axs=1), "Did you mean 'axis'?"),
    "Tensor.expand_dims(dim)": (lambda: _X.expand_dims(dim=1), "In MindSpore it is 'axis'."),
    "MnistDataset(shufle)": (lambda: ds.MnistDataset(".", shufle=True), "Did you mean 'shuffle'?"),
    "GeneratorDataset(num_workers)": (
        lambda: ds.GeneratorDataset([1], ["a"], num_workers=2),
        "In MindSpore it is 'num_parallel_workers'.",
    ),
    "batch(drop_last)": (
        lambda: ds.NumpySlicesDataset([1]).batch(2, drop_last=True),
        "In MindSpore it is 'drop_remainder'.",
    ),
    "Resize(siz)": (lambda: vision.Resize(siz=3), "Did you mean 'size'?"),
    "set_context(devic_target)": (
        lambda: ms.set_context(devic_target="CPU"),
        "Did you mean 'device_target'?",
    ),
    "set_auto_parallel_context(paralel_mode)": (
        lambda: ms.set_auto_parallel_context(paralel_mode="x"),
        "Did you mean 'parallel_mode'?",
    ),
}


@pytest.mark.parametrize("name", _SPELLINGS)
def test_a_name_that_is_not_there(name):
    function, hint = _SPELLINGS[name]
    assert hint in _message(function)


def test_a_name_like_no_other_gets_no_hint():
    assert _message(lambda: ops.qqqqqqqq) == "module 'mindspore.ops' has no attribute 'qqqqqqqq'."
    assert "Did you" not in _message(lambda: nn.Dense(2, 2, qqqqqqqq=1))


def test_attributes_of_tensors_get_the_hint_of_the_interpreter():
    program = "import mindspore; mindspore.Tensor([1.0]).rellu()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "AttributeError: 'Tensor' object has no attribute 'rellu'. Did you mean: 'relu'?" in done.stderr


def test_what_is_not_there_is_not_shown():
    assert not hasattr(_X, "cuda") and not hasattr(Tensor, "cuda")
    assert "cuda" not in dir(_X) and "copy" in dir(_X)
    _X.grad = "mine"
    assert _X.grad == "mine" and "grad" in dir(_X)
    del _X.grad


def test_the_error_is_an_attribute_error_everywhere():
    with pytest.raises(AttributeError) as raised:
        ops.rellu  # noqa: B018
    assert type(raised.value).__name__ == "AttributeError"
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is AttributeError and str(again) == str(raised.value)


def test_constructors_keep_their_signatures():
    assert list(inspect.signature(nn.Dense).parameters)[:2] == ["in_channels", "out_channels"]
    assert list(inspect.signature(nn.Dense(2, 2)).parameters) == ["x"]
    assert list(inspect.signature(ds.MnistDataset).parameters)[0] == "dataset_dir"
    assert copy.deepcopy(nn.Dense(2, 2)).weight.shape == (2, 2)


@pytest.mark.parametrize("owner", _spelling._HABITS)
def test_advice_is_true(owner):
    """What others call so is not there, and what is named instead is."""
    habits = _spelling._HABITS[owner]
    places = {
        "mindspore": ms,
        "nn": nn,
        "ops": ops,
        "x": _X,
        "net": nn.Dense(2, 2),
        "dataset": ds.NumpySlicesDataset([1]),
    }
    where = {**places, "Tensor": _X, "Cell": places["net"], "mindspore.dataset": ds}
    where = where.get(owner, where.get(owner.removeprefix("mindspore.")))
    for name, advice in habits.items():
        assert not hasattr(where, name), f"{owner} has {name}"
        for path in re.findall(r"\b(?:mindspore|nn|ops|x|net|dataset)(?:\.[A-Za-z_]\w*)+", advice):
            value = places[path.split(".")[0]]
            for part in path.split(".")[1:]:
                value = getattr(value, part)


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        ("mindspore.numpy", "argmax", "mindspore.ops"),
        ("mindspore.mint", "add", "mindspore.ops"),
        ("mindspore.mint.nn", "Conv2d", "mindspore.nn"),
    ],
)
def test_what_is_not_there_yet_may_be_near(module, name, near):
    with pytest.raises(AttributeError, match=rf"not in this version .* There is {near}\.{name},"):
        getattr(importlib.import_module(module), name)
