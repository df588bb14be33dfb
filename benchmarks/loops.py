# SPDX-License-Identifier: Apache-2.0
"""Times loops that values decide, in PyNative mode, compiled two ways and in PyTorch; writes LOOP_RESULTS.md.

Sides are processes that take turns, round by round; a number is the median of the rounds. PyTorch lives in an
environment of its own: say where with --peer-python.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from loop_worker import TURNS  # noqa: E402

from run import Process  # noqa: E402

SIDES = ("ours-eager", "ours-graph", "ours-while", "peer-eager")
LOOPS = {  # the one that needs most memory comes first: none is left over from others
    "gradient": "256 states of 256 go through a matrix and tanh, and the gradient comes back",
    "scalars": "two single numbers",
    "table": "a row of a table of 4 MB is written, and one read",
    "decoding": "a text is continued to its end with kept keys and values (2 layers, width 128)",
}


def measure(sides: dict[str, Process], loop: str, rounds: int) -> tuple[dict[str, float], dict[str, int]]:
    """Median seconds of every side, and bytes that the first call has needed; all must have computed the
    same."""
    results = {name: side.ask("prepare", loop=loop) for name, side in sides.items()}
    for name, answer in results.items():
        if "error" in answer:
            raise SystemExit(f"{name}, {loop}: {answer['error']}")
    first = results[SIDES[0]]["result"]
    for name, answer in results.items():
        if any(abs(a - b) > 1e-3 * max(1, abs(b)) for a, b in zip(answer["result"], first, strict=True)):
            raise SystemExit(f"{name}, {loop}: another result than that of {SIDES[0]}")
    times: dict[str, list[float]] = {name: [] for name in SIDES}
    for number in range(rounds):
        turn = number % len(SIDES)
        for name in SIDES[turn:] + SIDES[:turn]:
            time.sleep(0.01)  # threads of the other side stop waiting actively
            times[name].append(sides[name].ask("measure")["seconds"])
    medians = {name: statistics.median(values) for name, values in times.items()}
    return medians, {name: answer["bytes"] for name, answer in results.items()}


def row(loop: str, seconds: dict[str, float], most: dict[str, int]) -> str:
    eager, node, own, peer = (seconds[name] / TURNS[loop] * 1e6 for name in SIDES)
    memory = " / ".join(f"{most[name] / 1e6:.0f}" for name in SIDES)
    return (
        f"| {loop} | {LOOPS[loop]} | {TURNS[loop]:,} | {eager:.2f} | {node:.2f} | {own:.2f} | {peer:.2f} "
        f"| {eager / node:.1f} / {eager / own:.1f} | {peer / node:.1f} / {peer / own:.1f} | {memory} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    sides = {
        name: Process(
            options.peer_python if name.startswith("peer") else sys.executable,
            name,
            options.threads,
            True,
            "loop_worker.py",
        )
        for name in SIDES
    }
    versions = sorted({side.ask("hello")["version"] for side in sides.values()})
    rows = []
    for loop in LOOPS:
        rows.append(row(loop, *measure(sides, loop, options.rounds)))
        print(rows[-1], flush=True)
    for side in sides.values():
        side.close()
    text = [
        "# Loops that values decide",
        "",
        f"Made by `benchmarks/loops.py`: medians of {options.rounds} interleaved rounds on {options.threads} "
        "threads, in microseconds for one turn: in PyNative mode, compiled as `ops.WhileLoop` (one node from "
        "the first call on), compiled as a `while` of Python's own (one node once it is hot), "
        "and in PyTorch's eager mode. The columns behind say how many times as fast the two compiled loops "
        "are, and by how many MB the first calls let the process grow (in the order of the columns; compiling"
        " is part of it).",
        "",
        f"{', '.join(versions)}.",
        "",
        "| loop | what a turn does | turns | PyNative | WhileLoop | while | PyTorch | of PyNative "
        "| of PyTorch | MB |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *rows,
        "",
    ]
    (HERE / "LOOP_RESULTS.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
