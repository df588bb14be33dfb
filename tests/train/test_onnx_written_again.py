# SPDX-License-Identifier: Apache-2.0
"""Networks that come from ONNX files: written again, in mixed precision, and ended while they run."""

from __future__ import annotations

import signal

import numpy as np
import onnx_wire
import pytest
from looping_networks import CASES, inputs_of
from onnx_wire import model, node, value
from test_exported_loops import check, onnx_kinds
from test_onnx_import import X, graph, ints, loaded, run, stored

import mindspore as ms
from mindspore import Tensor, nn
from mindspore.train._onnx.importer import load_onnx


@pytest.fixture(autouse=True)
def _mode_as_before():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def written_again(folder, net, *inputs) -> dict:
    """The ONNX message of a loaded network."""
    ms.export(net, *map(Tensor, inputs), file_name=str(folder / "again"), file_format="ONNX")
    return onnx_wire.decode((folder / "again.onnx").read_bytes())


@pytest.mark.parametrize("name", CASES)
def test_loops_of_onnx_files_in_onnx(tmp_path, name):
    net, inputs = CASES[name][0](), inputs_of(name)[0]
    ms.export(net, *inputs, file_name=str(tmp_path / "net"), file_format="ONNX")
    ms.export(
        load_onnx(tmp_path / "net.onnx"), *inputs, file_name=str(tmp_path / "again"), file_format="ONNX"
    )
    message = onnx_wire.decode((tmp_path / "again.onnx").read_bytes())
    assert "Loop" in onnx_kinds(message["graph"])
    check(lambda: load_onnx(tmp_path / "again.onnx"), net, name)


@pytest.mark.parametrize("name", ["growing", "nested", "in a branch"])
def test_loops_of_onnx_files_in_mindir(tmp_path, name):
    net, inputs = CASES[name][0](), inputs_of(name)[0]
    ms.export(net, *inputs, file_name=str(tmp_path / "net"), file_format="ONNX")
    ms.export(
        load_onnx(tmp_path / "net.onnx"), *inputs, file_name=str(tmp_path / "again"), file_format="MINDIR"
    )
    check(lambda: nn.GraphCell(ms.load(str(tmp_path / "again.mindir"))), net, name)


def test_loops_whose_turns_are_known_stay_rows_of_turns(tmp_path):
    body = graph(
        [
            node("Gather", ["x", "turn"], ["row"], axis=0),
            node("Add", ["state", "row"], ["next"]),
            node("Identity", ["go"], ["more"]),
        ],
        [value("turn", (), 7), value("go", (), 9), value("state", (3,))],
        [value("more"), value("next"), value("next")],
    )
    content = model(
        [node("Loop", ["count", "", "start"], ["last", "sums"], body=body)],
        [value("x", (2, 3)), value("start", (3,))],
        [value("last"), value("sums")],
        [stored("count", ints(2).reshape(()))],
    )
    start = np.zeros(3, np.float32)
    message = written_again(tmp_path, loaded(tmp_path, content), X, start)
    assert "Loop" not in onnx_kinds(message["graph"])
    last, sums = run(load_onnx(tmp_path / "again.onnx"), X, start)
    np.testing.assert_allclose(last, X.sum(0))
    np.testing.assert_allclose(sums, np.cumsum(X, 0))


def test_shapes_are_no_part_of_what_is_written(tmp_path):
    """x as (2 * rows, columns / 2), computed from its shape by way of floats."""
    content = model(
        [
            node("Constant", [], ["scales"], value_floats=[2.0, 0.5]),
            node("Shape", ["x"], ["shape"]),
            node("Cast", ["shape"], ["real"], to=1),
            node("Mul", ["real", "scales"], ["scaled"]),
            node("Cast", ["scaled"], ["wanted"], to=7),
            node("Reshape", ["x", "wanted"], ["y"]),
        ],
        [value("x", ("rows", "columns"))],
        [value("y")],
    )
    net = loaded(tmp_path, content)
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    written = written_again(tmp_path, net, x)
    assert onnx_kinds(written["graph"]) <= {"Reshape", "Identity"}
    np.testing.assert_array_equal(run(net, x)[0], x.reshape(4, 2))


def test_known_values_keep_their_type_in_mixed_precision(tmp_path, each_mode):
    content = model(
        [
            node("Shape", ["x"], ["shape"]),
            node("Cast", ["shape"], ["real"], to=1),
            node("Mul", ["real", "one"], ["same"]),
            node("Cast", ["same"], ["wanted"], to=7),
            node("Reshape", ["x", "wanted"], ["y"]),
        ],
        [value("x", ("rows",))],
        [value("y")],
        [stored("one", np.array(1, np.float32))],
    )
    net = loaded(tmp_path, content).to_float(ms.float16)
    x = np.zeros(4097, np.float32)  # no float16
    assert run(net, x)[0].shape == (4097,)


def test_what_is_given_out_is_nobodys_constant(tmp_path, each_mode):
    content = model(
        [node("Identity", ["x"], ["y"])], [value("x", (3,))], [value("y"), value("c")], [stored("c", ints(5))]
    )
    net = loaded(tmp_path, content)
    first = net(Tensor(X[0]))[1]
    first += 1
    np.testing.assert_array_equal(net(Tensor(X[0]))[1].asnumpy(), [5])


def test_a_loop_without_end_can_be_ended(tmp_path):
    body = graph(
        [node("Identity", ["go"], ["more"]), node("Neg", ["state"], ["next"])],
        [value("turn", (), 7), value("go", (), 9), value("state", (3,))],
        [value("more"), value("next")],
    )
    content = model([node("Loop", ["", "", "x"], ["last"], body=body)], [value("x", (3,))], [value("last")])
    net = loaded(tmp_path, content)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            net(Tensor(X[0]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
