# SPDX-License-Identifier: Apache-2.0
"""Methods of distributions from formulas."""

from __future__ import annotations

from functools import wraps

from mindspore.nn.probability import _parameters as given
from mindspore.ops._registry import op


def of_parameters(formula):
    """Makes a method of a formula over the parameters."""

    @wraps(formula)
    def method(self, *args, **kwargs):
        return formula(*self._parameters_of(args, kwargs))

    return method


def of_value(formula):
    """Makes a method of a formula over a value and the parameters."""

    @wraps(formula)
    def method(self, value, *args, **kwargs):
        value = op.cast(self._check_value(value, "value"), self.parameter_type)
        return formula(value, *[op.cast(p, value.dtype) for p in self._parameters_of(args, kwargs)])

    return method


def of_another(formula):
    """Makes a method of a formula over the other's parameters and the own."""

    @wraps(formula)
    def method(self, dist, *args, **kwargs):
        self._check_other(dist)
        count = len(self.parameter_names)
        others = list(args[:count])
        for name in self.parameter_names[len(others) :]:
            if name + "_b" not in kwargs:
                raise TypeError(f"For '{self.name}', the '{name}_b' of the other distribution must be given.")
            others.append(kwargs.pop(name + "_b"))
        others = [
            given.as_tensor(other, self.parameter_type, name + "_b", self.name)
            for name, other in zip(self.parameter_names, others, strict=True)
        ]
        return formula(*others, *self._parameters_of(args[count:], kwargs))

    return method


def drawn(formula):
    """Makes a method of a formula that draws a shape of numbers: (seed, shape, *parameters)."""

    @wraps(formula)
    def method(self, shape=(), *args, **kwargs):
        if not isinstance(shape, tuple) or not all(isinstance(n, int) and n >= 0 for n in shape):
            raise TypeError(f"For '{self.name}', the 'shape' must be a tuple of ints, but got {shape}.")
        parameters = self._parameters_of(args, kwargs)
        full = (*shape, *self._event_batch(parameters))
        return op.cast(formula(self.seed, full, *parameters), self.dtype)

    return method
