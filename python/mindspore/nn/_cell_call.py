# SPDX-License-Identifier: Apache-2.0
"""What may stand around `construct`: hooks, a custom backward, another compute type, recomputation."""

from __future__ import annotations

import inspect

from mindspore import _c_expression as _c
from mindspore import context
from mindspore.common._structure import argument_counts, map_tensors, tensors_in
from mindspore.common.hook import with_backward
from mindspore.common.tensor import Tensor
from mindspore.nn._cell_inputs import check_declared
from mindspore.ops._registry import op


def check_arguments(cell, args: tuple, kwargs: dict) -> None:
    """Raises a TypeError that tells how many arguments `construct` takes, if these do not fit."""
    signature = inspect.signature(cell.construct)
    if kwargs:
        signature.bind(*args, **kwargs)
        return
    needed, most = argument_counts(signature)
    if len(args) < needed:
        raise TypeError(
            f"For 'Cell', the function construct requires {needed} positional argument, but got {len(args)}. "
            "When using set_inputs, please make sure that all networks and loss functions are configured "
            "with set_inputs."
        )
    if most is not None and len(args) > most:
        plain = inspect.getattr_static(type(cell), "construct", None)
        if inspect.isfunction(plain) and "self" not in inspect.signature(plain).parameters:
            raise TypeError("For 'Cell', the method 'construct' must have parameter 'self'.")
        raise TypeError(
            f"For 'Cell', the function construct requires {needed} positional argument and {most - needed} "
            f"default argument, total {most}, but got {len(args)}."
        )


def call_in_full(cell, args: tuple, kwargs: dict):
    """A call of a cell that is not just `construct`."""
    hooks = cell._cell_hooks
    if cell._cell_inputs is not None:
        check_declared(cell, args, kwargs)
    for hook in list(hooks.get("forward_pre", {}).values()):
        replaced = hook(cell, args)
        if replaced is not None:
            args = replaced if isinstance(replaced, tuple) else (replaced,)
    if "backward" in hooks and _c.is_recording():
        outputs = _with_backward_hooks(cell, args, kwargs)
    else:
        outputs = _construct(cell, args, kwargs)
    for hook in list(hooks.get("forward", {}).values()):
        replaced = hook(cell, args, outputs)
        if replaced is not None:
            outputs = replaced
    return outputs


def _construct(cell, args: tuple, kwargs: dict):
    if cell._recompute and _c.is_recording():
        from mindspore.common.recompute import recomputed

        return recomputed(cell, lambda *a, **k: _typed(cell, a, k), args, kwargs)
    if hasattr(type(cell), "bprop") and _c.is_recording():
        return _with_custom_backward(cell, args, kwargs)
    return _typed(cell, args, kwargs)


def _typed(cell, args: tuple, kwargs: dict):
    """`construct`, with floating inputs of operators in the cell's compute type."""
    dtype = cell._compute_type
    if dtype is None:
        return cell.construct(*args, **kwargs)
    if getattr(cell, "_cast_at_entry", False):
        outputs = cell.construct(*in_type(args, dtype), **kwargs)
    else:
        switch = _c.ComputeType(dtype)
        try:
            outputs = cell.construct(*args, **kwargs)
        finally:
            del switch
    wanted = cell.__dict__.get("_output_type")
    return outputs if wanted is None else in_type(outputs, wanted)


def in_type(structure, dtype):
    def cast(tensor):
        is_float = tensor.dtype in (_c.float16, _c.float32, _c.float64, _c.bfloat16)
        return op.cast(tensor, dtype) if is_float and tensor.dtype is not dtype else tensor

    return map_tensors(cast, structure)


# ---- backward hooks ----------------------------------------------------------------------------


def _with_backward_hooks(cell, args: tuple, kwargs: dict):
    identity = f"{cell.cls_name}({id(cell)})"
    arriving: list = []
    tracked = [tensor for tensor in tensors_in(args) if _c.is_tracked(tensor)]

    def call_hooks(leaving: tuple) -> tuple:
        for hook in list(cell._cell_hooks.get("backward", {}).values()):
            replaced = hook(identity, tuple(arriving), leaving)
            if replaced is not None:
                leaving = tuple(replaced) if isinstance(replaced, (tuple, list)) else (replaced,)
        return leaving

    def leave(*gradients):
        return list(call_hooks(gradients))

    def arrive(*gradients):
        arriving[:] = gradients
        if not tracked:
            call_hooks(())
        return list(gradients)

    if tracked:
        renewed = iter(with_backward("backward_hook", tracked, leave))
        args = map_tensors(lambda t: next(renewed) if _c.is_tracked(t) else t, args)
    outputs = _construct(cell, args, kwargs)
    found = tensors_in(outputs)
    renewed_outputs = iter(with_backward("backward_hook", found, arrive)) if found else iter(())
    return map_tensors(lambda _: next(renewed_outputs), outputs)


# ---- custom backward ---------------------------------------------------------------------------


def _with_custom_backward(cell, args: tuple, kwargs: dict):
    if kwargs:
        bound = inspect.signature(cell.construct).bind(*args, **kwargs)
        bound.apply_defaults()
        args = bound.args
    if getattr(type(cell).bprop, "_is_jit", False):
        raise RuntimeError("Decorating bprop with '@jit' is not supported.")
    weights = [parameter for parameter in cell.trainable_params() if _c.is_tracked(parameter)]
    switch = _c.RecordingSwitch(False)
    try:
        outputs = _typed(cell, args, {})
    finally:
        del switch
    return _recorded(cell, args, weights, outputs)


def _recorded(cell, args: tuple, weights: list, values):
    """Tensors with the values of `construct`, whose history is the cell's `bprop`."""
    values = map_tensors(_c.detach, values)
    outputs = map_tensors(_c.detach, values)

    def backward(*gradients):
        # For gradients of gradients the outputs must lead back to the inputs; holding on to the outputs above
        # would make the history hold itself.
        out = _recorded(cell, args, weights, values) if _c.is_recording() else values
        received = iter(gradients)
        dout = map_tensors(lambda t: _or_zeros(next(received), t), values)
        return _checked_gradients(cell, args, weights, cell.bprop(*args, out, dout))

    _c.record_custom(cell.cls_name, tensors_in(args) + weights, tensors_in(outputs), backward)
    return outputs


def _or_zeros(gradient, tensor: Tensor):
    return op.zeros_like(tensor) if gradient is None else gradient


def _checked_gradients(cell, args: tuple, weights: list, returned) -> list:
    """One gradient or None per tensor of the inputs, then per weight."""
    of_weights: dict = {}
    if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], dict):
        returned, of_weights = returned
    if not isinstance(returned, (tuple, list)):
        returned = (returned,)
    if len(returned) < len(args):
        raise TypeError(
            f"For user defined method 'bprop' of net '{cell.cls_name}', the number of return "
            "values(gradients) should "
            f"be equal to the number of input arguments except 'out' and 'dout', which is: {len(args)}, but "
            f"got:{len(returned)}."
        )
    gradients: list = []
    for i, (argument, gradient) in enumerate(zip(args, returned, strict=False)):
        if isinstance(argument, Tensor):
            gradients.append(_fitting(cell, i, argument, gradient))
        else:
            gradients += _gradients_inside(argument, gradient)
    by_identity = {id(parameter): gradient for parameter, gradient in of_weights.items()}
    return gradients + [by_identity.get(id(weight)) for weight in weights]


def _gradients_inside(argument, gradient) -> list:
    """Gradients of the tensors in a tuple or list; none when they were not given."""
    count = len(tensors_in(argument))
    found = tensors_in(gradient)
    return found if len(found) == count else [None] * count


def _fitting(cell, i: int, argument: Tensor, gradient):
    """The gradient in the shape and type of its input."""
    if gradient is None:
        return None
    if not isinstance(gradient, Tensor):
        gradient = Tensor(gradient, argument.dtype)
    if context.get_context("check_bprop"):
        where = (
            f"For user defined method 'bprop' of net '{cell.cls_name}', the {i}th return value(gradient of "
            f"the {i}th "
            "argument) should have the same"
        )
        if gradient.dtype is not argument.dtype:
            raise TypeError(
                f"{where} dtype as the {i}th argument, which is:{argument.dtype}, but got: {gradient.dtype}."
            )
        if gradient.shape != argument.shape:
            raise ValueError(
                f"{where} shape as the {i}th argument, which is:{argument.shape}, but got: {gradient.shape}."
            )
    if gradient.dtype is not argument.dtype:
        gradient = op.cast(gradient, argument.dtype)
    if gradient.shape != argument.shape:
        try:
            gradient = op.broadcast_to(gradient, argument.shape)
        except ValueError as error:
            raise RuntimeError(
                f"For user defined method 'bprop' of net '{cell.cls_name}', the gradient of argument {i} has "
                "shape "
                f"{gradient.shape}, which does not fit the argument's shape {argument.shape}."
            ) from error
    return gradient
