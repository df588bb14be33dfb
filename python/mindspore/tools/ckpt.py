# SPDX-License-Identifier: Apache-2.0
"""Looks at files of weights.

python -m mindspore.tools.ckpt ls net.ckpt
python -m mindspore.tools.ckpt stats net.ckpt
python -m mindspore.tools.ckpt diff old.ckpt new.safetensors
python -m mindspore.tools.ckpt verify net.ckpt
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.tools._weights import FORMATS, entries_of, format_of, without_place

_LONGEST_TEXT = 60


@dataclass
class Source:
    """A file and how it is read."""

    path: str
    kind: str | None = None  # by its name
    key: bytes | None = None
    mode: str = "AES-GCM"

    def entries(self) -> dict[str, Callable]:
        """What reads each entry, by name: one is in memory at a time."""
        return entries_of(self.path, self.kind, self.key, self.mode)


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


def listing(source: Source) -> str:
    """Name, type, shape and size of every array; texts and single numbers as they are."""
    rows = [("name", "type", "shape", "size", "value")]
    arrays = elements = total = 0
    for name, read in source.entries().items():
        value = read()
        if not isinstance(value, Tensor):
            rows.append((name, *_other(value)))
            continue
        shown = str(_numbers(value)) if value.ndim == 0 else ""
        rows.append((name, str(value.dtype), str(tuple(value.shape)), _bytes(value.nbytes), shown))
        arrays, elements, total = arrays + 1, elements + value.size, total + value.nbytes
    return f"{_table(rows)}\n{arrays} arrays, {elements:,} elements, {_bytes(total)}"


def _other(value) -> tuple[str, ...]:
    if isinstance(value, str):
        shown = value if len(value) <= _LONGEST_TEXT else value[:_LONGEST_TEXT] + "..."
        return "str", "", f"{len(value)} chars", repr(shown)
    rows = len(value[0])
    return "map", f"{rows} rows", _bytes(sum(array.nbytes for array in value)), ""


def statistics(source: Source) -> str:
    """Mean, deviation, extremes, and what is no finite number, of every array."""
    rows = [("name", "shape", "mean", "deviation", "smallest", "largest", "zeros", "not finite")]
    for name, read in source.entries().items():
        value = read()
        if not isinstance(value, Tensor):
            continue
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


def difference(first: Source, second: Source, tolerance: float) -> tuple[str, bool]:
    """What differs between two files, and whether something does."""
    left, right = first.entries(), second.entries()
    rows, same = [("name", "difference")], 0
    for name in [*left, *(name for name in right if name not in left)]:
        if name not in left or name not in right:
            rows.append((name, f"only in {(first if name in left else second).path}"))
            continue
        what = _difference(left[name](), right[name](), tolerance)
        if what:
            rows.append((name, what))
        same += not what
    if len(rows) == 1:
        return f"{same} entries, all equal", False
    return f"{_table(rows)}\n{same} entries are equal, {len(rows) - 1} differ", True


def _difference(a, b, tolerance: float) -> str:
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return "" if _is_same(a, b) else f"{_shown(a)} and {_shown(b)}"
    if a.shape != b.shape:
        return f"shape {tuple(a.shape)} and {tuple(b.shape)}"
    if a.dtype != b.dtype:
        return f"type {a.dtype} and {b.dtype}"
    x, y = _numbers(a), _numbers(b)
    equal = (x == y) | ((x != x) & (y != y))
    if equal.all():
        return ""
    kind = np.complex128 if x.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore"):
        gaps = np.abs(x.astype(kind) - y.astype(kind))[~equal]
    worst = float(np.nanmax(gaps)) if not np.isnan(gaps).all() else float("nan")
    if not np.isnan(gaps).any() and worst <= tolerance:
        return ""
    return f"{gaps.size} of {x.size} elements, by up to {worst:.6g}"


def _is_same(a, b) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and a == b


def _shown(value) -> str:
    return repr(value[:_LONGEST_TEXT]) if isinstance(value, str) else f"a {type(value).__name__}"


def verification(source: Source) -> str:
    """Reads all of a file and compares its checksum, if it has one.

    Raises:
        ValueError: The file is damaged.
    """
    kind = source.kind or format_of(source.path)
    count = 0
    for read in source.entries().values():
        read()
        count += 1
    checked, intact = kind == "npz", True  # each array of an archive has a checksum, which reading compares
    if kind == "ckpt":
        file = _c.CheckpointFile(source.path, source.key or b"", source.mode)
        checked, intact = file.has_checksum(), file.is_intact()
    elif kind == "safetensors":
        file = _c.SafetensorsFile(source.path)
        stated = dict(file.metadata()).get("crc_num")
        checked = stated is not None
        intact = not checked or stated in (str(file.checksum()), str(file.checksum(like_others=True)))
    if not intact:
        raise ValueError(f"'{source.path}' does not fit its checksum: it is damaged.")
    return f"{count} entries, {'the checksum fits' if checked else 'there is no checksum to compare'}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mindspore.tools.ckpt",
        description="Looks at files of weights: .ckpt, .safetensors, .npz, .pth, .pt, .bin and .onnx.",
        epilog="Exit status: 0, 1 when 'diff' finds a difference, 2 when a file cannot be read.",
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--format", choices=FORMATS, help="format of the files, where names do not tell")
    common.add_argument("--key-file", help="file with the key of encrypted .ckpt files")
    common.add_argument("--key-mode", default="AES-GCM", help="AES-GCM (default), AES-CBC or SM4-CBC")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, text in (
        ("ls", "names, types, shapes and sizes"),
        ("stats", "mean, deviation, extremes, zeros and what is not finite, of every array"),
        ("verify", "reads everything and compares the checksum"),
    ):
        one = commands.add_parser(name, help=text, description=text.capitalize() + ".", parents=[common])
        one.add_argument("file", help="file of weights")
    text = "what differs between two files, of one format or two"
    diff = commands.add_parser("diff", help=text, description=text.capitalize() + ".", parents=[common])
    diff.add_argument("first", help="file of weights")
    diff.add_argument("second", help="file of weights")
    diff.add_argument("--tolerance", type=float, default=0.0, help="differences up to this are none")
    return parser


def _run(options: argparse.Namespace) -> int:
    key = None
    if options.key_file:
        with open(options.key_file, "rb") as file:
            key = file.read()

    def source(path: str) -> Source:
        return Source(path, options.format, key, options.key_mode)

    if options.command == "diff":
        text, differs = difference(source(options.first), source(options.second), options.tolerance)
        print(text)
        return int(differs)
    print(_COMMANDS[options.command](source(options.file)))
    return 0


_COMMANDS = {"ls": listing, "stats": statistics, "verify": verification}


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    options = _parser().parse_args(arguments)
    try:
        status = _run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever reads the table has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        hint = " Give the key with --key-file and --key-mode." if "'dec_key'" in str(error) else ""
        print(f"ckpt: {without_place(error)}{hint}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
