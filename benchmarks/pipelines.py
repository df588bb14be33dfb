# SPDX-License-Identifier: Apache-2.0
"""Rows per second of data pipelines beside PyTorch's DataLoader and MindSpore, and the limits of the machine.

    python benchmarks/pipelines.py --peer-python PYTHON [--mindspore-python PYTHON] [--only jpeg,rows]

The peers live in environments of their own (torch and torchvision; the mindspore wheel). Sides take turns,
round by round; a number is the best round. Writes DATA_RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

JPEG_FILES = 256
RECORD_MB = 512
ROW_BYTES = 128 << 10

# Case: title, what it is held to against torch (its best setting), against MindSpore, against the limit.
CASES = {
    "rows": ("Python rows of an array and a number, batches of 64", 3.0, None, None),
    "rows 2 workers": ("the same with two worker processes", 3.0, None, None),
    "map 2 workers": (
        "a Python function mapped over small rows in two worker processes, batches of 64",
        1.2,
        None,
        None,
    ),
    "arrays": ("arrays in memory, shuffled, batches of 64", 5.0, None, None),
    "record": (
        "MindRecord rows of 128 KB in order, as views, MB/s; the limit is a plain read of the file",
        None,
        None,
        0.8,
    ),
    "jpeg": (
        "JPEG of 500x375: decode, RandomResizedCrop(224), flip, normalise, batches of 64; "
        "the limit is decoding alone",
        3.0,
        2.0,
        0.75,
    ),
}


def make_files(folder: pathlib.Path) -> None:
    """The pictures as a folder of one class, and a MindRecord file."""
    from image_pass import made_picture

    pictures = folder / "pictures" / "class"
    pictures.mkdir(parents=True)
    for seed in range(JPEG_FILES):
        (pictures / f"{seed:04}.jpg").write_bytes(made_picture(seed % 32).tobytes())
    from mindspore.mindrecord import FileWriter

    writer = FileWriter(str(folder / "record"), 1)
    writer.add_schema({"data": {"type": "bytes"}, "label": {"type": "int32"}})
    random = np.random.default_rng(0)
    for begin in range(0, RECORD_MB * 8, 64):
        rows = [{"data": random.bytes(ROW_BYTES), "label": begin + i} for i in range(64)]
        writer.write_raw_data(rows)
    writer.commit()


def raw_read(folder: pathlib.Path) -> float:
    """MB/s of reading the file into one buffer again and again: the fastest way to read it all."""
    buffer = bytearray(1 << 20)
    begin = time.perf_counter()
    size = 0
    with open(folder / "record", "rb", buffering=0) as file:
        while count := file.readinto(buffer):
            size += count
    return size / (time.perf_counter() - begin) / 1e6


def decode_alone(folder: pathlib.Path) -> float:
    """Pictures per second of decoding whole files on two threads."""
    import concurrent.futures

    from mindspore.dataset import vision

    decode = vision.Decode()._native()
    files = [np.fromfile(path, np.uint8) for path in sorted((folder / "pictures" / "class").iterdir())]

    def run(part: int) -> None:
        for data in files[part::2]:
            decode.apply([data], 0, 0)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        begin = time.perf_counter()
        list(pool.map(run, range(2)))
        return len(files) / (time.perf_counter() - begin)


def ask(python: str, side: str, case: str, folder: pathlib.Path) -> dict:
    """One measurement of one side, in a process of its own."""
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    path = environment.pop("PYTHONPATH", None)
    if side == "ours" and path is not None:
        environment["PYTHONPATH"] = os.path.abspath(path)
    done = subprocess.run(
        [python, str(HERE / f"pipelines_{side}.py"), case, str(folder)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=False,
    )
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1:]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def best(results: list[dict]) -> float | None:
    rates = [result["rate"] for result in results if "rate" in result]
    return max(rates) if rates else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer-python", required=True, help="interpreter that has torch and torchvision")
    parser.add_argument("--mindspore-python", help="interpreter that has the mindspore wheel")
    parser.add_argument("--only", default="", help="some of " + ", ".join(CASES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", default=str(HERE / "DATA_RESULTS.md"))
    options = parser.parse_args()
    chosen = [case.strip() for case in options.only.split(",") if case.strip()] or list(CASES)
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_files(folder)
        for case in chosen:
            lines.append(measure(case, folder, options))
            print(json.dumps(lines[-1]), flush=True)
    if options.output != "-":
        write_page(lines, pathlib.Path(options.output))


def measure(case: str, folder: pathlib.Path, options: argparse.Namespace) -> dict:
    """All sides of a case, in turns."""
    sides = {"ours": sys.executable}
    if case != "record":
        sides["torch"] = options.peer_python
    if options.mindspore_python and case in ("jpeg", "record"):
        sides["mindspore"] = options.mindspore_python
    results: dict[str, list[dict]] = {side: [] for side in sides}
    limits = []
    for _ in range(options.rounds):
        for side, python in sides.items():
            results[side].append(ask(python, side, case, folder))
        if case in ("record", "jpeg"):
            limits.append({"rate": raw_read(folder) if case == "record" else decode_alone(folder)})
    line = {"case": case, **{side: best(found) for side, found in results.items()}, "limit": best(limits)}
    errors = {side: found[-1]["error"] for side, found in results.items() if "error" in found[-1]}
    return {**line, "errors": errors} if errors else line


def write_page(lines: list[dict], path: pathlib.Path) -> None:
    """The table, with what each case is held to."""

    def cell(line: dict, side: str, bar: float | None) -> str:
        rate = line.get(side)
        if rate is None:
            return ""
        ratio = line["ours"] / rate
        return f"{rate:,.0f} | {ratio:.2f}{'' if bar is None else f' (bar {bar})'}"

    text = [
        "# Data pipelines\n",
        "Made by `benchmarks/pipelines.py`: rows (or MB) per second, the best round of each side; ratios are",
        "ours over theirs, above 1 we are faster. Torch is its DataLoader at its best number of workers, up",
        "to two.\n",
        "| pipeline | ours | torch | ratio | MindSpore 2.7 | ratio | limit | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for line in lines:
        title, torch_bar, mindspore_bar, limit_bar = CASES[line["case"]]
        cells = [
            cell(line, "torch", torch_bar) or " | ",
            cell(line, "mindspore", mindspore_bar) or " | ",
            cell(line, "limit", limit_bar) or " | ",
        ]
        text.append(f"| {title} | {line['ours']:,.0f} | {' | '.join(cells)} |")
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
