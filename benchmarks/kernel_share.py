# SPDX-License-Identifier: Apache-2.0
"""How much of a training step both modes spend in the same products and convolutions; writes KERNEL_SHARE.md.

Graph mode cannot make these faster: it calls the library that PyNative mode calls, with the same numbers. The
library tells how long each call takes; a step without anything else is the limit of what capturing can gain.
"""

from __future__ import annotations

import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from steps import STEPS  # noqa: E402

NETWORKS = ("lenet", "mlp", "resnet", "transformer", "lstm")
SHARED = ("matmul", "convolution", "deconvolution", "inner_product", "rnn")
WARM_STEPS = 5
BEGIN, STEP = "begin of the measured steps", "step"


def work(name: str, mode: str, seconds: float) -> None:
    """Prints a line with the seconds of each step, after the library's own lines about it."""
    import networks_ours

    step = networks_ours.build(name, mode == "graph")
    for _ in range(WARM_STEPS):
        step().asnumpy()
    print(BEGIN, flush=True)
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        step().asnumpy()
        print(STEP, time.perf_counter() - start, flush=True)


def in_worker(name: str, mode: str, seconds: float, tells: bool) -> tuple[float, float]:
    """(seconds of a step, the part of products and convolutions in it if the library tells).

    Medians of the faster quarter of the steps: the others were disturbed.
    """
    command = [sys.executable, __file__, "--worker", name, mode, "--seconds", str(seconds)]
    environment = os.environ | {"ONEDNN_VERBOSE": "1" if tells else "0"}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    steps, shared = [], 0.0
    for line in done.stdout.split(BEGIN)[1].splitlines():
        if line.startswith(STEP):
            steps.append((float(line.split()[-1]), shared / 1000))
            shared = 0.0
        elif ",exec," in line:
            call = line.split(",")
            shared += float(call[-1]) if call[call.index("exec") + 2] in SHARED else 0.0
    fast = sorted(steps)[: max(1, len(steps) // 4)]
    return statistics.median(taken for taken, _ in fast), statistics.median(
        part / taken for taken, part in fast
    )


def measure(name: str, seconds: float) -> dict[str, float]:
    """Milliseconds of both modes; the part of PyNative mode's that both share."""
    pynative, _ = in_worker(name, "pynative", seconds, tells=False)
    graph, _ = in_worker(name, "graph", seconds, tells=False)
    _, share = in_worker(name, "pynative", seconds, tells=True)
    return {"pynative": 1000 * pynative, "graph": 1000 * graph, "share": share}


def page(found: dict[str, dict[str, float]]) -> list[str]:
    """The page's lines."""
    limits = [1 / one["share"] for one in found.values()]
    reached = [one["pynative"] / one["graph"] for one in found.values()]
    rows = [
        f"| {STEPS[name].title} | {one['pynative']:.2f} | {one['graph']:.2f} | {100 * one['share']:.0f} % "
        f"| {limit:.2f} | {now:.2f} |"
        for (name, one), limit, now in zip(found.items(), limits, reached, strict=True)
    ]
    mean = [math.exp(statistics.mean(map(math.log, ratios))) for ratios in (limits, reached)]
    return [
        "# What capturing a training step can gain",
        "",
        "Made by `benchmarks/kernel_share.py`. Both modes call the same library for matrix products and "
        "convolutions; *shared* is the part of a PyNative step that it reports for these, in the faster "
        "quarter of the steps. If everything else took no time at all, Graph mode would be faster by the "
        "factor in *at most*.",
        "",
        "| training step | PyNative, ms | Graph, ms | shared | at most | reached |",
        "|---|--:|--:|--:|--:|--:|",
        *rows,
        f"| geometric mean | | | | {mean[0]:.2f} | {mean[1]:.2f} |",
    ]


def main() -> int:
    """Measures all networks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="of each measurement, default: %(default)s"
    )
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "KERNEL_SHARE.md", help="'-' for none")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(*given.worker, given.seconds)
        return 0
    found = {}
    for name in NETWORKS:
        found[name] = measure(name, given.seconds)
        print(name, *(f"{key} {value:.2f}" for key, value in found[name].items()), flush=True)
    lines = page(found)
    print("\n".join(lines[-len(found) - 3 :]), file=sys.stderr)
    if str(given.output) != "-":
        given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
