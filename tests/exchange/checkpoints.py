# SPDX-License-Identifier: Apache-2.0
"""Exchanges checkpoint files with another release of the package, in both directions.

Not part of the default run, because it needs that release in an environment of its own::

    python tests/exchange/checkpoints.py --other path/to/its/python
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
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


def read(folder: Path) -> int:
    """Reads all cases with the package of this interpreter; returns how many entries were compared."""
    import mindspore as ms

    count = 0
    for case, settings in CASES.items():
        renamed = {"enc_key": "dec_key", "enc_mode": "dec_mode"}
        found = ms.load_checkpoint(
            str(folder / case), **{renamed.get(name, name): value for name, value in settings.items()}
        )
        expected = arrays(case.endswith("safetensors"))
        expected |= {"epoch": np.int64(3), "rate": np.float32(0.5), "flag": np.bool_(True)}
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name].asnumpy(), value, f"{case}: {name}")
            assert found[name].asnumpy().dtype == value.dtype, (case, name)
        if case != NO_HALF:
            np.testing.assert_array_equal(found["half"].astype(ms.float32).asnumpy(), [1.5, -2.0])
        assert case.endswith("safetensors") or found["text"] == "grün"
        count += len(found)
    return count


def main() -> int:
    """Runs itself with both interpreters."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--other", help="interpreter that has the other release")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write(given.write)
        return 0
    if given.read:
        print(read(given.read))
        return 0
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    sides = {"ours": (sys.executable, os.environ), "other": (given.other, clean)}
    for writer, reader in (("ours", "other"), ("other", "ours"), ("ours", "ours")):
        with tempfile.TemporaryDirectory() as folder:
            for side, action in ((writer, "--write"), (reader, "--read")):
                python, environment = sides[side]
                command = [python, os.path.abspath(__file__), action, folder]
                done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
                if done.returncode:
                    print(f"{action[2:]} by {side} failed:\n{done.stderr[-3000:]}")
                    return 1
            entries = done.stdout.split()[-1]
            print(f"written by {writer}, read by {reader}: {len(CASES)} files, {entries} entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
