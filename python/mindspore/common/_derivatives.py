# SPDX-License-Identifier: Apache-2.0
"""Products with Jacobians, whole Jacobians and higher derivatives, built on recordings."""

from __future__ import annotations

import math

import numpy as np

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.common._gradient import Recording, _checked_positions, checked_weights, zeros_for
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common._vmap import vmap
from mindspore.common.parameter import Parameter
from mindspore.ops._registry import op


def _leaves(value) -> list[Tensor]:
    """Tensors of a Tensor, tuple or list; TypeError for anything else in it."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in _leaves(part)]
    raise TypeError(f"The inputs type must be Tensor. But got {type(value)}.")


def _split_aux(outputs, has_aux: bool):
    """(differentiated part, aux as users get it)."""
    if not has_aux:
        return outputs, None
    if not isinstance(outputs, tuple) or len(outputs) < 2:
        raise ValueError("When has_aux is True, origin fn requires more than one outputs.")
    rest = outputs[1:]
    return outputs[0], rest[0] if len(rest) == 1 else rest


def _for_user(structure):
    """What leaves the outermost gradient holds nothing of the tape."""
    return structure if _c.is_recording() else map_tensors(_c.detach, structure)


class _Linear:
    """A function around a point: outputs there, and products with its Jacobian from the left."""

    def __init__(self, fn, arguments: tuple, positions=None, weights: tuple = (), has_aux: bool = False):
        self.recording = Recording()
        try:
            self.inputs: list[Tensor] = []
            self.places: list[int] = []

            def watch(tensor):
                alias, place = self.recording.watch(tensor)
                self.inputs.append(tensor)
                self.places.append(place)
                return alias

            given = list(arguments)
            for position in range(len(given)) if positions is None else positions:
                given[position] = map_tensors(watch, given[position])
            self.weights = [(weight, self.recording.watch_parameter(weight)) for weight in weights]
            self.outputs, self.aux = _split_aux(fn(*given), has_aux)
            self.tracked = self.recording.tracked(self.outputs)
        finally:
            self.recording.end_forward()

    def pull(self, seeds: list) -> list:
        """Input gradients for gradients of the outputs; None where nothing arrives."""
        found = self.recording.backward(self.tracked, seeds, True)
        return [found[place] for place in self.places]


def vjp(fn, *inputs, weights=None, has_aux=False):
    """Outputs of `fn` and the function that multiplies a vector with its Jacobian from the left.

    Args:
        fn (Union[Function, Cell]): Function of tensors.
        inputs (Tensor): Its arguments.
        weights (Union[ParameterTuple, Parameter, list[Parameter]]): Parameters to differentiate with
            respect to besides. Default: ``None``.
        has_aux (bool): Only the first output is differentiated. Default: ``False``.

    Returns:
        ``(outputs, vjp_fn)`` or ``(outputs, vjp_fn, aux)``. `vjp_fn` takes a vector per output and returns a
        tuple with the gradient of each input.

    Raises:
        TypeError: An input is not a Tensor or a tuple of them.

    Supported Platforms:
        ``CPU``
    """
    for value in inputs:
        _leaves(value)
    parameters = checked_weights(weights) or ()
    linear = _Linear(fn, inputs, weights=parameters, has_aux=has_aux)

    def vjp_fn(*vectors):
        given = _leaves(vectors)
        if len(given) != len(linear.tracked):
            raise RuntimeError(
                f"The given sens gradient's size should be same as out of network! Expected "
                f"{len(linear.tracked)} vectors, but got {len(given)}."
            )
        found = linear.recording.backward(linear.tracked, given, True)
        gradients = iter([zeros_for(found[p], t) for p, t in zip(linear.places, linear.inputs, strict=False)])
        parts = tuple(map_tensors(lambda _: next(gradients), value) for value in inputs)
        if weights is None:
            return parts
        part = tuple(zeros_for(found[place], weight) for weight, place in linear.weights)
        return parts, part[0] if isinstance(weights, Parameter) else part

    outputs = _for_user(linear.outputs)
    return (outputs, vjp_fn, _for_user(linear.aux)) if has_aux else (outputs, vjp_fn)


class _Forward:
    """A function around a point: products with its Jacobian from the right.

    The product from the left, u -> u'J, is linear in u; differentiating it with respect to u in the
    direction v gives Jv.
    """

    def __init__(self, fn, arguments: tuple, positions=None, has_aux: bool = False):
        outer = Recording()
        try:
            self.linear = _Linear(fn, arguments, positions, has_aux=has_aux)
            self.places, vectors = [], []
            for output in self.linear.tracked:
                alias, place = outer.watch(op.zeros_like(_c.detach(output)))
                self.places.append(place)
                vectors.append(alias)
            self.products = self.linear.pull(vectors)
        finally:
            outer.end_forward()
        self.outer = outer

    def push(self, vectors: list[Tensor]) -> list[Tensor]:
        """Directional derivatives of the outputs."""
        pairs = [(p, v) for p, v in zip(self.products, vectors, strict=False) if p is not None]
        found = self.outer.backward([p for p, _ in pairs], [v for _, v in pairs], True)
        return [
            zeros_for(found[place], out) for place, out in zip(self.places, self.linear.tracked, strict=False)
        ]

    def rebuilt(self, tensors: list[Tensor]):
        """The tensors in the structure of the outputs."""
        source = iter(tensors)
        return map_tensors(lambda _: next(source), self.linear.outputs)


def _jvp_arguments(inputs, v) -> tuple[tuple, list[Tensor], list[Tensor]]:
    for value in (inputs, v):
        if not isinstance(value, (Tensor, tuple, list)):
            raise TypeError(
                f"The inputs type must be a Tensor, tuple or list of Tensors. But got {type(value)}."
            )
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    points, vectors = _leaves(arguments), _leaves(v)
    if len(points) != len(vectors):
        raise ValueError(f"v has invalid length: should be {len(points)}, but got {len(vectors)}")
    for point, vector in zip(points, vectors, strict=False):
        if point.dtype is not vector.dtype:
            raise TypeError(f"Type Join Failed: dtype1 = {vector.dtype}, dtype2 = {point.dtype}.")
        if point.shape != vector.shape:
            raise ValueError(
                f"For 'jvp', v must have the shape {point.shape} of its input, but got {vector.shape}."
            )
    return arguments, points, vectors


def jvp(fn, inputs, v, has_aux=False):
    """Outputs of `fn` and their derivatives in the direction `v`.

    Args:
        fn (Union[Function, Cell]): Function of tensors.
        inputs (Union[Tensor, tuple[Tensor], list[Tensor]]): Its arguments.
        v (Union[Tensor, tuple[Tensor], list[Tensor]]): The direction, shaped like `inputs`.
        has_aux (bool): Only the first output is differentiated. Default: ``False``.

    Returns:
        ``(outputs, derivatives)`` or ``(outputs, derivatives, aux)``.

    Raises:
        TypeError: `inputs` or `v` are not tensors, or differ in type.
        ValueError: `v` differs from `inputs` in number or shape.

    Supported Platforms:
        ``CPU``
    """
    arguments, _, vectors = _jvp_arguments(inputs, v)
    forward = _Forward(fn, arguments, has_aux=has_aux)
    derivatives = _for_user(forward.rebuilt(forward.push(vectors)))
    outputs = _for_user(forward.linear.outputs)
    return (outputs, derivatives, _for_user(forward.linear.aux)) if has_aux else (outputs, derivatives)


def linearize(fn, inputs):
    """Outputs of `fn` and the function that gives their derivative in any direction.

    Args:
        fn (Union[Function, Cell]): Function of tensors.
        inputs (Union[Tensor, tuple[Tensor], list[Tensor]]): Its arguments.

    Returns:
        ``(outputs, jvp_fn)``.
    """
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    forward = _Forward(fn, arguments)

    def jvp_fn(*v):
        _, _, vectors = _jvp_arguments(arguments, v)
        return _for_user(forward.rebuilt(forward.push(vectors)))

    return _for_user(forward.linear.outputs), jvp_fn


def _unit_vectors(like: Tensor) -> list[Tensor]:
    rows = _c.copy_numpy(np.eye(like.size, dtype=np.float32))
    if like.dtype is not mstype.float32:
        rows = op.cast(rows, like.dtype)
    return [op.reshape(rows[i], like.shape) for i in range(like.size)]


def _check_jacobian_arguments(positions: tuple, args: tuple) -> None:
    for position in positions:
        if position >= len(args):
            raise ValueError("The element in grad_position must belong to [0, args_num).")
        if not isinstance(args[position], Tensor):
            raise TypeError(
                f"The inputs type must be Tensor, but argument {position} is {type(args[position])}."
            )


def _arranged(rows: list[list[Tensor]], single_output: bool):
    """Jacobians by output and input, flattened where there is only one of either."""
    if single_output and len(rows[0]) == 1:
        return rows[0][0]
    if single_output:
        return tuple(rows[0])
    if len(rows[0]) == 1:
        return tuple(row[0] for row in rows)
    return tuple(tuple(row) for row in rows)


def jacrev(fn, grad_position=0, has_aux=False):
    """Function that computes Jacobians row by row, best for few outputs.

    Args:
        fn (Union[Function, Cell]): Function to differentiate.
        grad_position (Union[int, tuple[int]]): Arguments to differentiate with respect to. Default: ``0``.
        has_aux (bool): Only the first output is differentiated. Default: ``False``.

    Returns:
        Function that returns a Tensor of shape ``out.shape + in.shape``, or tuples of them.

    Supported Platforms:
        ``CPU``
    """
    positions = _checked_positions(grad_position, "F.jacrev")

    def jacobian(*args):
        _check_jacobian_arguments(positions, args)
        linear = _Linear(fn, args, positions, has_aux=has_aux)
        rows = []
        for i, output in enumerate(linear.tracked):
            pulled = []
            for vector in _unit_vectors(output):
                seeds = [op.zeros_like(_c.detach(other)) for other in linear.tracked]
                seeds[i] = vector
                found = linear.pull(seeds)
                pulled.append([zeros_for(g, t) for g, t in zip(found, linear.inputs, strict=False)])
            rows.append(
                [
                    op.reshape(op.stack([row[j] for row in pulled], axis=0), output.shape + source.shape)
                    for j, source in enumerate(linear.inputs)
                ]
            )
        result = _for_user(_arranged(rows, isinstance(linear.outputs, Tensor)))
        return (result, _for_user(linear.aux)) if has_aux else result

    return jacobian


def jacfwd(fn, grad_position=0, has_aux=False):
    """Function that computes Jacobians column by column, best for few inputs.

    Args:
        fn (Union[Function, Cell]): Function to differentiate.
        grad_position (Union[int, tuple[int]]): Arguments to differentiate with respect to. Default: ``0``.
        has_aux (bool): Only the first output is differentiated. Default: ``False``.

    Returns:
        Function that returns a Tensor of shape ``out.shape + in.shape``, or tuples of them.

    Supported Platforms:
        ``CPU``
    """
    positions = _checked_positions(grad_position, "F.jacfwd")

    def jacobian(*args):
        _check_jacobian_arguments(positions, args)
        forward = _Forward(fn, args, positions, has_aux=has_aux)
        inputs, outputs = forward.linear.inputs, forward.linear.tracked
        rows: list[list[Tensor]] = [[] for _ in outputs]
        for j, source in enumerate(inputs):
            pushed = []
            for vector in _unit_vectors(source):
                vectors = [op.zeros_like(_c.detach(other)) for other in inputs]
                vectors[j] = vector
                pushed.append(forward.push(vectors))
            for i, output in enumerate(outputs):
                stacked = op.stack([column[i] for column in pushed], axis=-1)
                rows[i].append(op.reshape(stacked, output.shape + source.shape))
        result = _for_user(_arranged(rows, isinstance(forward.linear.outputs, Tensor)))
        return (result, _for_user(forward.linear.aux)) if has_aux else result

    return jacobian


_JET_TYPES = (mstype.int32, mstype.int64, mstype.float32, mstype.float64)


def _jet_arguments(primals, series) -> tuple[list[Tensor], list[Tensor]]:
    if isinstance(primals, Tensor) != isinstance(series, Tensor):
        raise TypeError("For `F.jet`, the 'primals' and `series` must be both Tensor or tuple.")
    points, terms = _leaves(primals), _leaves(series)
    kinds = {tensor.dtype for tensor in points + terms}
    if len(kinds) != 1 or not kinds <= set(_JET_TYPES):
        raise TypeError(
            "For `F.jet`, the elements' types of primals and series must be the same and belong to "
            "`mstype.int32, mstype.int64, mstype.float32, mstype.float64`, but got "
            f"{sorted(map(str, kinds))}."
        )
    if len(points) != len(terms):
        raise ValueError(f"For `F.jet`, {len(points)} primals need as many series, but got {len(terms)}.")
    if kinds <= {mstype.int32, mstype.int64}:
        points = [op.cast(tensor, mstype.float32) for tensor in points]
        terms = [op.cast(tensor, mstype.float32) for tensor in terms]
    ready = []
    for point, term in zip(points, terms, strict=False):
        if term.shape == point.shape:
            term = op.expand_dims(term, 0)
        if term.shape[1:] != point.shape:
            raise ValueError(
                f"For `F.jet`, series of shape {term.shape} does not fit a primal of shape {point.shape}."
            )
        ready.append(term)
    return points, ready


def _taylor(fn, points: list[Tensor], terms: list[Tensor], order: int):
    """fn along the curve x + s1 t + s2 t^2 / 2! + ..., and its derivatives at t = 0."""

    def along(t):
        moved = []
        for point, term in zip(points, terms, strict=False):
            value = point
            for k in range(term.shape[0]):
                value = value + term[k] * (t ** (k + 1)) / math.factorial(k + 1)
            moved.append(value)
        return fn(*moved)

    start, one = op.zeros_like(points[0].reshape(-1)[0]), op.ones_like(points[0].reshape(-1)[0])
    functions = [along]
    for _ in range(order):
        inner = functions[-1]
        functions.append(lambda t, inner=inner: jvp(inner, t, one)[1])
    return functions[0](start), [function(start) for function in functions[1:]]


def jet(fn, primals, series):
    """Derivatives of `fn` along a curve given by its Taylor coefficients.

    Args:
        fn (Union[Function, Cell]): Function of tensors.
        primals (Union[Tensor, tuple[Tensor]]): The point.
        series (Union[Tensor, tuple[Tensor]]): Derivatives of the curve, the order on the first axis.

    Returns:
        ``(outputs, derivatives)``, with the order on the first axis of the derivatives.
    """
    points, terms = _jet_arguments(primals, series)
    order = terms[0].shape[0]
    output, derivatives = _taylor(fn, points, terms, order)
    if isinstance(output, Tensor):
        return output, op.stack(derivatives, axis=0)
    stacked = [
        op.stack([tensors_in(d)[i] for d in derivatives], axis=0) for i in range(len(tensors_in(output)))
    ]
    source = iter(stacked)
    return output, map_tensors(lambda _: next(source), output)


def derivative(fn, primals, order):
    """Outputs of `fn` and their derivative of the given order.

    Args:
        fn (Union[Function, Cell]): Function of tensors.
        primals (Union[Tensor, tuple[Tensor]]): The point.
        order (int): At least 1.

    Returns:
        ``(outputs, derivative)``.
    """
    if isinstance(order, bool) or not isinstance(order, int):
        raise TypeError(f"For `F.derivative`, the type of order must be int. But got {type(order)}.")
    if order < 1:
        raise ValueError(f"For `F.derivative`, value of order should not be less than 1, but got {order}.")
    points = _leaves(primals)
    ones = [op.ones_like(point) for point in points]
    points, terms = _jet_arguments(tuple(points), tuple(ones))
    output, derivatives = _taylor(fn, points, terms, order)
    return output, derivatives[-1]


__all__ = ["derivative", "jacfwd", "jacrev", "jet", "jvp", "linearize", "vjp", "vmap"]
