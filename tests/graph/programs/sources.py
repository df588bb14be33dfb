# SPDX-License-Identifier: Apache-2.0
"""Functions without source, compiled functions that call each other, arguments of odd kinds."""

from __future__ import annotations

import random
import time

import numpy as np

import mindspore as ms
from mindspore import Tensor, jit, jit_class, nn, ops
from programs import f32, i32, program, ramp, script

X = [1.0, 2.0, 3.0]

_namespace: dict = {"ops": ops}
exec(  # what a notebook or a prompt does
    """
def without_source(x):
    if x > 0:
        return ops.exp(x)
    return x
""",
    _namespace,
)


@program((f32(1.0),), (f32(-1.0),))
def calls_a_function_without_source(x):
    return _namespace["without_source"](x) * 2


@script
def function_without_source(compiled):
    run = compiled(_namespace["without_source"])
    return [run(Tensor(v)) for v in (1.0, -1.0, 1.0, -1.0)]


@script
def lambda_in_a_call(compiled):
    return [compiled(lambda x: x * 2)(Tensor(X)) for _ in range(2)]


@jit
def _inner(x):
    if x.sum() > 0:
        return x * 2
    return x


@program((ramp(3),), (-ramp(3),))
def compiled_function_inside(x):
    return _inner(x) + _inner(-x)


@jit(jit_config=ms.JitConfig(jit_level="O1"))
def _configured(x):
    return x + 1


@program((ramp(3),))
def configured_function_inside(x):
    return _configured(x)


@jit_class
class _Marked:
    def __init__(self, value):
        self.value = value

    def __call__(self, x):
        return x * self.value

    def __enter__(self):
        return self.value

    def __exit__(self, *exception):
        return False


_marked = _Marked(3)


@program((ramp(3),))
def marked_class(x):
    with _Marked(2) as two:
        return _marked(x) + _Marked(4)(x) * two


@script
def cell_and_function_in_turn(compiled):
    net = nn.Dense(3, 3)
    run = compiled(lambda x: net(x) * 2)
    x = Tensor(ramp(1, 3))
    return [run(x), net(x), run(x), net(run(x)), net(x)]


@script
def the_same_function_marked_twice(compiled):
    def double(x):
        return x * 2

    a, b = compiled(double), compiled(compiled(double))
    return [a(Tensor(X)), b(Tensor(X)), a(Tensor(X)), b(Tensor(X))]


@script
def numbers_as_arguments(compiled):
    run = compiled(lambda x, k: x * k)
    return [run(Tensor(X), k) for k in (1, 2, 1, 2.0, True, 0.0, -0.0, 1)]


@script
def texts_and_none_as_arguments(compiled):
    run = compiled(lambda x, a, b=None: (x * len(a), b))
    return [
        run(Tensor(X), "ab"),
        run(Tensor(X), "abc", None),
        run(Tensor(X), "ab", b="c"),
        run(Tensor(X), "ab"),
    ]


@script
def keywords_in_another_order(compiled):
    run = compiled(lambda x, a=1, b=2: x * a + b)
    return [run(Tensor(X), a=3, b=4), run(Tensor(X), b=4, a=3), run(x=Tensor(X), b=5), run(Tensor(X), 3, 4)]


@script
def array_as_an_argument(compiled):
    run, array, found = compiled(lambda x, a: x * Tensor(a)), np.ones(3, np.float32), []
    for k in range(3):
        array[0] = k
        found.append(run(Tensor(X), array))
    return found


@script
def array_from_outside(compiled):
    array = np.ones(3, np.float32)
    run, found = compiled(lambda x: x * Tensor(array)), []
    for k in (0, 0, 1, 1, 2):
        array[0] = k
        found.append(run(Tensor(X)))
    return found


@script
def mutable_arguments(compiled):
    run = compiled(lambda values: values[0] * values[1])
    return [run(ms.mutable((Tensor(X), Tensor(k)))) for k in (1.0, 2.0, 3.0)]


@script
def types_as_arguments(compiled):
    run = compiled(lambda x, t: x.astype(t))
    return [run(Tensor(X), t) for t in (ms.float16, ms.int32, ms.float16)]


@script
def cell_as_an_argument(compiled):
    run, first, second = compiled(lambda net, x: net(x) * 2), nn.Dense(3, 2), nn.Tanh()
    x = Tensor(ramp(1, 3))
    return [run(first, x), run(second, x), run(first, x), run(second, x)]


@script
def parameter_as_an_argument(compiled):
    p = ms.Parameter(Tensor(X), name="p")
    run = compiled(lambda a, b: a * b)
    found = [run(p, Tensor(X)), run(Tensor(X), p), run(p, p)]
    p.set_data(p * 2)
    return found + [run(p, Tensor(X)), run(Tensor(X), p), run(p, p)]


@script
def the_same_tensor_twice(compiled):
    run, x, y = compiled(lambda a, b: (a * b, a is b)), Tensor(X), Tensor(X)
    return [run(x, y)[0], run(x, x)[0], run(y, x)[0]]


@script
def results_fed_back(compiled):
    run, x = compiled(lambda a: a * 0.5 + 1), Tensor(X)
    for _ in range(5):
        x = run(x)
    return x


@script
def results_outlive_later_calls(compiled):
    run = compiled(lambda a: (a * 2, a + 1))
    found = [run(Tensor(X) * k) for k in range(4)]
    return found


@script
def result_written_by_the_caller(compiled):
    run = compiled(lambda a: (a * 2, ops.ones((3,), ms.float32)))
    found = []
    for _ in range(3):
        y, one = run(Tensor(X))
        y[0] = 100.0
        one[1] = 50.0
        found += [y, one]
    return found


@script
def strided_arguments(compiled):
    run, base = compiled(lambda a: a * 2 + a.sum()), Tensor(ramp(3, 4))
    return [run(base[:, 1]), run(base[:, 2]), run(base[1, :3]), run(base.T[0])]


@script
def time_is_read(compiled):
    def stamped(x):
        now = time.time()
        return x * 2, now > 0

    run = compiled(stamped)
    return [run(Tensor(X)) for _ in range(3)]


@script
def python_random_numbers(compiled):
    def drawn(x):
        return x * random.random()

    random.seed(5)
    run = compiled(drawn)
    return [run(Tensor(X)) for _ in range(3)]


@script
def numpy_random_numbers(compiled):
    source = np.random.default_rng(3)
    run = compiled(lambda x: x * float(source.standard_normal()))
    return [run(Tensor(X)) for _ in range(3)]


@script
def numpy_global_random_numbers(compiled):
    np.random.seed(4)
    run = compiled(lambda x: x * float(np.random.rand()) + np.random.normal())
    return [run(Tensor(X)) for _ in range(3)]


@script
def iterator_from_outside(compiled):
    numbers = iter(range(10))
    run = compiled(lambda x: x * next(numbers))
    return [run(Tensor(X)) for _ in range(3)]


@script
def many_values_are_read(compiled):
    run = compiled(lambda x: x * int(x.sum()))
    return [run(Tensor(X) * k) for k in range(12)]


@script
def large_values_are_read(compiled):
    run = compiled(lambda x: x * float(x.asnumpy()[0]))
    return [run(Tensor(np.full(100, k, np.float32))) for k in range(3)]


@program((i32(3),), gradient=False)
def returns_a_function(n):
    k = int(n)
    return (lambda x: x + k)(1)


@script
def returns_a_closure(compiled):
    run = compiled(lambda x: lambda y: x * y)
    return [run(Tensor(X))(Tensor(2.0)) for _ in range(3)]


@script
def returns_a_generator(compiled):
    run = compiled(lambda x: (x * k for k in range(3)))
    return [list(run(Tensor(X))) for _ in range(3)]


@script
def unpacked_result(compiled):
    run = compiled(lambda x: [x * k for k in range(3)])
    a, *rest = run(Tensor(X))
    b, *others = run(Tensor(X))
    return a, rest, b, others


@script
def called_with_errors(compiled):
    run, found = compiled(lambda x, y: x * y), []
    for args in ((Tensor(X),), (Tensor(X), 1, 2), (Tensor(X), 2)):
        try:
            found.append(run(*args))
        except TypeError:
            found.append("TypeError")
    return found


@script
def twice_differentiated(compiled):
    run = compiled(ms.grad(compiled(ms.grad(compiled(lambda x: (x**3).sum())))))
    return [run(Tensor(X) * k) for k in (1, 2, 3)]
