# SPDX-License-Identifier: Apache-2.0
"""Looks at files of weights.

python -m mindspore.tools.ckpt ls net.ckpt
python -m mindspore.tools.ckpt stats net.ckpt
python -m mindspore.tools.ckpt diff old.ckpt new.safetensors
python -m mindspore.tools.ckpt verify net.ckpt
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.tools._weights import format_of, read_weights


def _bytes(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.2f} GiB"


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _numbers(tensor: Tensor) -> np.ndarray:
    """The elements in a type NumPy can compute with."""
    if tensor.dtype in (mstype.float16, mstype.bfloat16):
        tensor = tensor.astype(mstype.float32)
    return tensor.asnumpy()


def listing(path: str) -> str:
    """Name, type, shape and size of every array."""
    weights = read_weights(path)
    rows = [("name", "type", "shape", "size")]
    for name, value in weights.items():
        rows.append((name, str(value.dtype), str(tuple(value.shape)), _bytes(value.nbytes)))
    total = sum(value.nbytes for value in weights.values())
    elements = sum(value.size for value in weights.values())
    return f"{_table(rows)}\n{len(weights)} arrays, {elements:,} elements, {_bytes(total)}"


def statistics(path: str) -> str:
    """Mean, deviation, extremes, and what is no finite number, of every array."""
    rows = [("name", "shape", "mean", "deviation", "smallest", "largest", "zeros", "not finite")]
    for name, value in read_weights(path).items():
        array = _numbers(value)
        if array.size == 0:
            rows.append((name, str(array.shape), *["-"] * 6))
            continue
        is_complex = array.dtype.kind == "c"
        finite = array[np.isfinite(array)] if array.dtype.kind in "fc" else array
        measured = np.abs(finite) if is_complex else finite.astype(np.float64)
        of_all = (np.mean, np.std, np.min, np.max)
        spread = [f"{function(measured):.6g}" if finite.size else "-" for function in of_all]
        zeros = f"{100 * np.count_nonzero(array == 0) / array.size:.1f} %"
        rows.append((name, str(array.shape), *spread, zeros, str(array.size - finite.size)))
    return _table(rows)


def difference(first: str, second: str, tolerance: float) -> tuple[str, bool]:
    """What differs between two files, and whether something does."""
    left, right = read_weights(first), read_weights(second)
    rows = [("name", "difference")]
    for name in [*left, *(name for name in right if name not in left)]:
        what = _difference(left.get(name), right.get(name), first, second, tolerance)
        if what:
            rows.append((name, what))
    same = len(set(left) & set(right)) - sum(1 for name, _ in rows[1:] if name in left and name in right)
    if len(rows) == 1:
        return f"{same} arrays, all equal", False
    return f"{_table(rows)}\n{same} arrays are equal, {len(rows) - 1} differ", True


def _difference(a: Tensor | None, b: Tensor | None, first: str, second: str, tolerance: float) -> str:
    if a is None or b is None:
        return f"only in {second if a is None else first}"
    if a.shape != b.shape:
        return f"shape {tuple(a.shape)} and {tuple(b.shape)}"
    if a.dtype != b.dtype:
        return f"type {a.dtype} and {b.dtype}"
    x, y = _numbers(a), _numbers(b)
    equal = (x == y) | ((x != x) & (y != y))
    if equal.all():
        return ""
    kind = np.complex128 if x.dtype.kind == "c" else np.float64
    worst = float(np.nanmax(np.abs(x.astype(kind) - y.astype(kind))))
    if worst <= tolerance:
        return ""
    return f"{np.count_nonzero(~equal)} of {x.size} elements, by up to {worst:.6g}"


def verification(path: str) -> str:
    """Reads all of a file and compares its checksum, if it has one.

    Raises:
        ValueError: The file is damaged.
    """
    kind = format_of(path)
    count = len(read_weights(path))
    if kind == "ckpt":
        file = _c.CheckpointFile(path, b"", "AES-GCM")
        checked, intact = file.has_checksum(), file.is_intact()
    elif kind == "safetensors":
        file = _c.SafetensorsFile(path)
        stated = dict(file.metadata()).get("crc_num")
        checked = stated is not None
        pairs = [(name, file.tensor(number)) for number, name in enumerate(file.names())]
        intact = not checked or int(stated) in (file.checksum(), _c.safetensors_checksum(pairs))
    else:
        checked, intact = False, True
    if not intact:
        raise ValueError(f"'{path}' does not fit its checksum: it is damaged.")
    return f"{count} arrays, {'the checksum fits' if checked else 'there is no checksum to compare'}"


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m mindspore.tools.ckpt", description="Looks at weights.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("ls", "names, types, shapes and sizes"),
        ("stats", "mean, deviation, extremes of every array"),
        ("verify", "reads everything and compares the checksum"),
    ):
        commands.add_parser(name, help=text).add_argument("file")
    diff = commands.add_parser("diff", help="what differs between two files")
    diff.add_argument("first")
    diff.add_argument("second")
    diff.add_argument("--tolerance", type=float, default=0.0, help="differences up to this are none")
    options = parser.parse_args(arguments)
    try:
        if options.command == "diff":
            text, differs = difference(options.first, options.second, options.tolerance)
            print(text)
            return int(differs)
        print({"ls": listing, "stats": statistics, "verify": verification}[options.command](options.file))
    except (ValueError, OSError) as error:
        print(f"ckpt: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
