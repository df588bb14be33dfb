# SPDX-License-Identifier: Apache-2.0
"""Times optimizer steps beside PyTorch's two ways of running them and writes OPTIMIZER_RESULTS.md.

The parameters are those of ResNet-50 and GPT-2 small, all gradients are there. Sides are processes that take
turns, round by round; a number is the median of the rounds. PyTorch lives in an environment of its own: say
where with --peer-python.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from optimizer_worker import BYTES, NETWORKS, STREAM  # noqa: E402

from run import Process  # noqa: E402

SIDES = ("ours-eager", "ours-graph", "peer-foreach", "peer-fused")
BAR = 1.2


class Comparison:
    """All sides and what they measured."""

    def __init__(self, options: argparse.Namespace, threads: int) -> None:
        self.options = options
        self.sides = {
            name: Process(
                options.peer_python if name.startswith("peer") else sys.executable,
                name,
                threads,
                options.quiet,
                "optimizer_worker.py",
            )
            for name in SIDES
        }
        self.versions = sorted({side.ask("hello")["version"] for side in self.sides.values()})

    def measure(self, network: str, optimizer: str) -> dict:
        """Medians and fastest rounds of every side, in seconds."""
        for name, side in self.sides.items():
            answer = side.ask("prepare", network=network, optimizer=optimizer, seconds=self.options.seconds)
            if "error" in answer:
                raise SystemExit(f"{name}, {network}, {optimizer}: {answer['error']}")
        times: dict[str, list[float]] = {name: [] for name in SIDES}
        for number in range(rounds_of(network, self.options.rounds)):
            turn = number % len(SIDES)
            for name in SIDES[turn:] + SIDES[:turn]:
                time.sleep(0.01)  # threads of the other side stop waiting actively
                times[name].append(self.sides[name].ask("measure")["seconds"])
        for side in self.sides.values():
            side.ask("forget")
        return {
            "network": network,
            "optimizer": optimizer,
            "median": {name: statistics.median(taken) for name, taken in times.items()},
            "best": {name: min(taken) for name, taken in times.items()},
        }

    def close(self) -> None:
        for side in self.sides.values():
            side.close()


def rounds_of(network: str, rounds: int) -> int:
    """More of them where they are short: what the memory gives varies from moment to moment."""
    return rounds if network == "stream" else rounds * max(1, round(1e8 / elements(network)))


def speed(times: dict) -> float:
    """The peer's faster way over our faster mode."""
    ours = min(times["ours-eager"], times["ours-graph"])
    return min(times["peer-foreach"], times["peer-fused"]) / ours


def elements(network: str) -> int:
    return sum(math.prod(shape) for shape in NETWORKS[network]())


def least_seconds(line: dict, bandwidth: float) -> float:
    """What the memory needs for the step at least."""
    return elements(line["network"]) * BYTES[line["optimizer"]] / bandwidth


def row(line: dict, bandwidth: float) -> str:
    shown = " | ".join(f"{1e3 * line['median'][name]:.2f}" for name in SIDES)
    limit = least_seconds(line, bandwidth)
    ours = min(line["best"]["ours-eager"], line["best"]["ours-graph"])
    return (
        f"| {line['network']} | {line['optimizer']} | {shown} | {speed(line['median']):.2f} "
        f"| {speed(line['best']):.2f} | {1e3 * limit:.2f} | {100 * limit / ours:.0f} % |"
    )


def table(threads: int, bandwidth: float, lines: list[dict]) -> list[str]:
    """The section of one number of threads."""
    met = [line for line in lines if min(speed(line["median"]), speed(line["best"])) >= BAR]
    return [
        "",
        f"## {threads} thread{'s' if threads > 1 else ''} on all sides, {bandwidth / 1e9:.1f} GB/s",
        "",
        f"{len(met)} of {len(lines)} steps are at least {BAR} times as fast as PyTorch's best, by medians "
        "and by fastest rounds.",
        "",
        "| network | optimizer | ours, PyNative | ours, Graph | foreach | fused | speed | of best rounds "
        "| limit | of limit |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(row(line, bandwidth) for line in lines),
    ]


def introduction(options: argparse.Namespace, versions: list[str]) -> list[str]:
    counts = ", ".join(
        f"{name}: {len(NETWORKS[name]())} tensors, {elements(name) / 1e6:.1f} M elements" for name in NETWORKS
    )
    return [
        "# Optimizer steps beside PyTorch",
        "",
        f"Made by `benchmarks/optimizer_step.py`: medians of {options.rounds} interleaved rounds or more, in "
        "milliseconds. *Speed* is the faster of PyTorch's two ways over the faster of our two modes: above "
        "1 we are faster; beside it the same of the fastest rounds, which a busy machine disturbs less. "
        "*Limit* is the time the memory needs to read and write what the formula needs once, at the "
        "bandwidth that the fastest addition in place, or step, of any side reached in the same run; the "
        "last column compares our fastest round with it. Plain SGD moves 12 bytes per element, Momentum "
        "20, Adam and AdamW 28. AdamW is `nn.AdamWeightDecay` here, which has no bias correction.",
        "",
        f"{', '.join(versions)}; {counts}.",
    ]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", required=True, help="interpreter that has PyTorch and NumPy")
    parser.add_argument("--only", default="", help="networks or optimizers that contain this text")
    parser.add_argument("--rounds", type=int, default=12, help="default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=0.005, help="of one round at least, default: %(default)s"
    )
    parser.add_argument(
        "--threads", default=f"{os.cpu_count()},1", help="one table for each, default: %(default)s"
    )
    parser.add_argument(
        "--output", type=pathlib.Path, default=HERE / "OPTIMIZER_RESULTS.md", help="'-' for none"
    )
    parser.add_argument("--quiet", action="store_true", help="hides what the sides write to stderr")
    return parser.parse_args()


def compare(options: argparse.Namespace, threads: int) -> tuple[list[str], list[str]]:
    """(versions of all sides, rows of the page)."""
    comparison = Comparison(options, threads)
    bandwidth = 3 * 4 * STREAM / min(comparison.measure("stream", "")["best"].values())
    lines = []
    for network in NETWORKS:
        for optimizer in BYTES:
            if options.only in network or options.only in optimizer:
                lines.append(comparison.measure(network, optimizer))
                print(json.dumps({"threads": threads, **lines[-1]}), flush=True)
    comparison.close()
    for line in lines:  # nothing is faster than the memory
        moved = elements(line["network"]) * BYTES[line["optimizer"]]
        bandwidth = max(bandwidth, moved / min(line["best"].values()))
    return comparison.versions, table(threads, bandwidth, lines)


def main() -> int:
    options = parse()
    text: list[str] = []
    for threads in options.threads.split(","):
        versions, rows = compare(options, int(threads))
        text = (text or introduction(options, versions)) + rows
        print("\n".join(rows), file=sys.stderr)
    if str(options.output) != "-":
        options.output.write_text("\n".join(text) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
