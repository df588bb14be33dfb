# SPDX-License-Identifier: Apache-2.0
"""Runs the ONNX models of a folder with ONNX Runtime, after `onnx.checker` has looked at them.

One line of JSON is printed for each case; see networks.py for what a case is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime


def largest_difference(folder: Path) -> dict:
    """The largest difference of the outputs of all runs."""
    path = str(folder / "net.onnx")
    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]
    with np.load(folder / "io.npz") as file:
        stored = dict(file)
    runs = sorted({key.partition(".")[0] for key in stored})
    worst = 0.0
    for run in runs:
        given = {name: stored[f"{run}.in{place}"] for place, name in enumerate(names)}
        for place, got in enumerate(session.run(None, given)):
            wanted = stored[f"{run}.out{place}"]
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
            worst = max(worst, float(np.abs(got.astype(np.float64) - wanted).max())) if wanted.size else worst
    return {"runs": len(runs), "difference": worst}


def main() -> None:
    """The command."""
    for folder in sorted(path.parent for path in Path(sys.argv[1]).glob("*/io.npz")):
        try:
            told = {"case": folder.name, **largest_difference(folder)}
        except Exception as failure:
            told = {"case": folder.name, "failure": f"{type(failure).__name__}: {failure}"[:600]}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
