# SPDX-License-Identifier: Apache-2.0
"""Pipelines that keep their rows on the cache server, against themselves without it and against a plain copy.

    python benchmarks/row_cache.py [--rounds 5] [--pictures 1024]

Starts a server of its own. Every measurement is a process of its own; they take turns, and a number is the
best round. Writes CACHE_RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

# What a line of the page says, and what its ratio is held to.
LINES = {
    "second": ("second epoch, from the cache, of the first, which fills it", 5.0),
    "training": ("the same where only decoding is cached and random steps follow", None),
    "copy": ("second epoch, of plain copies of such rows in shared memory by one thread", 0.7),
    "copy one": ("the same with one worker", None),
    "copy own": ("second epoch, of such copies in memory of the process's own, of large pages", None),
    "pair": ("two processes that share the cache, one worker each, of one such process", 1.6),
    "pair copy": ("two processes of plain copies, of one such process: what the memory has to give", None),
    "pair training": ("two processes that share decoded pictures, one worker each, of one such process", 1.6),
}


class Server:
    """A cache server in a folder of its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        import mindspore

        self.program = pathlib.Path(mindspore.__file__).parent / "bin" / "cache_admin"
        self.port = random.SystemRandom().randint(20000, 60000)
        self.environment = {**os.environ, "MYCEL_CACHE_DIR": str(folder / "servers"), "OMP_NUM_THREADS": "2"}
        self.admin("--start")

    def admin(self, *words: str) -> str:
        """What a command says."""
        command = [str(self.program), *words, "-p", str(self.port)]
        return subprocess.run(
            command, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def session(self) -> int:
        return int(self.admin("-g").split()[-1])

    def reader(self, case: str, folder: pathlib.Path, session: int, workers: int) -> subprocess.Popen:
        """Another process that reads; it begins when it is told to."""
        words = [case, str(folder), str(self.port), str(session), str(workers)]
        return subprocess.Popen(
            [sys.executable, str(HERE / "row_cache_reader.py"), *words],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


def make_pictures(folder: pathlib.Path, count: int) -> None:
    """A folder of one class."""
    from image_pass import made_picture

    pictures = folder / "pictures" / "class"
    pictures.mkdir(parents=True)
    different = [made_picture(seed).tobytes() for seed in range(min(32, count))]
    for number in range(count):
        (pictures / f"{number:05}.jpg").write_bytes(different[number % len(different)])


def together(readers: list[subprocess.Popen]) -> list[dict]:
    """Lets them begin at one time, when all are ready; what each has measured."""
    for reader in readers:
        assert reader.stdout.readline() == "ready\n"
    for reader in readers:
        reader.stdin.write("go\n")
        reader.stdin.flush()
    return [json.loads(reader.communicate()[0].splitlines()[-1]) for reader in readers]


def one_and_two(server: Server, case: str, folder: pathlib.Path, session: int) -> tuple[float, float]:
    """Rows per second of two processes together, and of one."""
    one, two = (
        sum(
            reader["rate"] for reader in together([server.reader(case, folder, session, 1) for _ in range(n)])
        )
        for n in (1, 2)
    )
    return two, one


def one_round(server: Server, folder: pathlib.Path) -> dict[str, tuple[float, float]]:
    """For every line rows per second, ours and what they are compared with."""
    found: dict[str, tuple[float, float]] = {}
    session = server.session()
    epochs = together([server.reader("epochs", folder, session, 2)])[0]
    found["second"] = epochs["second"], epochs["first"]
    copy = together([server.reader("copy", folder, session, 1)])[0]["rate"]
    found["copy"] = epochs["second"], copy
    found["copy own"] = epochs["second"], together([server.reader("copy own", folder, session, 1)])[0]["rate"]
    found["pair"] = one_and_two(server, "again", folder, session)
    found["copy one"] = found["pair"][1], copy
    found["pair copy"] = one_and_two(server, "copy again", folder, session)
    server.admin("-d", str(session))
    session = server.session()
    training = together([server.reader("training", folder, session, 2)])[0]
    found["training"] = training["second"], training["first"]
    found["pair training"] = one_and_two(server, "training again", folder, session)
    server.admin("-d", str(session))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pictures", type=int, default=1024)
    parser.add_argument("--output", default=str(HERE / "CACHE_RESULTS.md"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_pictures(folder, options.pictures)
        server = Server(folder)
        try:
            rounds = [one_round(server, folder) for _ in range(options.rounds)]
        finally:
            server.admin("--stop")
    lines = [
        {
            "case": case,
            "ours": max(one[case][0] for one in rounds),
            "other": max(one[case][1] for one in rounds),
        }
        for case in LINES
    ]
    for line in lines:
        print(json.dumps(line), flush=True)
    if options.output != "-":
        write_page(lines, options, pathlib.Path(options.output))


def write_page(lines: list[dict], options: argparse.Namespace, path: pathlib.Path) -> None:
    """The table, with what each line is held to."""
    text = [
        "# Rows from the cache server\n",
        f"Made by `benchmarks/row_cache.py`: rows per second, the best of {options.rounds} rounds. Rows are",
        f"{options.pictures:,} pictures of 500x375, decoded, resized to 256, cropped to 224, normalised and",
        "reordered (602,112 bytes), in batches of 64; all of that is cached where nothing else is said.\n",
        "| what | rows/s | of rows/s | ratio |",
        "|---|--:|--:|--:|",
    ]
    for line in lines:
        title, bar = LINES[line["case"]]
        ratio = f"{line['ours'] / line['other']:.2f}" + ("" if bar is None else f" (bar {bar})")
        text.append(f"| {title} | {line['ours']:,.0f} | {line['other']:,.0f} | {ratio} |")
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
