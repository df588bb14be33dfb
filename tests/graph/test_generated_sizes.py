# SPDX-License-Identifier: Apache-2.0
"""Random functions give for any size what they give eagerly, and so do their gradients."""

from __future__ import annotations

import os

import numpy as np
import pytest
from generated_sizes import SizesWriter

import mindspore as ms
from mindspore import Tensor, ops

COUNT = int(os.environ.get("MYCEL_GENERATED_SIZES", "60"))
SHAPES = ((3, 4), (5, 4), (2, 3), (4, 4), (1, 3), (6, 2), (3, 1), (7, 5), (1, 1), (3, 4))


def _results(function, args: tuple):
    try:
        found = function(*args)
    except Exception as error:  # noqa: BLE001  (whatever it is, both ways must raise it)
        return type(error)
    return [part.asnumpy() for part in found]


@pytest.mark.parametrize("seed", range(COUNT))
def test_any_size_gives_what_pynative_gives(seed):
    text = SizesWriter(seed).text()
    namespace = {"ops": ops, "ms": ms}
    exec(compile(text, f"<function {seed}>", "exec"), namespace)
    source = np.random.default_rng(seed)
    total = ms.grad(lambda x, y: sum(part.sum() for part in namespace["f"](x, y)), (0, 1))
    for function in (namespace["f"], total):
        compiled = ms.jit(lambda x, y, function=function: function(x, y))
        for shape in SHAPES:
            args = tuple(Tensor(source.uniform(-1, 1, shape).astype(np.float32)) for _ in range(2))
            expected, found = _results(function, args), _results(compiled, args)
            assert type(found) is type(expected), f"{text}\n{shape}: {found} {expected}"
            if isinstance(expected, type):
                assert found is expected, f"{text}\n{shape}"
                continue
            for a, b in zip(expected, found, strict=True):
                assert a.shape == b.shape and a.dtype == b.dtype, f"{text}\n{shape}"
                np.testing.assert_allclose(b, a, 1e-3, 1e-4, err_msg=f"{text}\n{shape}")
