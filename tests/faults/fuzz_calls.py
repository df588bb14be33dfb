# SPDX-License-Identifier: Apache-2.0
"""Calls operators, primitives and Tensor methods with hostile arguments.

Nothing may crash, hang, or fail with anything but an exception a caller understands. The calls are made by
child processes, a batch each, and follow from the seed alone: `--seed 1 --only 4711` repeats one of them.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import os
import random
import re
import resource
import subprocess
import sys
import time

BATCH = 500
HANG_S = 10
MEMORY_LIMIT = 6 << 30
ALLOWED = (
    TypeError,
    ValueError,
    IndexError,
    KeyError,
    AttributeError,
    RuntimeError,
    NotImplementedError,
    MemoryError,
    OverflowError,
    ZeroDivisionError,
    BufferError,
    StopIteration,
)
LENGTHS = [0, 1, 1, 2, 2, 3, 4, 5, 7]
HUGE = [2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63), -(2**31), 2**64, 10**30]
# Names that end the process, print, or wait for something by design.
LEFT_OUT = re.compile(r"^(_.*|asnumpy_of|print_|Print|wait.*|tofile|save.*|load.*|set_.*|reset_.*)$")


class Arguments:
    """Random arguments, from tame to hostile."""

    def __init__(self, rng: random.Random) -> None:
        import numpy

        from mindspore import _c_expression

        self.rng = rng
        self.numpy = numpy
        self.native = _c_expression
        self.dtypes = [
            getattr(_c_expression, name)
            for name in dir(_c_expression)
            if isinstance(getattr(_c_expression, name), _c_expression.DType)
        ]
        self.earlier: list = []

    def shape(self) -> tuple:
        return tuple(self.rng.choice(LENGTHS) for _ in range(self.rng.randint(0, 5)))

    def integer(self) -> int:
        rng = self.rng
        return rng.choice([rng.randint(-3, 4), rng.randint(-3, 4), rng.randint(-100, 100), rng.choice(HUGE)])

    def real(self) -> float:
        return self.rng.choice(
            [self.rng.uniform(-3, 3), 0.0, -0.0, 1e-45, 1e308, float("nan"), float("inf"), -1.0]
        )

    def array(self, shape: tuple):
        rng, numpy = self.rng, self.numpy
        generator = numpy.random.default_rng(rng.getrandbits(32))
        kind = rng.choice(["float32"] * 6 + ["float64", "float16", "int32", "int64", "int8", "uint8", "bool"])
        if rng.random() < 0.05:
            kind = rng.choice(["complex64", "complex128", "uint16", "uint32", "uint64", "int16"])
        values = generator.standard_normal(shape) * rng.choice([1, 1, 3, 1e6])
        if rng.random() < 0.15 and values.size:
            values.reshape(-1)[rng.randrange(values.size)] = self.real()
        with numpy.errstate(all="ignore"):
            return numpy.array(values).astype(kind)

    def tensor(self, shape: tuple | None = None):
        if self.earlier and self.rng.random() < 0.2:
            return self.rng.choice(self.earlier)  # the same tensor twice in one call
        made = self.native.copy_numpy(self.array(self.shape() if shape is None else shape))
        if made.ndim and self.rng.random() < 0.2:
            made = made[:: self.rng.choice([1, 2])]
        self.earlier.append(made)
        return made

    def sequence(self) -> list | tuple:
        items = [
            self.integer() if self.rng.random() < 0.9 else self.anything()
            for _ in range(self.rng.randint(0, 5))
        ]
        return items if self.rng.random() < 0.3 else tuple(items)

    def anything(self, depth: int = 0):
        rng = self.rng
        choice = rng.randrange(14)
        if choice < 3:
            return self.tensor()
        if choice < 5:
            return self.integer()
        if choice == 5:
            return self.real()
        if choice == 6:
            return self.sequence() if depth < 2 else ()
        if choice == 7:
            return None
        if choice == 8:
            return rng.choice(["", "mean", "none", "sum", "same", "valid", "NCHW", "é" * 9, "a" * 1000, "\0"])
        if choice == 9:
            return rng.random() < 0.5
        if choice == 10:
            return rng.choice(self.dtypes)
        if choice == 11:
            return self.array(self.shape())
        if choice == 12:
            return [[1, 2], [3]] if depth else [self.anything(depth + 1), [self.anything(depth + 1)]]
        return rng.choice(
            [{}, {"a": 1}, object(), b"bytes", 1 + 2j, Ellipsis, slice(None), int, range(3), set()]
        )

    def attribute(self, entry: dict):
        rng, kind = self.rng, entry["type"]
        if rng.random() < 0.15:
            return self.anything()
        if entry["choices"] and rng.random() < 0.9:
            return rng.choice(entry["choices"])
        if not entry["required"] and rng.random() < 0.3:
            return entry["default"]
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "int":
            return self.integer()
        if kind in ("float", "number"):
            return rng.choice([self.real(), self.integer()])
        if "dtype" in kind:
            return rng.choice(self.dtypes)
        if "int" in kind or "float" in kind:
            return rng.choice([self.sequence(), self.integer(), self.shape()])
        return self.anything()

    def for_operator(self, operator: dict) -> dict:
        """Arguments by name that often fit."""
        self.earlier = []
        base = self.shape()
        given = {}
        for entry in operator["inputs"]:
            shape = self.rng.choice([base, base, base[1:], base[-1:], self.shape()])
            if self.rng.random() < 0.08:
                given[entry["name"]] = self.anything()
            elif entry["variadic"]:
                given[entry["name"]] = [self.tensor(shape) for _ in range(self.rng.randint(0, 4))]
            elif entry["optional"] and self.rng.random() < 0.5:
                given[entry["name"]] = None
            else:
                given[entry["name"]] = self.tensor(shape)
        for entry in operator["attributes"]:
            if entry["required"] or self.rng.random() < 0.5:
                given[entry["name"]] = self.attribute(entry)
        if self.rng.random() < 0.03:
            given[self.rng.choice(["axis", "nonsense", "out"])] = self.anything()
        return given


def shown(value) -> str:
    """One argument in a report."""
    from mindspore import _c_expression

    if isinstance(value, _c_expression.Tensor):
        strided = "" if value.is_contiguous() else " strided"
        return f"<Tensor {value.dtype} {tuple(value.shape)}{strided}>"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"<array {value.dtype} {value.shape}>"
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."


class Caller:
    """Makes call number n."""

    def __init__(self, seed: int) -> None:
        from mindspore import _c_expression
        from mindspore.ops import _registry

        self.seed = seed
        self.registry = _registry
        self.operators = [entry["name"] for entry in _c_expression.operators()]
        tensor_type = _c_expression.Tensor
        with contextlib.suppress(ImportError):
            from mindspore import Tensor as tensor_type
        self.methods = sorted(
            name
            for name in dir(tensor_type)
            if callable(getattr(tensor_type, name, None)) and not LEFT_OUT.match(name)
        ) + [
            "__getitem__",
            "__setitem__",
            "__add__",
            "__matmul__",
            "__pow__",
            "__eq__",
            "__iter__",
            "__len__",
        ]
        self.primitives, self.functions = {}, {}
        with contextlib.suppress(ImportError, AttributeError):
            from mindspore import ops

            for name in sorted(vars(ops)):
                value = getattr(ops, name)
                if LEFT_OUT.match(name) or not callable(value):
                    continue
                (self.primitives if isinstance(value, type) else self.functions)[name] = value

    def prepare(self, number: int):
        """The call as (text, function without arguments)."""
        rng = random.Random(f"{self.seed}/{number}")
        arguments = Arguments(rng)
        kind = rng.random()
        if kind < 0.55:
            operator = self.registry.describe(rng.choice(self.operators))
            given = arguments.for_operator(operator)
            function = self.registry.function(operator["name"])
            text = ", ".join(f"{name}={shown(value)}" for name, value in given.items())
            if operator["differentiable"] and rng.random() < 0.3:
                return f"gradients of {operator['name']}({text})", lambda: gradients(function, given)
            return f"{operator['name']}({text})", lambda: function(**given)
        count = rng.choice([0, 1, 1, 2, 2, 3, 4])
        positional = [
            arguments.tensor() if rng.random() < 0.4 else arguments.anything() for _ in range(count)
        ]
        text = ", ".join(shown(value) for value in positional)
        if kind < 0.75 or not self.functions:
            target, name = arguments.tensor(), rng.choice(self.methods)
            return f"{shown(target)}.{name}({text})", lambda: getattr(target, name)(*positional)
        if kind < 0.9 or not self.primitives:
            name = rng.choice(sorted(self.functions))
            return f"ops.{name}({text})", lambda: self.functions[name](*positional)
        name = rng.choice(sorted(self.primitives))
        settings = [arguments.anything() for _ in range(rng.choice([0, 0, 1, 2]))]
        set_text = ", ".join(shown(value) for value in settings)
        return f"ops.{name}({set_text})({text})", lambda: self.primitives[name](*settings)(*positional)

    def run(self, number: int) -> tuple[str, str]:
        """(outcome, problem): the problem is empty when the call ended well."""
        text, call = self.prepare(number)
        print(f"call {number} {text}", flush=True)
        try:
            result = call()
            touch(result)
        except ALLOWED as error:
            message = str(error)
            if "internal error" in message:
                return "error", f"{type(error).__name__}: {message}"
            if isinstance(error, MemoryError) and not re.search(r"\d{7,}|\d(\.\d+)? ?[GTPE]", message + text):
                return "error", f"MemoryError from small arguments: {message}"
            return "error", ""
        except BaseException as error:  # noqa: BLE001  (whatever else comes is what we look for)
            return "foreign", f"{type(error).__name__}: {error}"
        return "result", ""


def gradients(function, given: dict) -> list:
    """Gradients of all results with respect to every tensor given."""
    from mindspore import _c_expression

    call = _c_expression.GradientCall()
    watched = {
        name: call.watch(value) if isinstance(value, _c_expression.Tensor) else value
        for name, value in given.items()
    }
    results = function(**watched)
    call.end_forward()
    results = list(results) if isinstance(results, tuple) else [results]
    return call.backward(results, [None] * len(results), False)


def touch(result) -> None:
    """Reads a result to the end, so that lies about shape or memory show."""
    from mindspore import _c_expression

    if isinstance(result, _c_expression.Tensor) and result._has_data() and result.size < 1 << 22:
        result.asnumpy().sum(dtype=object if result.size == 0 else None)
    elif isinstance(result, (tuple, list)):
        for item in result[:100]:
            touch(item)


def work(seed: int, first: int, last: int) -> int:
    """A child: makes the calls and prints one line before and one after each."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT * 4, MEMORY_LIMIT * 4))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from mindspore import _c_expression

    _c_expression.set_memory_limit("CPU", MEMORY_LIMIT // 4)
    _c_expression.set_global_seed(seed)
    caller = Caller(seed)
    for number in range(first, last):
        outcome, problem = caller.run(number)
        print(f"done {number} {outcome} {' '.join(problem.split())}", flush=True)
    return 0


class Batch:
    """A child process and what it has said."""

    def __init__(self, seed: int, first: int, last: int) -> None:
        command = [
            sys.executable,
            os.path.abspath(__file__),
            "--seed",
            str(seed),
            "--work",
            f"{first}:{last}",
        ]
        environment = {**os.environ, "OMP_NUM_THREADS": "2", "PYTHONWARNINGS": "ignore"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        os.set_blocking(self.process.stdout.fileno(), False)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.current = ""
        self.next = first
        self.counts = {"result": 0, "error": 0, "foreign": 0}
        self.problems: list[str] = []
        self._rest = ""
        self.complaint = ""

    def _take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "call":
            self.current = rest
        elif word == "done":
            number, outcome, problem = (rest + "  ").split(" ", 2)
            self.counts[outcome] += 1
            self.next = int(number) + 1
            if problem.strip():
                self.problems.append(f"{self.current}\n    {problem.strip()}")
            self.current = ""

    def _read(self) -> bool:
        with contextlib.suppress(TypeError):  # nothing there yet
            self.complaint = (self.complaint + (self.process.stderr.read() or ""))[-4000:]
        try:
            text = self.process.stdout.read()
        except TypeError:
            return False
        lines = (self._rest + (text or "")).split("\n")
        self._rest = lines.pop()
        for line in lines:
            self._take(line)
        return bool(text)

    def run(self) -> None:
        """Reads until the end; a call that takes too long ends the child."""
        since = time.monotonic()
        while True:
            if self._read():
                since = time.monotonic()
            elif self.process.poll() is not None:
                self._read()
                break
            elif time.monotonic() - since > HANG_S + (20 if not self.current else 0):
                self.process.kill()
                self.process.wait()
                self._read()
                self.problems.append(f"{self.current}\n    hangs for more than {HANG_S} s")
                self.next = max(self.next, int((self.current or "0").split()[0]) + 1)
                return
            else:
                time.sleep(0.005)
        if self.process.returncode != 0:
            where = " | ".join(self.complaint.strip().splitlines()[:3])
            self.problems.append(f"{self.current}\n    ends the process: {self.process.returncode} {where}")
            self.next = max(self.next, int((self.current or "0").split()[0]) + 1) if self.current else 1 << 60


def fuzz(seed: int, calls: int) -> int:
    """Makes all calls; returns the number of problems."""
    counts = {"result": 0, "error": 0, "foreign": 0}
    problems, position = [], 0
    while position < calls:
        batch = Batch(seed, position, min(calls, position + BATCH))
        batch.run()
        for outcome, count in batch.counts.items():
            counts[outcome] += count
        for problem in batch.problems:
            print(f"PROBLEM call {problem}", flush=True)
        problems += batch.problems
        position = max(batch.next, position + 1)
    print(
        f"{calls} calls, seed {seed}: {counts['result']} results, {counts['error']} errors, "
        f"{len(problems)} problems"
    )
    return len(problems)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000, help="number of calls (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the calls follow from it (default: %(default)s)")
    parser.add_argument("--only", type=int, help="makes one call, in this process")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        first, last = options.work.split(":")
        return work(options.seed, int(first), int(last))
    if options.only is not None:
        return work(options.seed, options.only, options.only + 1)
    return 1 if fuzz(options.seed, options.calls) else 0


if __name__ == "__main__":
    sys.exit(main())
