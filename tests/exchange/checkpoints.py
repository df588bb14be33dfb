# SPDX-License-Identifier: Apache-2.0
"""Writes and reads checkpoint files with the package of this interpreter, whichever release that is.

One line of JSON is printed for each file that is read::

    python checkpoints.py --write folder
    python checkpoints.py --read folder
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

KEY = b"0123456789abcdef"
DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]
# How a file is written and read; nothing here may need what the other release does not have.
CASES = {
    "plain.ckpt": {},
    "crc.ckpt": {"crc_check": True},
    "gcm.ckpt": {"enc_key": KEY},
    "cbc.ckpt": {"enc_key": KEY, "enc_mode": "AES-CBC"},
    "plain.safetensors": {"format": "safetensors"},
    "crc.safetensors": {"format": "safetensors", "crc_check": True},
}

NO_HALF = "crc.safetensors"  # the other release has no checksum of bfloat16 there


def arrays(with_empty: bool) -> dict[str, np.ndarray]:
    """What is written: every type, with two axes, one and none."""
    random = np.random.default_rng(5)
    found = {}
    for name in DTYPES:
        values = random.integers(0, 100, (3, 5)).astype(name)
        found[f"{name}.matrix"], found[f"{name}.one"], found[f"{name}.none"] = (
            values,
            values[0, :1],
            values[0, 0],
        )
    found["ü.名"] = random.standard_normal((2, 2)).astype(np.float32)
    if with_empty:
        found["empty"] = np.zeros((0, 3), np.float32)
    return {name: np.asarray(value) for name, value in found.items()}


def write(folder: Path) -> None:
    """Writes all cases with the package of this interpreter."""
    import mindspore as ms

    for case, settings in CASES.items():
        entries = [
            {"name": name, "data": ms.Tensor(value)}
            for name, value in arrays(case.endswith("safetensors")).items()
        ]
        if case != NO_HALF:
            entries.append({"name": "half", "data": ms.Tensor([1.5, -2.0], ms.bfloat16)})
        append = {"epoch": 3, "rate": 0.5, "flag": True}
        if case.endswith("ckpt"):
            append["text"] = "grün"
        ms.save_checkpoint(entries, str(folder / case), append_dict=append, **settings)


def read(folder: Path) -> None:
    """Reads all cases with the package of this interpreter."""
    for case, settings in CASES.items():
        try:
            print(json.dumps({"case": case, "runs": _compared(folder / case, settings), "difference": 0.0}))
        except Exception as failure:
            print(json.dumps({"case": case, "failure": f"{type(failure).__name__}: {failure}"[:600]}))


def _compared(path: Path, settings: dict) -> int:
    import mindspore as ms

    case, renamed = path.name, {"enc_key": "dec_key", "enc_mode": "dec_mode"}
    found = ms.load_checkpoint(
        str(path), **{renamed.get(name, name): value for name, value in settings.items()}
    )
    expected = arrays(case.endswith("safetensors"))
    expected |= {"epoch": np.int64(3), "rate": np.float32(0.5), "flag": np.bool_(True)}
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name].asnumpy(), value, f"{case}: {name}")
        assert found[name].asnumpy().dtype == value.dtype, (case, name)
    if case != NO_HALF:
        np.testing.assert_array_equal(found["half"].astype(ms.float32).asnumpy(), [1.5, -2.0])
    assert case.endswith("safetensors") or found["text"] == "grün"
    return len(found)


if __name__ == "__main__":
    (write if sys.argv[1] == "--write" else read)(Path(sys.argv[2]))
