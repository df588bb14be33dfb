# SPDX-License-Identifier: Apache-2.0
"""Random Cells that write elements, Parameters and attributes: the same in both modes."""

from __future__ import annotations

import contextlib
import io
import random

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

_PLACES = (
    "[{k}]", "[i]", "[:, {k}]", "[i, 1:]", "[..., {k}]", "[Tensor([0, 2])]", "[i, i]", "[::2]", "[x > 0]",
)  # fmt: skip
_VALUES = ("5.0", "x.sum()", "{s}.max()", "{s}[0, 0]", "x[i, i]")
_STATEMENTS = (
    "{t}{place} = {value}",
    "{t}{place} = {value}",
    "{t}{place} = {value}",
    "{l} = {s} * 0.5 + {l}",
    "self.held = {s} * 2",
    "self.held = self.held + {s}",
    "ops.assign(self.state, {s})",
    "ops.assign_add(self.state, {s})",
    "self.state = {s} + 1",
    "self.count += 1",
    "if {s}.sum() > {k}:\n            {t}{place} = {value}",
    "{l} = ops.dropout({s}, 0.5)",
    "{l} = {l} + ops.rand(3, 4)",
    "print({s}.sum() > 0)",
    "{l} = {l} + float({s}.sum() > 0)",
    "for row in {s}:\n            {l} = {l} + row",
    "{l} = ops.stop_gradient({s}) + {l}",
    "{l} = self.weight @ {s}.T @ {l}",
)


def _source(seed: int) -> str:
    choose = random.Random(seed)
    lines = ["class Net(Base):", "    def construct(self, x, i):", "        a, c = x * 1, ops.zeros((3, 4))"]
    held = ("a", "c", "self.weight", "self.state", "self.held")
    for _ in range(choose.randint(3, 8)):
        names = {"t": choose.choice(held), "s": choose.choice((*held, "x")), "l": choose.choice("ac")}
        names["k"] = choose.randint(0, 2)
        names["place"] = choose.choice(_PLACES).format(**names)
        names["value"] = choose.choice(_VALUES).format(**names)
        lines.append("        " + choose.choice(_STATEMENTS).format(**names))
    return "\n".join([*lines, "        return a, c, self.held * 1, self.state + 0"])


class Base(nn.Cell):
    """What the random cells write to."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.arange(12).reshape(3, 4), ms.float32), name="weight")
        self.state = Parameter(Tensor(np.ones((3, 4)), ms.float32), name="state", requires_grad=False)
        self.held, self.count = Tensor(np.zeros((3, 4)), ms.float32), 0


def _calls(source: str, mode: int, with_gradient: bool) -> tuple[list, str]:
    """Results of all calls and what is left behind; what was printed."""
    ms.set_context(mode=mode)
    ms.set_seed(3)
    names = {"Base": Base, "Tensor": Tensor, "ops": ops}
    exec(source, names)
    net = run = names["Net"]()
    if with_gradient:
        run = ms.grad(lambda x, i: sum((y * y).sum() for y in net(x, i)), 0, net.trainable_params())
        run = ms.jit(run) if mode == ms.GRAPH_MODE else run
    found, printed = [], io.StringIO()
    with contextlib.redirect_stdout(printed):
        for k in (0, 1, 2) * 2:
            x = np.random.default_rng(k).standard_normal((3, 4)).astype(np.float32)
            try:
                result = run(Tensor(x), Tensor(k, ms.int32))
                result = (result[0], *result[1]) if with_gradient else result
                found.append([each.asnumpy().copy() for each in result])
            except RuntimeError:  # a gradient of what was written over
                found.append(None)
    found.append([net.weight.asnumpy(), net.state.asnumpy(), net.held.asnumpy(), np.array(net.count)])
    return found, printed.getvalue()


@pytest.mark.parametrize("with_gradient", [False, True])
@pytest.mark.parametrize("seed", range(150))
def test_same_in_both_modes(seed, with_gradient):
    source = _source(seed)
    try:
        expected, expected_print = _calls(source, ms.PYNATIVE_MODE, with_gradient)
        found, found_print = _calls(source, ms.GRAPH_MODE, with_gradient)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert found_print == expected_print, source
    for now, before in zip(found, expected, strict=True):
        if before is None:  # views are values in a compiled function: what was saved is not written over
            continue
        assert now is not None, source
        for one, other in zip(now, before, strict=True):
            np.testing.assert_allclose(one, other, 1e-3, 1e-3, err_msg=source)
