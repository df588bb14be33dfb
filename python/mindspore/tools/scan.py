# SPDX-License-Identifier: Apache-2.0
"""Tells which names of MindSpore and PyTorch scripts use, and whether they work here, without running them.

python -m mindspore.tools.scan train.py src/
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Python looks into the current folder first, where a script may be called as a module is that we need.
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != os.path.realpath(".")]

import argparse  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterable  # noqa: E402

from mindspore.tools._scan.findings import Finding, Report, Unreadable, scan_files  # noqa: E402
from mindspore.tools._scan.machine import as_json  # noqa: E402
from mindspore.tools._scan.page import as_html  # noqa: E402
from mindspore.tools._scan.sources import files_in  # noqa: E402
from mindspore.tools._scan.text import as_text  # noqa: E402
from mindspore.tools._scan.verdict import Status  # noqa: E402

__all__ = ["Finding", "Report", "Status", "Unreadable", "main", "scan"]

_PATH = str | bytes | os.PathLike
_FRAMEWORKS = ("mindspore", "torch")
_SECONDS_BETWEEN_PROGRESS = 0.1


def scan(paths: Iterable[str] | str, frameworks: Iterable[str] | str = ("mindspore", "torch")) -> Report:
    """Reads scripts and notebooks, and judges every name of MindSpore and PyTorch in them.

    Nothing in them is run or imported; of the installed package only its own modules are.

    Args:
        paths (Union[str, Iterable[str]]): Files and folders.
        frameworks (Union[str, Iterable[str]]): Whose names are reported. Default: ``("mindspore", "torch")``.

    Returns:
        Report, with a `Finding` for every name in every place.

    Raises:
        FileNotFoundError: A file or folder is not there.
        TypeError: `paths` holds something else.
        ValueError: A framework is not known.

    Examples:
        >>> import pathlib, tempfile
        >>> from mindspore.tools.scan import scan
        >>> folder = tempfile.TemporaryDirectory()
        >>> script = pathlib.Path(folder.name) / "net.py"
        >>> _ = script.write_text("from mindspore import nn\\nlayer = nn.GlobalBatchNorm(3)\\n")
        >>> [(one.line, one.name, one.note) for one in scan(str(script)).findings if one.note]
        [(2, 'mindspore.nn.GlobalBatchNorm', 'it is nn.SyncBatchNorm')]
    """
    is_one = isinstance(paths, _PATH) or not isinstance(paths, Iterable)
    given = [paths] if is_one else list(paths)
    if not all(isinstance(path, _PATH) for path in given):
        raise TypeError(f"'paths' must be a path or several, but got {paths!r}.")
    frameworks = (frameworks,) if isinstance(frameworks, str) else tuple(frameworks)
    if unknown := set(frameworks) - set(_FRAMEWORKS):
        raise ValueError(f"'frameworks' must be of {_FRAMEWORKS}, but got {sorted(unknown)}.")
    return scan_files(list(files_in([os.fsdecode(path) for path in given])), frameworks)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mindspore.tools.scan",
        description="Will my scripts run? Reads them without running anything, and tells of every name of "
        "MindSpore and PyTorch in them whether it works here, works with a difference (and which), or is "
        "missing (and what to use instead). Arguments and settings are looked at as well.",
        epilog="""examples:
  python -m mindspore.tools.scan train.py                  what stops this script?
  python -m mindspore.tools.scan project/ --all            every name, also what works
  python -m mindspore.tools.scan project/ --format html --output scan.html
  python -m mindspore.tools.scan project/ --format json | jq '.uses[] | select(.status == "missing")'
  python -m mindspore.tools.scan project/ --only mindspore --fail-on difference      for CI, strict

"optional" marks what a script goes on without: an import under try/except ImportError, a branch that asks
for the version. It does not fail a scan.

exit status: 0 nothing to complain about, 1 something is missing or cannot be read (see --fail-on),
2 wrong use.""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths", nargs="+", metavar="FILE_OR_FOLDER", help="scripts (.py) and notebooks (.ipynb)"
    )
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: text")
    parser.add_argument("--output", "-o", metavar="FILE", help="write there instead of to the terminal")
    parser.add_argument("--all", action="store_true", help="text: list names that work, too")
    parser.add_argument("--only", choices=("mindspore", "torch"), help="names of one framework")
    parser.add_argument(
        "--fail-on",
        choices=("difference", "missing", "never"),
        default="missing",
        help="what makes the exit status 1; default: missing",
    )
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="default: auto, on a terminal"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    options = _parser().parse_args(arguments)
    try:
        files = list(files_in(options.paths))
        if not files:
            raise FileNotFoundError("there is no script (.py) or notebook (.ipynb) in what was given")
        frameworks = (options.only,) if options.only else ("mindspore", "torch")
        report = scan_files(files, frameworks, _progress(len(files)))
        _write(report, options)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"scan: {error}", file=sys.stderr)
        return 2
    return 1 if report.fails(options.fail_on) else 0


def _write(report: Report, options: argparse.Namespace) -> None:
    if options.format == "text":
        text = as_text(report, _is_colored(options), options.all)
    else:
        text = as_json(report) if options.format == "json" else as_html(report)
    if options.output:
        # Names of files may be no text at all.
        with open(options.output, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        print(f"wrote {options.output}", file=sys.stderr)
    else:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()


def _is_colored(options: argparse.Namespace) -> bool:
    if options.color != "auto":
        return options.color == "always"
    is_plain = options.output or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return not is_plain and sys.stdout.isatty()


def _progress(total: int) -> Callable[[int], None] | None:
    """Shows on a terminal how far the scan is."""
    if not sys.stderr.isatty():
        return None
    told = 0.0

    def show(done: int) -> None:
        nonlocal told
        now = time.monotonic()
        if done == total:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        elif now - told > _SECONDS_BETWEEN_PROGRESS:
            told = now
            print(f"\r{done} of {total} files", end="", file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    sys.exit(main())
