# SPDX-License-Identifier: Apache-2.0
"""Calls everything that computes with arguments of the right kind that do not fit, and collects the messages.

`python tests/api/provoked_errors.py` prints every message once, and what is wrong with it; `--seed` and
`--rounds` add calls with arguments drawn at random.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "generate"))

import mindspore as ms  # noqa: E402
from mindspore import Tensor, nn, ops  # noqa: E402
from mindspore import _c_expression as _c  # noqa: E402

# Names that print, wait, talk to others, or take functions of the user.
_LEFT_OUT = re.compile(
    r"^(_.*|[pP]rint.*|wait.*|save.*|load.*|set_.*|reset_.*|tofile|flush.*|asnumpy.*|Custom|kernel|PyFunc|Send|"
    r"Receive|Neighbor.*|constexpr|prim_.*|vmap|grad|value_and_grad|jac.*|jvp|vjp|jet|linearize|derivative|"
    r"get_grad|GradOperation|HookBackward|Insert.*|.*_register|.*RegOp|Morph|.*Summary|TensorDump|fill_v2|"
    r"imported_later|Jvp|Vjp)$"
)

# Shapes of the first, second, third ... tensor of a call; none of them fit each other.
_SHAPES = (
    ((2, 3), (4, 5), (6,), (7, 2)),
    ((2, 3, 4), (5, 6), (2,), (3, 1)),
    ((2, 3, 4, 4), (5, 4, 3, 3), (7,), (2, 2)),
    ((2, 3, 4, 4, 4), (6, 5, 3), (3,), (1,)),
    ((), (3,), (2, 2), ()),
    ((5,), (), (4,), (2, 3)),
    ((0, 3), (2, 0), (0,), (3,)),
)
_TYPES = (np.float32, np.int32, np.complex64, np.bool_)


# Messages about things that have no function of their own.
_SAYS_ENOUGH = re.compile(
    r"The truth value of an array|Unsupported device target|When using|Cannot iterate over a scalar tensor"
    r"|The number of (features|batch size) for|\"?The 'name' must be in|Only support integers, slices"
    r"|'Tensor' object is not callable"
)


class Provoked(NamedTuple):
    """An error that a call has raised."""

    called: str
    error: Exception
    arguments: str


def _tensor(shape: tuple, dtype: type) -> Tensor:
    values = np.arange(1, 1 + int(np.prod(shape)), dtype=np.int64) % 5
    return Tensor(values.reshape(shape).astype(dtype))


class Arguments:
    """Arguments of one call, by what the names and types of the parameters say."""

    def __init__(
        self, shapes: tuple, dtype: type, numbers: Iterator[int], other_type: type | None = None
    ) -> None:
        self._shapes = itertools.cycle(shapes)
        self._dtypes = itertools.chain([dtype], itertools.repeat(other_type or dtype))
        self._numbers = numbers

    def tensor(self) -> Tensor:
        return _tensor(next(self._shapes), next(self._dtypes))

    def of(self, parameter: inspect.Parameter, kind: str) -> object:
        """A value of the kind."""
        if kind.startswith("{collections.abc:Sequence}[{mindspore.common.tensor"):
            return [self.tensor(), self.tensor()]
        if ":Tensor}" in kind or ":Operand}" in kind:
            return self.tensor()
        if ":Ints}" in kind or kind.startswith("tuple[int"):
            return (next(self._numbers), next(self._numbers))
        if ":DType}" in kind:
            return ms.float32
        if kind.startswith("bool"):
            return True
        if kind.startswith("int"):
            return next(self._numbers)
        if kind.startswith("float") or ":Floats}" in kind:
            return 0.5
        if kind.startswith("str"):
            return parameter.default if isinstance(parameter.default, str) else "mean"
        return self.tensor()


def _typist():
    from typed.places import Surface
    from typed.signatures import Typist

    return Typist(Surface())


def _kinds(typist, function: object, owner: type | None = None, schema: list | None = None) -> list:
    """(parameter, type) of the parameters that have to be given, and of tensors that may be."""
    from typed.signatures import Described

    texts = [inspect.getdoc(function) or ""]
    if owner is not None:
        texts.append(inspect.getdoc(owner) or "")
    home = getattr(function, "__module__", None) or "mindspore.ops"
    described = Described("", home, texts, owner)
    if hasattr(function, "_operator"):
        entries = _c.describe_operator(function._operator)
        described.schema = {entry["name"]: entry for entry in (*entries["inputs"], *entries["attributes"])}
    chosen = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name == "self":
            continue
        chosen.append((parameter, typist.found_type(parameter, described) or ""))
    return chosen


def _call(function: Callable, kinds: list, arguments: Arguments, all_of_them: bool) -> Exception | None:
    given, named = [], {}
    for parameter, kind in kinds:
        is_needed = parameter.default is parameter.empty
        if is_needed or (all_of_them and ":Tensor}" in kind):
            value = arguments.of(parameter, kind)
            if parameter.kind is parameter.KEYWORD_ONLY or len(given) < kinds.index((parameter, kind)):
                named[parameter.name] = value
            else:
                given.append(value)
    try:
        function(*given, **named)
    except Exception as error:
        return error
    return None


def _made(cls: type, typist) -> object | None:
    """An object of a class of layers or primitives, with plain arguments; None when that does not work."""
    for numbers in ((3, 4, 2, 2, 2, 2), (4, 2, 1, 1, 1, 1), (2, 2, 2, 2, 2, 2)):
        arguments = Arguments(((3,), (4,)), np.float32, itertools.cycle(numbers))
        kinds = [entry for entry in _kinds(typist, cls) if entry[0].default is inspect.Parameter.empty]
        try:
            return cls(*(arguments.of(*entry) for entry in kinds))
        except Exception:
            continue
    return None


def callables(typist) -> Iterator[tuple[str, Callable, list]]:
    """(name, function, kinds of its parameters) of everything that computes."""
    for owner, prefix in ((ops, "ops"), (Tensor, "Tensor"), (nn, "nn")):
        for name in sorted(dir(owner)):
            value = getattr(owner, name, None)
            if _LEFT_OUT.match(name) or not callable(value) or inspect.ismodule(value):
                continue
            function = value
            if isinstance(value, type):
                if not issubclass(value, (nn.Cell, ops.Primitive)) or value in (nn.Cell, ops.Primitive):
                    continue
                function = _made(value, typist)
                if function is None or isinstance(function, nn.Optimizer):
                    continue
            try:
                inner = function.construct if isinstance(function, nn.Cell) else function
                kinds = _kinds(typist, inner, value if isinstance(value, type) else None)
            except (TypeError, ValueError):
                continue
            if prefix == "Tensor":
                tensor = (inspect.Parameter("input", inspect.Parameter.POSITIONAL_ONLY), "{m:Tensor}")
                if inspect.isroutine(inspect.getattr_static(Tensor, name)):
                    kinds = [tensor, *[k for k in kinds if k[0].name != "self"]]
            yield f"{prefix}.{name}", function, kinds


def _variants() -> Iterator[tuple[Arguments, bool]]:
    for shapes in _SHAPES:
        yield Arguments(shapes, np.float32, itertools.cycle((1, 0, 2))), False
        yield Arguments(shapes, np.float32, itertools.cycle((1, 0, 2))), True
    for dtype in _TYPES:
        yield Arguments(((2, 2),), dtype, itertools.cycle((0, 1))), False
        yield Arguments(((2, 2, 4, 4),), np.float32, itertools.cycle((0, 1)), dtype), True
    for numbers in ((99,), (-99,), (0,)):
        yield Arguments(((2, 2),), np.float32, itertools.cycle(numbers)), False


def provoke(rounds: int = 0, seed: int = 0) -> Iterator[Provoked]:
    """Errors of calls that cannot work; more of them with `rounds`, drawn at random."""
    rng = random.Random(seed)
    ms.set_log_level(4)
    _c.set_memory_limit("CPU", 1 << 30)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, function, kinds in list(callables(_typist())):
            drawn = [
                (
                    Arguments(
                        tuple(tuple(rng.choices((0, 1, 2, 3, 4), k=rng.randint(0, 5))) for _ in range(4)),
                        rng.choice(_TYPES[:1] * 4 + _TYPES),
                        itertools.cycle([rng.choice((-99, -1, 0, 1, 2, 3, 4, 5)) for _ in range(4)]),
                    ),
                    rng.random() < 0.5,
                )
                for _ in range(rounds)
            ]
            for number, (arguments, all_of_them) in enumerate([*_variants(), *drawn]):
                error = _call(function, kinds, arguments, all_of_them)
                if error is not None:
                    yield Provoked(name, error, f"variant {number}")


def internal_operators() -> set[str]:
    """Names of operators that users cannot call."""
    known = {name for owner in (ops, nn, Tensor) for name in dir(owner)}
    for names in _c.operators():
        known.update((names["function"], names["primitive"], names["method"]))
        known.update(names["function_aliases"] + names["primitive_aliases"] + names["method_aliases"])
    words = {"complex", "real", "imag"}  # words of the language, too
    return {names["name"] for names in _c.operators()} - known - words


def complaint(provoked: Provoked, internal: set[str]) -> str | None:
    """What is wrong with a message; None when nothing is."""
    text = str(provoked.error)
    short = provoked.called.partition(".")[2]
    if not (text.startswith(("For ", '"For ')) or re.search(rf"\b{short}\b|\w\(\) ", text)):
        return None if _SAYS_ENOUGH.match(text) else "does not say what was called"
    named = set(re.findall(r"\b[a-z_0-9]+\b", text.partition("\n  at ")[0])) & internal
    if named:
        return f"names {', '.join(sorted(named))}, which users do not know"
    if "internal error" in text:
        return "is an internal error"
    if len(text) < 20:
        return "says hardly anything"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    internal, seen = internal_operators(), set()
    for provoked in provoke(options.rounds, options.seed):
        text = str(provoked.error).partition("\n  at ")[0]
        shown = re.sub(r"\d+", "#", f"{provoked.called} {text}")
        if shown in seen:
            continue
        seen.add(shown)
        wrong = complaint(provoked, internal)
        mark, kind = "!!" if wrong else "  ", type(provoked.error).__name__
        print(f"{mark} {provoked.called} | {kind}: {text} | {wrong or ''}")


if __name__ == "__main__":
    main()
