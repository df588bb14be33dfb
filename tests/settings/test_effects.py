# SPDX-License-Identifier: Apache-2.0
"""Settings that work do what the table says."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore import _c_expression as _c

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


def chain(x):
    return ops.tanh(x * 2.0 + 1.0) * x


def compiled_text():
    """The graph of a chain of elementwise operators, compiled now."""

    @ms.jit
    def function(x):
        return chain(x)

    x = Tensor(np.linspace(-1, 1, 64, dtype=np.float32))
    np.testing.assert_allclose(function(x).asnumpy(), chain(x).asnumpy(), rtol=1e-6)
    return "\n".join(function._captured.texts())


def test_jit_level_0_leaves_graphs_as_they_were_captured():
    fused = compiled_text()
    ms.set_context(jit_config={"jit_level": "O0"})
    plain = compiled_text()
    assert "tanh" in plain and plain.count("\n") > fused.count("\n")
    for level in ("O1", "O2"):
        ms.set_context(jit_config={"jit_level": level})
        assert compiled_text().count("\n") == fused.count("\n")
    ms.set_context(jit_level="O0")
    assert compiled_text().count("\n") == plain.count("\n")
    ms.set_context(jit_level="O2", infer_boost="off")
    assert compiled_text().count("\n") == fused.count("\n")


def test_jit_level_0_trains_the_same():
    def losses():
        ms.set_seed(1)
        net = nn.SequentialCell(
            nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dense(64, 2)
        )
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.01)
        ).set_train()
        data = Tensor(np.random.default_rng(0).standard_normal((4, 1, 4, 4)).astype(np.float32))
        label = Tensor(np.array([0, 1, 1, 0], np.int32))
        return [float(step(data, label)) for _ in range(4)]

    ms.set_context(mode=ms.GRAPH_MODE)
    expected = losses()
    ms.set_context(jit_config={"jit_level": "O0"})
    np.testing.assert_allclose(losses(), expected, rtol=1e-5)


VALUES = [
    "text",
    Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)),
    Tensor(np.array([True, False])),
    Tensor(np.array(7, np.int64)),
    Tensor(np.array([0.5, 3.0], np.float32), ms.bfloat16),
]


@pytest.mark.parametrize("mode", MODES)
def test_print_goes_to_a_file(mode, tmp_path, capfd):
    path = str(tmp_path / "print.pb")
    ms.set_context(mode=mode, print_file_path=path)

    class Printing(nn.Cell):
        def __init__(self):
            super().__init__()
            self.print = ops.Print()

        def construct(self, x):
            self.print("doubled:", x * 2)
            return x

    try:
        ops.Print()(*VALUES)
        net = Printing()
        for number in range(3):
            net(Tensor([float(number)]))
    finally:
        ms.set_context(print_file_path="")
    read = ms.parse_print(path)
    for got, given in zip(read, VALUES, strict=False):
        if isinstance(given, str):
            assert got == given
            continue
        assert got.dtype is given.dtype and got.shape == given.shape
        np.testing.assert_array_equal(got.asnumpy(), given.asnumpy())
    rest = read[len(VALUES) :]
    assert rest[::2] == ["doubled:"] * 3
    assert [float(tensor[0]) for tensor in rest[1::2]] == [0.0, 2.0, 4.0]
    assert capfd.readouterr().out == ""
    ops.Print()("seen")
    assert capfd.readouterr().out == "seen\n"


def test_print_file_is_never_overwritten(tmp_path):
    path = tmp_path / "print.pb"
    path.write_bytes(b"kept")
    try:
        ms.set_context(print_file_path=str(path))
        ops.Print()("new")
        chosen = ms.get_context("print_file_path")
    finally:
        ms.set_context(print_file_path="")
    assert path.read_bytes() == b"kept" and chosen.startswith(f"{path}.")
    assert ms.parse_print(chosen) == ["new"]
    with pytest.raises(OSError, match="should be file path"):
        ms.set_context(print_file_path=str(tmp_path))
    with pytest.raises(ValueError, match="must exist"):
        ms.set_context(print_file_path=str(tmp_path / "none" / "print.pb"))


def test_number_of_threads():
    before = _c.compute_threads()
    try:
        ms.set_context(runtime_num_threads=1)
        assert _c.compute_threads() == ms.get_context("runtime_num_threads") == 1
    finally:
        ms.set_context(runtime_num_threads=before)


def test_precompile_only_runs_nothing():
    calls = []

    @ms.jit
    def function(x):
        calls.append(1)
        return x + 1

    ms.set_context(precompile_only=True)
    try:
        assert function(Tensor(1.0)) is None and not calls
    finally:
        ms.set_context(precompile_only=False)


def test_check_bprop_finds_a_wrong_shape():
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout.reshape(-1, 1),)

    ms.set_context(check_bprop=True)
    try:
        with pytest.raises(Exception, match="shape"):
            ms.grad(Net())(Tensor(np.ones(3, np.float32)))
    finally:
        ms.set_context(check_bprop=False)


@pytest.mark.parametrize("how", ["context", "environment"])
def test_graphs_are_written(how, tmp_path):
    setting = f"ms.set_context(save_graphs=1, save_graphs_path={str(tmp_path)!r})" if how == "context" else ""
    code = f"import mindspore as ms\n{setting}\nms.jit(lambda x: x * 2 + 1)(ms.Tensor([1.0]))"
    chosen = {"MS_DEV_SAVE_GRAPHS": "1", "MS_DEV_SAVE_GRAPHS_PATH": str(tmp_path)}
    environment = {**os.environ, **(chosen if how == "environment" else {})}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    assert any(path.suffix == ".ir" for path in tmp_path.iterdir())


def test_a_training_is_reproducible_without_being_asked_to():
    """What 'deterministic' asks for holds in any case, so it is harmless."""

    def trained():
        ms.set_seed(3)
        net = nn.SequentialCell(
            nn.Conv2d(3, 8, 3),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Flatten(),
            nn.Dense(8 * 256, 10),
        )
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
        ).set_train()
        data = Tensor(np.random.default_rng(0).standard_normal((16, 3, 32, 32)).astype(np.float32))
        label = Tensor(np.arange(16, dtype=np.int32) % 10)
        for _ in range(3):
            step(data, label)
        return [parameter.asnumpy() for parameter in net.get_parameters()]

    for first, second in zip(trained(), trained(), strict=True):
        np.testing.assert_array_equal(first, second)


def test_parallel_mode_is_told_to_callbacks():
    from mindspore import dataset as ds
    from mindspore.train import Callback, Model

    seen = []

    class Look(Callback):
        def on_train_begin(self, run_context):
            seen.append(run_context.original_args().parallel_mode)

    net = nn.Dense(2, 1)
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    data = ds.NumpySlicesDataset(
        (np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)), ["x", "y"]
    ).batch(2)
    Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data, callbacks=Look())
    assert seen == ["data_parallel"]


def test_marks_on_parameters_stay_readable():
    parameter = Parameter(Tensor([1.0]), layerwise_parallel=True, parallel_optimizer=False)
    assert parameter.layerwise_parallel and not parameter.parallel_optimizer


def test_folder_of_machine_code(tmp_path):
    code = f"""
import numpy as np
import mindspore as ms
from mindspore import ops, _c_expression as _c
ms.set_context(compile_cache_path={str(tmp_path)!r})
function = ms.jit(lambda x: ops.tanh(x * 2.0 + 1.0) * x)
for _ in range(8):
    function(ms.Tensor(np.ones((256, 256), np.float32)))
_c.wait_for_code()
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert any(path.is_file() for path in (tmp_path / "code").rglob("*"))
