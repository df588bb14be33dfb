# SPDX-License-Identifier: Apache-2.0
"""Loads the worked example, a library whose path is the only argument, and uses its operator."""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from mindspore import _c_expression as _c  # noqa: E402

_c.load_plugin(sys.argv[1])

import gradients  # noqa: E402
import operator_samples as samples  # noqa: E402

from mindspore.ops import _registry  # noqa: E402

_c.check_definitions()
assert "center" in samples.NAMES
problems = []
for case in samples.cases("center"):
    (result,) = case.call(case.tensors())
    (expected,) = case.expected()
    problems.append(samples.differs(result, expected, samples.tolerance(case.operator, result.dtype)))
for case in samples.cases("center", dtypes=[_c.float64]):
    problems += gradients.check_first(case).problems + gradients.check_second(case).problems
assert not any(problems), problems

center = _registry.function("center")
strided = samples.cases("center", dtypes=[_c.float64])[0].tensors()[0][:, ::2]
assert abs(center(strided).asnumpy().sum()) < 1e-12
try:
    center(3.0)
except ValueError as error:
    assert str(error).startswith("For 'center', the dimension of 'input'"), error
else:
    raise AssertionError("a number has no rows")
print(center.__doc__)
