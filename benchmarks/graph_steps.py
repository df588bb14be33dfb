# SPDX-License-Identifier: Apache-2.0
"""Times training steps in PyNative mode, compiled, and in PyTorch, and enters them in GRAPH_RESULTS.md.

PyTorch lives in an environment of its own: say where with --peer-python. The sides are processes that take
turns, round by round; a number is the median of the rounds. Memory, losses and the first step come from
processes of their own. Every network is printed as a line of JSON, and replaces its row of the page; rows
of networks that were not chosen stay.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from steps import STEPS  # noqa: E402

from run import Process, spread  # noqa: E402

ADD = "add"
IMAGES = (
    "lenet",
    "resnet",
    "resnet50",
    "mobilenet",
)  # the peer may keep channels last here; its faster layout counts
LOSS_TOLERANCE = {"graph": 1e-3, "peer": 0.2}  # the peer starts with other weights
DISTURBANCE = 0.1  # processors others may take during a round
MARK = "<!-- measured "


def sides_of(name: str) -> list[str]:
    peers = ["peer", *(["peer compiled"] if name in STEPS and STEPS[name].is_model else [])]
    if name in IMAGES:
        peers += [f"{peer} channels last" for peer in peers]
    return ["pynative", "graph", *peers]


def fastest(times: dict[str, dict], start_of_name: str, without: str = "\0") -> str:
    """The fastest side whose name begins so."""
    sides = [side for side in times if side.startswith(start_of_name) and without not in side]
    return min(sides, key=lambda side: times[side]["seconds"])


def start(side: str, options: argparse.Namespace) -> Process:
    python = options.peer_python if side.startswith("peer") else sys.executable
    return Process(python, side, options.threads, options.quiet, "step_worker.py")


def ask(process: Process, do: str, **arguments) -> dict:
    answer = process.ask(do, **arguments)
    if "error" in answer:
        raise SystemExit(f"{do} {arguments}: {answer['error']}")
    return answer


def busy_seconds() -> float:
    """Processor time all programs of the machine have used, waiting not counted."""
    fields = pathlib.Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, interrupt, soft, *_ = (int(field) for field in fields)
    return (user + nice + system + interrupt + soft) / os.sysconf("SC_CLK_TCK")


def wait_for_quiet(deadline: float) -> None:
    """Returns when nobody else computes, or at the deadline."""
    window = 0.3
    while time.monotonic() < deadline:
        before = busy_seconds()
        time.sleep(window)
        if busy_seconds() - before <= DISTURBANCE * window:
            return


def undisturbed(process: Process, options: argparse.Namespace) -> tuple[float, float]:
    """Seconds of a step, and the processors others took meanwhile; repeated while these are too many."""
    least: tuple[float, float] | None = None
    deadline = time.monotonic() + options.patience
    while True:
        wait_for_quiet(deadline)
        before = busy_seconds()
        answer = ask(process, "measure")
        others = max(0.0, busy_seconds() - before - answer["processor"]) / answer["wall"]
        if least is None or others < least[1]:
            least = answer["seconds"], others
        if least[1] <= DISTURBANCE or time.monotonic() > deadline:
            return least


def interleaved(name: str, options: argparse.Namespace) -> dict[str, dict]:
    """Median and spread of each side's step."""
    processes = {side: start(side, options) for side in sides_of(name)}
    for process in processes.values():
        ask(process, "prepare", name=name, seconds=options.seconds)
    times: dict[str, list[float]] = {side: [] for side in processes}
    disturbed = []
    for number in range(options.rounds):
        order = list(processes)
        for side in order if number % 2 else reversed(order):
            time.sleep(0.05)  # threads of the other side stop waiting actively
            seconds, others = undisturbed(processes[side], options)
            times[side].append(seconds)
            disturbed.append(others)
    for process in processes.values():
        process.close()
    if max(disturbed) > DISTURBANCE:
        print(f"{name}: other programs took up to {max(disturbed):.2f} processors", file=sys.stderr)
    return {
        side: {"seconds": statistics.median(values), "best": min(values), "spread": spread(values)}
        for side, values in times.items()
    }


def alone(name: str, side: str, options: argparse.Namespace) -> dict:
    """First step, losses and memory of a process that does nothing else."""
    process = start(side, options)
    version = ask(process, "hello")["version"]
    answer = ask(process, "fresh", name=name)
    process.close()
    return {**answer, "version": version}


def losses_agree(found: dict[str, dict]) -> bool:
    """Whether all sides start at about the same loss, and ours stay together."""
    ours = found["pynative"]["losses"]
    compiled = found["graph"]["losses"]
    first = abs(found["peer"]["losses"][0] / ours[0] - 1)
    return first < LOSS_TOLERANCE["peer"] and all(
        abs(a - b) <= LOSS_TOLERANCE["graph"] * max(1, abs(a)) for a, b in zip(ours, compiled, strict=True)
    )


def measure(name: str, options: argparse.Namespace) -> dict:
    """Everything about one training step."""
    times = interleaved(name, options)
    peer = fastest(times, "peer", without="compiled")
    chosen = {"pynative": "pynative", "graph": "graph", "peer": peer}
    line: dict = {"step": name, "title": STEPS[name].title, "peer_side": peer, "rounds": options.rounds}
    found = {}
    for key, side in chosen.items():
        found[key] = alone(name, side, options)
        line[f"{key}_ms"] = round(times[side]["seconds"] * 1e3, 3)
        line[f"{key}_best_ms"] = round(times[side]["best"] * 1e3, 3)
        line[f"{key}_spread"] = round(times[side]["spread"], 3)
        line[f"{key}_first_ms"] = round(found[key]["first_seconds"] * 1e3, 1)
        line[f"{key}_resident_mb"] = round(found[key]["resident"] / 1e6, 1)
        line[f"{key}_losses"] = [round(loss, 4) for loss in found[key]["losses"]]
        if found[key]["allocated"] is not None:
            line[f"{key}_allocated_mb"] = round(found[key]["allocated"] / 1e6, 1)
    line["graph_over_peer"] = round(line["peer_ms"] / line["graph_ms"], 3)
    line["graph_over_pynative"] = round(line["pynative_ms"] / line["graph_ms"], 3)
    if STEPS[name].is_model:
        compiled = times[fastest(times, "peer compiled")]["seconds"]
        line["compiled_peer_ms"] = round(compiled * 1e3, 3)
        line["graph_over_compiled_peer"] = round(compiled * 1e3 / line["graph_ms"], 3)
    line["losses_agree"] = losses_agree(found)
    line["versions"] = f"{found['graph']['version']}, {found['peer']['version']}"
    line["threads"] = options.threads
    return line


def measure_add(options: argparse.Namespace) -> dict:
    """What a call of a compiled function costs when there is next to nothing to compute."""
    times = interleaved(ADD, options)
    return {"step": ADD, **{f"{side}_us": round(value["seconds"] * 1e6, 3) for side, value in times.items()}}


def time_rows(lines: list[dict]) -> list[str]:
    rows = [
        "| training step | PyNative, ms | compiled, ms | peer, ms | compiled to PyNative "
        "| compiled to peer | PyNative to peer | peer's compiler, ms | compiled to that | spread |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for line in lines:
        remark = ", channels last" if "last" in line["peer_side"] else ""
        spreads = " / ".join(f"{100 * line[f'{key}_spread']:.0f} %" for key in ("pynative", "graph", "peer"))
        compiler = "– | –"
        if "compiled_peer_ms" in line:
            compiler = f"{line['compiled_peer_ms']:.2f} | {line['graph_over_compiled_peer']:.2f}"
        rows.append(
            f"| {line['title']} | {line['pynative_ms']:.2f} | {line['graph_ms']:.2f} "
            f"| {line['peer_ms']:.2f}{remark} | {line['graph_over_pynative']:.2f} "
            f"| {line['graph_over_peer']:.2f} | {line['peer_ms'] / line['pynative_ms']:.2f} | {compiler} "
            f"| {spreads} |"
        )
    return rows


def memory_rows(lines: list[dict]) -> list[str]:
    rows = [
        "| training step | tensors PyNative | tensors compiled | process PyNative | process compiled "
        "| process peer | first step PyNative, ms | compiled, ms | peer, ms | losses agree |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for line in lines:
        rows.append(
            f"| {line['title']} | {line['pynative_allocated_mb']:.0f} | {line['graph_allocated_mb']:.0f} "
            f"| {line['pynative_resident_mb']:.0f} | {line['graph_resident_mb']:.0f} "
            f"| {line['peer_resident_mb']:.0f} | {line['pynative_first_ms']:.0f} "
            f"| {line['graph_first_ms']:.0f} | {line['peer_first_ms']:.0f} "
            f"| {'yes' if line['losses_agree'] else '**no**'} |"
        )
    return rows


def earlier_lines(path: pathlib.Path) -> dict[str, dict]:
    """What the page holds already, by step."""
    if not path.exists():
        return {}
    marked = (line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(MARK))
    lines = [json.loads(line[len(MARK) : -len(" -->")]) for line in marked]
    return {line["step"]: line for line in lines}


def write_results(path: pathlib.Path, lines: dict[str, dict]) -> None:
    """The page GRAPH_RESULTS.md."""
    steps = [lines[name] for name in STEPS if name in lines]
    text = [
        "# Training steps: PyNative, compiled, PyTorch",
        "",
        "Made by `benchmarks/graph_steps.py`. A step is forward, backward and optimizer on a batch that "
        "stays as it is; *compiled* is that function under `@jit`. Times are medians of interleaved rounds, "
        "ratios are the other's time over ours: above 1 we are faster. The peer runs eagerly, with its "
        "fused optimizers, its own attention, and the faster of its two layouts of images; whole models are "
        "also compared with its compiler.",
        "",
    ]
    if steps:
        text += [f"{steps[-1]['versions']}, {steps[-1]['threads']} threads on every side.", ""]
        text += [*time_rows(steps), ""]
        text += [
            "## Memory and the first step",
            "",
            "Peaks in MB, of a process that does nothing else: *tensors* is what our pool had given out at "
            "once in the steps after the first, *process* how far resident memory rose above the imported "
            "package, first step included. The first step of a compiled function records and compiles.",
            "",
            "Losses of deep rectified networks drift apart: rounding flips the signs of values near zero; "
            "each changes the gradient by a jump. In ResNet-50 our modes differ by as much as the peer's "
            "two layouts of images do (1e-2 of the gradient); with smooth activations both are within 1e-4 "
            "of what float64 gives.",
            "",
            *memory_rows(steps),
            "",
        ]
    if ADD in lines:
        add = lines[ADD]
        text += [
            "## A call of a compiled function",
            "",
            f"One addition of two small tensors, after the first call: {add['graph_us']:.2f} µs compiled, "
            f"{add['pynative_us']:.2f} µs in PyNative mode, {add['peer_us']:.2f} µs in the peer.",
            "",
        ]
    text += [f"{MARK}{json.dumps(line)} -->" for line in lines.values()]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", required=True, help="interpreter that has PyTorch and NumPy")
    names = ", ".join([*STEPS, ADD])
    parser.add_argument("--only", default="", help=f"some of {names}, comma-separated; default: all")
    parser.add_argument("--rounds", type=int, default=9, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=0.3, help="of one round, default: %(default)s")
    parser.add_argument(
        "--patience",
        type=float,
        default=20,
        help="seconds a disturbed round may repeat, default: %(default)s",
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: %(default)s")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "GRAPH_RESULTS.md", help="'-' for none")
    parser.add_argument("--quiet", action="store_true", help="hides what the sides write to stderr")
    options = parser.parse_args()
    options.chosen = [name for name in options.only.split(",") if name] or [*STEPS, ADD]
    unknown = set(options.chosen) - {*STEPS, ADD}
    if unknown:
        parser.error(f"--only takes {names}, but got {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    options = parse()
    agree = True
    for name in options.chosen:
        line = measure_add(options) if name == ADD else measure(name, options)
        print(json.dumps(line), flush=True)
        agree &= line.get("losses_agree", True)
        if str(options.output) != "-":
            write_results(options.output, {**earlier_lines(options.output), name: line})
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
