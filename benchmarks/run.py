# SPDX-License-Identifier: Apache-2.0
"""Times operators beside PyTorch and writes the table in RESULTS.md.

PyTorch lives in an environment of its own: say where with --peer-python. The two sides are processes that
take turns, round by round; a number is the median of the rounds. Every case is printed as a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from cases import Case, all_cases  # noqa: E402

PEAK_CASES = {"flops": "matmul 2048", "bytes": "add float32 10M"}
OVERHEAD_BAR, MLP_BAR, MEAN_BAR, WORST_BAR = 0.6, 0.7, 0.95, 0.7


class Process:
    """One side, in an interpreter of its own."""

    def __init__(self, python: str, side: str, threads: int, quiet: bool, program: str = "worker.py") -> None:
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": str(threads),
            "MKL_NUM_THREADS": str(threads),
        }
        if side.startswith("peer"):
            environment.pop("PYTHONPATH", None)
        self.process = subprocess.Popen(
            [python, str(HERE / program), side, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            text=True,
            env=environment,
        )

    def ask(self, do: str, **arguments) -> dict:
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"a side ended with {self.process.wait()} while asked to {do} {arguments}")
        return json.loads(line)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def spread(values: list[float]) -> float:
    """Distance of the quartiles, as a fraction of the median."""
    low, middle, high = statistics.quantiles(values, n=4)
    return (high - low) / middle


class Comparison:
    """Both sides and what they measured."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.sides = {
            "ours": Process(sys.executable, "ours", options.threads, options.quiet),
            "peer": Process(options.peer_python, "peer", options.threads, options.quiet),
        }
        self.versions = {name: side.ask("hello")["version"] for name, side in self.sides.items()}

    def measure(self, case: Case) -> dict:
        """Medians of interleaved rounds, or the error of a side."""
        times: dict[str, list[float]] = {"ours": [], "peer": []}
        for name, side in self.sides.items():
            answer = side.ask("prepare", name=case.name, seconds=self.options.seconds)
            if "error" in answer:
                return {"case": case.name, "group": case.group, "side": name, "error": answer["error"]}
        for number in range(self.options.rounds):
            order = ["ours", "peer"] if number % 2 else ["peer", "ours"]
            for name in order:
                time.sleep(0.01)  # threads of the other side stop waiting actively
                times[name].append(self.sides[name].ask("measure")["seconds"])
        ours, peer = statistics.median(times["ours"]), statistics.median(times["peer"])
        return {
            "case": case.name,
            "group": case.group,
            "family": case.family,
            "ours_us": round(ours * 1e6, 3),
            "peer_us": round(peer * 1e6, 3),
            "speed": round(peer / ours, 3),
            "best_speed": round(min(times["peer"]) / min(times["ours"]), 3),
            "best_us": round(min(times["peer"] + times["ours"]) * 1e6, 3),
            "ours_spread": round(spread(times["ours"]), 3),
            "peer_spread": round(spread(times["peer"]), 3),
            "rounds": self.options.rounds,
        }

    def close(self) -> None:
        for side in self.sides.values():
            side.close()


def measure_peaks(comparison: Comparison, cases: dict[str, Case]) -> dict:
    """What the machine can do at best, as the faster side shows: operations and bytes per second."""
    peaks = {}
    for unit, name in PEAK_CASES.items():
        line = comparison.measure(cases[name])
        if "error" in line:
            raise SystemExit(f"{name}: {line['error']}")
        peaks[unit] = getattr(cases[name], unit) / (line["best_us"] * 1e-6)
    return peaks


def fraction_of_peak(case: Case, line: dict, peaks: dict) -> float | None:
    """Time the machine needs at best over the time we take."""
    best = max(case.flops / peaks["flops"], case.bytes / peaks["bytes"])
    return round(best / (line["ours_us"] * 1e-6), 3) if best else None


def geometric_mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else math.nan


def verdicts(lines: list[dict]) -> list[tuple[str, bool]]:
    """Each bar in words, and whether it is met."""
    measured = [line for line in lines if "speed" in line]
    overhead = [1 / line["speed"] for line in measured if line["group"] == "overhead"]
    speeds = [line["speed"] for line in measured if line["group"] == "throughput"]
    found = []
    if overhead:
        middle = statistics.median(overhead)
        found.append((f"overhead: median ratio {middle:.2f}, bar {OVERHEAD_BAR}", middle <= OVERHEAD_BAR))
    for line in measured:
        if line["group"] == "mlp":
            ratio = 1 / line["speed"]
            found.append((f"{line['case']}: ratio {ratio:.2f}, bar {MLP_BAR}", ratio <= MLP_BAR))
    if speeds:
        mean = geometric_mean(speeds)
        slow = sum(speed < WORST_BAR for speed in speeds)
        found.append((f"throughput: mean speed {mean:.2f} of the peer's, bar {MEAN_BAR}", mean >= MEAN_BAR))
        found.append((f"throughput: {slow} cases below {WORST_BAR}, bar 0", slow == 0))
    broken = [line["case"] for line in lines if "error" in line]
    if broken:
        found.append((f"not measured: {', '.join(broken)}", False))
    return found


def table(lines: list[dict]) -> list[str]:
    """Rows of Markdown, the slowest first."""
    rows = [
        "| case | ours, µs | peer, µs | speed | of best rounds | spread ours / peer | of peak |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for line in sorted((line for line in lines if "speed" in line), key=lambda line: line["speed"]):
        peak = "" if line.get("of_peak") is None else f"{100 * line['of_peak']:.0f} %"
        rows.append(
            f"| {line['case']} | {line['ours_us']:.2f} | {line['peer_us']:.2f} | {line['speed']:.2f} "
            f"| {line['best_speed']:.2f} "
            f"| {100 * line['ours_spread']:.0f} % / {100 * line['peer_spread']:.0f} % | {peak} |"
        )
    return rows


def write_results(path: pathlib.Path, comparison: Comparison, peaks: dict, lines: list[dict]) -> None:
    """The page RESULTS.md."""
    options = comparison.options
    text = [
        "# Operators beside PyTorch",
        "",
        f"Made by `benchmarks/run.py`; times are medians of {options.rounds} interleaved rounds of about "
        f"{options.seconds * 1e3:.0f} ms, the spread is the distance of the quartiles. *Speed* is the peer's "
        "time over ours: above 1 we are faster; beside it the same of the fastest rounds, which a busy "
        "machine disturbs less. *Of peak* compares with the fastest matrix product and the fastest stream "
        "seen in the same run. Results are allocated anew in every call, as in user code: part of the time "
        "of large ones is fresh memory.",
        "",
        f"{comparison.versions['ours']}, {comparison.versions['peer']}, {options.threads} threads on both "
        f"sides; peak {peaks['flops'] / 1e9:.0f} GFLOP/s and {peaks['bytes'] / 1e9:.1f} GB/s.",
        "",
        *(f"- {'met' if met else '**missed**'}: {words}" for words, met in verdicts(lines)),
    ]
    titles = {"overhead": "Overhead of a call", "mlp": "A small network", "throughput": "Throughput"}
    for group, title in titles.items():
        chosen = [line for line in lines if line["group"] == group]
        if chosen:
            text += ["", f"## {title}", "", *table(chosen)]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", required=True, help="interpreter that has PyTorch and NumPy")
    parser.add_argument(
        "--only", default="", help="cases whose name or family contains one of these texts, comma-separated"
    )
    parser.add_argument("--rounds", type=int, default=11, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=0.02, help="of one round, default: %(default)s")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: %(default)s")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "RESULTS.md", help="'-' for none")
    parser.add_argument("--quiet", action="store_true", help="hides what the sides write to stderr")
    return parser.parse_args()


def main() -> int:
    options = parse()
    cases = all_cases()
    wanted = options.only.split(",")
    chosen = [c for c in cases.values() if any(text in c.name or text in c.family for text in wanted)]
    comparison = Comparison(options)
    peaks = measure_peaks(comparison, cases)
    lines = [comparison.measure(case) for case in chosen]
    for unit, value in measure_peaks(comparison, cases).items():
        peaks[unit] = max(peaks[unit], value)
    comparison.close()
    for case, line in zip(chosen, lines, strict=True):
        if "error" not in line:  # no product is faster than the machine
            peaks["flops"] = max(peaks["flops"], case.flops / (line["best_us"] * 1e-6))
    for case, line in zip(chosen, lines, strict=True):
        if "error" not in line:
            line["of_peak"] = fraction_of_peak(case, line, peaks)
        print(json.dumps(line))
    if str(options.output) != "-":
        write_results(options.output, comparison, peaks, lines)
    for words, met in verdicts(lines):
        print(f"{'met' if met else 'MISSED'}: {words}", file=sys.stderr)
    return 0 if all(met for _, met in verdicts(lines)) else 1


if __name__ == "__main__":
    sys.exit(main())
