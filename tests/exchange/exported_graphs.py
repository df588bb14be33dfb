# SPDX-License-Identifier: Apache-2.0
"""Networks with loops, decisions and inputs of any size in model files, run by others.

The files are written by this package together with inputs and outputs as arrays; the others, ONNX Runtime or
another release that reads MindIR files, are called with an interpreter that has them. One line of JSON is
printed for each file::

    PYTHONPATH=python python tests/exchange/exported_graphs.py --write folder
    python tests/exchange/exported_graphs.py --onnx folder
    python tests/exchange/exported_graphs.py --mindir folder
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

TRAIN = Path(__file__).resolve().parent.parent / "train"


def write(folder: Path) -> None:
    """Writes files of both kinds, and what goes in and comes out."""
    sys.path.insert(0, str(TRAIN))
    import looping_networks
    import test_onnx_open_sizes

    import mindspore as ms

    cases = {
        name: (make(), looping_networks.inputs_of(name)) for name, (make, _) in looping_networks.CASES.items()
    }
    opened = {**test_onnx_open_sizes.OPEN, **test_onnx_open_sizes.MORE}
    for name, (net, inputs) in cases.items():
        stem = str(folder / name.replace(" ", "_"))
        for kind in ("ONNX", "MINDIR"):
            ms.export(net, *inputs[0], file_name=stem, file_format=kind)
        _keep(stem, net, inputs, looping_networks.arrays)
    for name, (make, given, inputs) in opened.items():
        net = make()
        stem = str(folder / f"open_{name}".replace(" ", "_"))
        for kind in ("ONNX", "MINDIR") if name in test_onnx_open_sizes.OPEN else ("ONNX",):
            ms.export(net, given, file_name=stem, file_format=kind)
        net = net.set_train(False) if hasattr(net, "set_train") else net
        _keep(stem, net, [(x,) for x in inputs], looping_networks.arrays)


def _keep(stem: str, net, inputs: list[tuple], arrays) -> None:
    kept = {}
    for i, given in enumerate(inputs):
        kept.update({f"in_{i}_{j}": one.asnumpy() for j, one in enumerate(given)})
        kept.update({f"out_{i}_{j}": one for j, one in enumerate(arrays(net(*given)))})
    np.savez(f"{stem}.npz", **kept)


def _calls(stem: Path) -> list[tuple[list, list]]:
    kept = np.load(stem.with_suffix(".npz"))
    count = len({name.split("_")[1] for name in kept})

    def part(kind: str, i: int) -> list:
        names = [name for name in kept if name.startswith(f"{kind}_{i}_")]
        return [kept[name] for name in sorted(names, key=lambda name: int(name.rpartition("_")[2]))]

    return [(part("in", i), part("out", i)) for i in range(count)]


def _compare(path: Path, run) -> None:
    try:
        for given, wanted in _calls(path):
            found = run(given)
            assert len(found) == len(wanted), (len(found), len(wanted))
            for got, expected in zip(found, wanted, strict=False):
                np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-4, atol=1e-5)
    except Exception as failure:
        print(json.dumps({"case": path.name, "failure": f"{type(failure).__name__}: {str(failure)[:600]}"}))
    else:
        print(json.dumps({"case": path.name}))


def run_onnx(folder: Path) -> None:
    """Checks files and runs them in ONNX Runtime."""
    import onnx
    import onnxruntime

    for path in sorted(folder.glob("*.onnx")):
        onnx.checker.check_model(str(path), full_check=True)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        names = [one.name for one in session.get_inputs()]
        _compare(path, lambda given: session.run(None, dict(zip(names, given, strict=False))))  # noqa: B023


def run_mindir(folder: Path) -> None:
    """Runs files in the package of this interpreter."""
    import mindspore as ms
    from mindspore import nn

    for path in sorted(folder.glob("*.mindir")):

        def run(given):
            results = nn.GraphCell(ms.load(str(path)))(*map(ms.Tensor, given))  # noqa: B023
            return [one.asnumpy() for one in (results if isinstance(results, tuple) else (results,))]

        _compare(path, run)


if __name__ == "__main__":
    task, target = sys.argv[1], Path(sys.argv[2])
    target.mkdir(exist_ok=True)
    if task == "--write":
        write(target)
    elif task == "--onnx":
        run_onnx(target)
    else:
        run_mindir(target)
