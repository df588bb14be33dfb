# SPDX-License-Identifier: Apache-2.0
"""Exchanges files with other programs, in both directions, and compares what they read.

Not part of the default run, because each of them needs an environment of its own: another release of the
package, and PyTorch with ONNX and ONNX Runtime. What is not given is left out::

    python tests/exchange/run.py --mindspore path/to/its/python --torch path/to/its/python

A table tells how many cases of each kind agree; each one that does not is told after it, and the exit status
is 1 then.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
OURS = "this package"


@dataclass
class Row:
    """One line of the table."""

    what: str
    writer: str
    reader: str
    cases: list[dict] = field(default_factory=list)

    def failed(self) -> list[dict]:
        """Cases that differ."""
        return [case for case in self.cases if "failure" in case]


class Sides:
    """The interpreters."""

    def __init__(self, given: argparse.Namespace):
        self._programs = {OURS: sys.executable, "MindSpore": given.mindspore, "PyTorch": given.torch}
        self._clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        folders = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        self._own = {**self._clean, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, folders))}

    def has(self, *names: str) -> bool:
        """Whether all of these are given."""
        return all(self._programs[name] for name in names)

    def run(self, side: str, script: str, *arguments: str, cwd: str) -> list[dict]:
        """What a script says of each case; a script that ends badly is a case too."""
        environment = self._own if side == OURS else self._clean
        command = [self._programs[side], str(HERE / script), *arguments]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
        told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"case"')]
        if done.returncode:
            text = f"{script} ended with {done.returncode} at {side}: {done.stderr[-1500:]}"
            told.append({"case": " ".join(arguments[:2]), "failure": text})
        return told


def exchanged(sides: Sides, what: str, writer: tuple, reader: tuple) -> Row:
    """Files written by one side and read by another; each is a side, its script and arguments."""
    row = Row(what, writer[0], reader[0])
    with tempfile.TemporaryDirectory() as folder:
        written = sides.run(*writer, folder, cwd=folder)
        row.cases = [case for case in written if "failure" in case]
        row.cases += sides.run(*reader, folder, cwd=folder)
    return row


def rows(sides: Sides):
    """Every exchange for which the interpreters are there."""
    there, back = (OURS, "MindSpore"), ("MindSpore", OURS)
    if sides.has("MindSpore"):
        for writer, reader in (there, back):
            write, read = (writer, "checkpoints.py", "--write"), (reader, "checkpoints.py", "--read")
            yield exchanged(sides, ".ckpt, .safetensors", write, read)
        for writer, reader in (there, back):
            write, read = (
                (writer, "networks.py", "write", "MINDIR"),
                (reader, "networks.py", "read", "MINDIR"),
            )
            yield exchanged(sides, "MindIR", write, read)
        read = ("MindSpore", "exported_graphs.py", "--mindir")
        yield exchanged(sides, "MindIR with loops", (OURS, "exported_graphs.py", "--write"), read)
    if sides.has("PyTorch"):
        read = ("PyTorch", "exported_graphs.py", "--onnx")
        yield exchanged(sides, "ONNX with loops", (OURS, "exported_graphs.py", "--write"), read)
        write = (OURS, "networks.py", "write", "ONNX")
        yield exchanged(sides, "ONNX by ONNX Runtime", write, ("PyTorch", "onnx_runtime.py"))
        write, read = ("PyTorch", "torch_files.py", "torch_writes"), (OURS, "torch_files.py", "package_reads")
        yield exchanged(sides, ".pth, .pt, .bin", write, read)
        write, read = (OURS, "torch_files.py", "package_writes"), ("PyTorch", "torch_files.py", "torch_reads")
        yield exchanged(sides, ".pth", write, read)
        write, read = (
            ("PyTorch", "torch_resnet.py", "torch_writes"),
            (OURS, "torch_resnet.py", "package_reads"),
        )
        yield exchanged(sides, "ResNet-50, converted", write, read)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mindspore", help="interpreter with another release of the package")
    parser.add_argument("--torch", help="interpreter with PyTorch, onnx and onnxruntime")
    sides = Sides(parser.parse_args())
    found = []
    print(f"{'what':22} {'written by':14} {'read by':14} {'agree':>9} {'largest difference':>20}")
    for row in rows(sides):
        worst = max((case.get("difference", 0.0) for case in row.cases), default=0.0)
        agree = f"{len(row.cases) - len(row.failed())} of {len(row.cases)}"
        print(f"{row.what:22} {row.writer:14} {row.reader:14} {agree:>9} {worst:>20.2g}", flush=True)
        found.append(row)
    for row in found:
        for case in row.failed():
            print(f"\n{row.what}, {row.writer} -> {row.reader}, {case['case']}:\n  {case['failure']}")
    return int(not found or any(row.failed() for row in found))


if __name__ == "__main__":
    sys.exit(main())
