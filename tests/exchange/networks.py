# SPDX-License-Identifier: Apache-2.0
"""Writes and reads model files with the package of this interpreter, whichever release that is.

A case is a folder with a model and ``io.npz``: inputs ``0.in0``, ``0.in1``, ... and outputs ``0.out0``, ...
of its runs. One line of JSON is printed for each case::

    python networks.py write MINDIR folder
    python networks.py read MINDIR folder
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
from example_networks import NETWORKS, network_and_inputs

KEY = b"0123456789abcdef"
ENDINGS = {"MINDIR": "net.mindir", "ONNX": "net.onnx"}


class Deciding(nn.Cell):
    """What it does depends on values it computes and is given."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)

    def construct(self, x, more):
        """One of four."""
        y = self.dense(x)
        if y.sum() > 0:
            y = y * 2
        else:
            y = ops.exp(x)
        if more > 0:
            y = self.dense(y) + 10
        return y


class Looping(nn.Cell):
    """As many rounds as it is told."""

    def __init__(self):
        super().__init__()
        self.step = Parameter(Tensor(np.array([0.5, -1.0], np.float32)), name="step")

    def construct(self, x, count):
        """The state after the last round."""
        turn = count * 0
        while turn < count:
            x = x * 0.5 + self.step
            turn = turn + 1
        return x


class Several(nn.Cell):
    """Two results, of other types."""

    def construct(self, x):
        """The sorted values and where they were."""
        values, places = ops.sort(x)
        return values, places


class Scattering(nn.Cell):
    """Choices that files hold as numbers."""

    def construct(self, x, places, values):
        """Values put in their places, and added there."""
        put = ops.tensor_scatter_elements(x, places, values, 0, "none")
        return put, ops.tensor_scatter_elements(x, places, values, 0, "add")


def _rows(*rows) -> list[Tensor]:
    return [Tensor(np.array(row, np.float32)) for row in rows]


def _counted(row, *counts) -> list[list[Tensor]]:
    return [[*_rows(row), Tensor(count, ms.int32)] for count in counts]


def cases(kind: str) -> dict:
    """Name -> a function that gives a network and the inputs of its runs."""
    found = {name: (lambda name=name: _of_example(name)) for name in NETWORKS}
    found["if"] = lambda: (
        Deciding(),
        [*_counted([[1, 2, 3]], 0, 1), *_counted([[-1, -2, -3]], 0, 1), *_counted([[0.1, 0, -0.2]], 1)],
    )
    found["while"] = lambda: (Looping(), _counted([1, 2], 3, 0, 1, 7))
    found["two_results"] = lambda: (Several(), [_rows([[3, 1, 2], [0, -1, 5]])])
    places = Tensor(np.array([[0, 1, 0]], np.int32))
    found["scatter"] = lambda: (
        Scattering(),
        [[*_rows([[1, 2, 3], [4, 5, 6]]), places, *_rows([[10, 20, 30]])]],
    )
    if kind == "MINDIR":
        found["lenet_encrypted"] = lambda: _of_example("lenet")
    if _exporters():
        found["lenet_in_parts"] = lambda: _of_example("lenet")
    return found


def _exporters() -> list:
    """The modules that decide how much goes into one file; another release has none."""
    try:
        from mindspore.train._mindir import export_files
        from mindspore.train._onnx import files
    except ImportError:
        return []
    return [export_files, files]


def _of_example(name: str) -> tuple:
    net, inputs = network_and_inputs(name)
    return net, [inputs]


def outputs_of(result) -> list[np.ndarray]:
    """The arrays a network gives."""
    return [part.asnumpy() for part in (result if isinstance(result, (tuple, list)) else [result])]


def write(kind: str, folder: Path, name: str) -> dict:
    """Writes a case."""
    net, runs = cases(kind)[name]()
    net.set_train(False)
    stored = {}
    for number, inputs in enumerate(runs):
        for place, value in enumerate(inputs):
            stored[f"{number}.in{place}"] = value.asnumpy()
        for place, value in enumerate(outputs_of(net(*inputs))):
            stored[f"{number}.out{place}"] = value
    place = folder / name
    place.mkdir()
    if name.endswith("in_parts"):
        for module in _exporters():
            module.LARGEST_IN_ONE_FILE = 100
    options = {"enc_key": KEY, "enc_mode": "AES-CBC"} if name.endswith("encrypted") else {}
    for _ in range(2):  # the second over the first
        ms.export(net, *runs[0], file_name=str(place / ENDINGS[kind]), file_format=kind, **options)
    np.savez(place / "io.npz", **stored)
    return {"runs": len(runs)}


def loaded(kind: str, path: Path):
    """The network of a file."""
    if kind == "MINDIR":
        is_encrypted = path.parent.name.endswith("encrypted")
        return nn.GraphCell(
            ms.load(str(path), **({"dec_key": KEY, "dec_mode": "AES-CBC"} if is_encrypted else {}))
        )
    from mindspore.train._onnx.importer import load_onnx

    return load_onnx(str(path))


def read(kind: str, folder: Path, name: str) -> dict:
    """Runs a case and compares its outputs."""
    path = folder / name / ENDINGS[kind]
    net = loaded(kind, path if path.exists() else path.with_name("net_graph.mindir"))
    return compared(folder / name, lambda inputs: outputs_of(net(*[Tensor(value) for value in inputs])))


def compared(folder: Path, run) -> dict:
    """The largest difference of the outputs of all runs."""
    with np.load(folder / "io.npz") as file:
        stored = dict(file)
    worst, count = 0.0, 1 + max(int(key.partition(".")[0]) for key in stored)
    for number in range(count):
        inputs = _numbered(stored, f"{number}.in")
        expected = _numbered(stored, f"{number}.out")
        found = run(inputs)
        assert len(found) == len(expected), (len(found), len(expected))
        for got, wanted in zip(found, expected, strict=True):
            assert got.shape == wanted.shape, (got.shape, wanted.shape)
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
            if wanted.size:
                worst = max(worst, float(np.abs(got.astype(np.float64) - wanted).max()))
    return {"runs": count, "difference": worst}


def _numbered(stored: dict, start: str) -> list[np.ndarray]:
    found = [key for key in stored if key.startswith(start)]
    return [stored[f"{start}{place}"] for place in range(len(found))]


def tell_each(names, action) -> None:
    """Prints what becomes of each case."""
    for name in names:
        try:
            told = {"case": name, **action(name)}
        except Exception as failure:
            last = traceback.format_exception_only(type(failure), failure)[-1].strip()
            told = {"case": name, "failure": last[:600]}
        print(json.dumps(told), flush=True)


def main() -> None:
    """The command."""
    action, kind, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if action == "write":
        ms.set_context(mode=ms.GRAPH_MODE)
        tell_each(cases(kind), lambda name: write(kind, folder, name))
    else:
        tell_each(
            sorted(path.parent.name for path in folder.glob("*/io.npz")), lambda n: read(kind, folder, n)
        )


if __name__ == "__main__":
    main()
