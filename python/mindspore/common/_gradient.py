# SPDX-License-Identifier: Apache-2.0
"""grad, value_and_grad and GradOperation: the tape's gradients in the shapes users expect."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._c_expression import Tensor
from mindspore._capture.function import Captured, is_graph_mode, is_inside
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.mutable import is_variable_container
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.ops._registry import op

_thread = threading.local()


class no_grad(contextlib.ContextDecorator):  # noqa: N801  (a context manager, named as users know it)
    """Context, or decorator, in which nothing is recorded for gradients.

    Examples:
        >>> import mindspore as ms
        >>> with ms.no_grad():
        ...     y = ms.Tensor([1.0]) * 2
    """

    def __enter__(self) -> no_grad:
        _thread.no_grad = getattr(_thread, "no_grad", 0) + 1
        self._switches = getattr(self, "_switches", [])
        self._switches.append(_c.RecordingSwitch(False))
        return self

    def __exit__(self, *exception) -> None:
        _thread.no_grad -= 1
        self._switches.pop()


class Recording:
    """One run of a function whose gradients are wanted."""

    __slots__ = ("_call", "_count", "_parameters")

    def __init__(self):
        if getattr(_thread, "no_grad", 0):
            raise RuntimeError("In no_grad context, you can not calculate gradient")
        self._call = _c.GradientCall()
        self._count = 0
        self._parameters: dict[int, int] = {}

    def watch(self, tensor: Tensor) -> tuple[Tensor, int]:
        """What the function is to be given for `tensor`, and the place of its gradient."""
        if isinstance(tensor, Parameter):
            return tensor, self.watch_parameter(tensor)
        alias = self._call.watch(tensor)
        hooks = tensor.__dict__.get("_hooks")
        if hooks:
            for hook in hooks.values():
                _c.register_hook(alias, hook)
        self._count += 1
        return alias, self._count - 1

    def watch_parameter(self, parameter: Parameter) -> int:
        """The place of the parameter's gradient."""
        key = id(parameter)
        place = self._parameters.get(key)
        if place is None:
            self._call.watch_parameter(parameter)
            hooks = parameter.__dict__.get("_hooks")
            if hooks:
                for hook in hooks.values():
                    _c.register_hook(parameter, hook)
            place = self._parameters[key] = self._count
            self._count += 1
        return place

    def tracked(self, structure) -> list[Tensor]:
        """The tensors of an output, fit for `backward` after `end_forward`."""
        # A parameter forgets at end_forward that it was watched, so something computed from it stands in.
        return [op.identity(t) if isinstance(t, Parameter) else t for t in tensors_in(structure)]

    def end_forward(self) -> None:
        """The function has returned or failed."""
        self._call.end_forward()

    def backward(self, outputs: list, seeds: list, keep: bool = False) -> list:
        """Gradients by place; None where nothing arrives."""
        return self._call.backward(outputs, seeds, keep)


def forget_history(structure) -> None:
    """Outputs that leave the outermost gradient hold nothing of the tape."""
    if not _c.is_recording():
        for tensor in tensors_in(structure):
            _c.drop_history(tensor)


def zeros_for(gradient, tensor: Tensor):
    """The gradient, or zeros where none arrived."""
    return op.zeros_like(_c.detach(tensor)) if gradient is None else gradient


def _checked_positions(grad_position, name: str) -> tuple:
    if isinstance(grad_position, int):
        positions = (int(grad_position),)
    elif isinstance(grad_position, tuple):
        if not grad_position:
            raise RuntimeError("grad_position should not be empty when grad by position!")
        if not all(isinstance(position, int) for position in grad_position):
            raise TypeError(f"For '{name}', the element in 'grad_position' must be int.")
        positions = grad_position
    else:
        raise TypeError(f"For '{name}', the 'grad_position' must be int or tuple.")
    if any(position < 0 for position in positions):
        raise ValueError(f"For '{name}', grad_position must be >= 0.")
    if len(set(positions)) != len(positions):
        raise ValueError(f"For '{name}', There are duplicate positions in `grad_position`.")
    return positions


def checked_weights(weights) -> tuple | None:
    """The parameters as a tuple; RuntimeError for anything that is not made of parameters."""
    if weights is None:
        return None
    if isinstance(weights, Parameter):
        return (weights,)
    if not isinstance(weights, (list, tuple)) or not all(isinstance(w, Parameter) for w in weights):
        raise RuntimeError(
            "The pointer[tensor] is null. For 'grad', 'weights' must be a Parameter, or a list, tuple or "
            f"ParameterTuple of Parameters, but got {type(weights)}."
        )
    return tuple(weights)


def _checked_flag(value, name: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"For '_Grad', the '{name}' should be bool, but got {type(value).__name__}")
    return value


def keyword_names(fn, kwargs: dict) -> list[str]:
    """The keywords given, in the order of the function's signature."""
    target = fn.construct if hasattr(fn, "construct") else fn
    try:
        order = [name for name in inspect.signature(target).parameters if name in kwargs]
    except (TypeError, ValueError):
        return list(kwargs)
    return order + [name for name in kwargs if name not in order]


def _watch_positions(recording: Recording, fn, args: tuple, kwargs: dict, positions: tuple, needed=None):
    """(args, kwargs, [(position, original, place)]) with the tensors at `positions` watched.

    For a container, place and gradient are containers of the same form. What graphs treat as a constant gets
    no gradient there. Where `needed` says for whom, TypeError if there are no tensors.
    """
    arguments, keywords, watched, others = list(args), kwargs, [], []
    has_constants, in_graph = False, is_graph_mode() or _c.is_capturing()
    names = keyword_names(fn, kwargs) if kwargs else []
    for position in positions:
        if position >= len(args) + len(names):
            raise RuntimeError(f"Position index {position} is exceed input size.")
        name = None if position < len(args) else names[position - len(args)]
        original = args[position] if name is None else kwargs[name]
        if not isinstance(original, Tensor) and not _is_differentiated(original):
            others.append((position, original))
            continue
        if in_graph and isinstance(original, Tensor) and original.const_arg:
            has_constants = True
            continue
        alias, place = _watched(recording, original, needed)
        if name is None:
            arguments[position] = alias
        else:
            keywords = {**keywords, name: alias}
        watched.append((position, original, place))
    if needed and others and not watched and not has_constants:
        _refuse_others(needed, others)
    return arguments, keywords, watched


def _is_differentiated(value) -> bool:
    """Whether a container gets gradients: it is called mutable and holds tensors."""
    return is_variable_container(value) and bool(tensors_in(value))


def _watched(recording: Recording, value, needed: str | None) -> tuple:
    """What the function is to be given for a tensor, or a container of tensors, and places of gradients."""
    if isinstance(value, Tensor):
        return recording.watch(value)
    if isinstance(value, dict):
        pairs = {key: _watched(recording, part, needed) for key, part in value.items()}
        return {key: pair[0] for key, pair in pairs.items()}, {key: pair[1] for key, pair in pairs.items()}
    if not isinstance(value, (tuple, list)):
        _refuse_others(needed or "grad", [(0, value)], "a part of an argument")
    pairs = [_watched(recording, part, needed) for part in value]
    kind = tuple if isinstance(value, tuple) else list
    return kind(pair[0] for pair in pairs), [pair[1] for pair in pairs]


def _gradient_of(gradients: list, value, place):
    """The gradient of what was watched, in the form of `value`; zeros where none arrived."""
    if isinstance(value, Tensor):
        return zeros_for(gradients[place], value)
    if isinstance(value, dict):
        return {key: _gradient_of(gradients, value[key], part) for key, part in place.items()}
    parts = [_gradient_of(gradients, *pair) for pair in zip(value, place, strict=True)]
    return tuple(parts) if isinstance(value, tuple) else parts


def _refuse_others(name: str, others: list, what: str = "") -> None:
    position, value = others[0]
    cure = "its tensors as arguments of their own, or mutable(...) of it"
    if isinstance(value, (int, float)):
        cure = f"Tensor({value!r})"
    raise TypeError(
        f"For '{name}', what is differentiated with respect to must be a Tensor, but "
        f"{what or f'argument {position}'} is {type(value).__name__}. Give {cure}."
    )


def _watch_weights(recording: Recording, weights: tuple) -> list:
    places = []
    for weight in weights:
        if weight._requires_grad:
            places.append(recording.watch_parameter(weight))
        else:
            logger.debug("The gradient of %s is zero: its requires_grad is False.", weight.name)
            places.append(None)
    return places


def _require_callable(fn) -> None:
    if not callable(fn):
        raise AttributeError(f"'{type(fn).__name__}' object has no attribute '__name__'")


def _first_of(outputs):
    if not isinstance(outputs, tuple) or len(outputs) < 2:
        raise ValueError("When has_aux is True, origin fn requires more than one outputs.")
    return outputs[0]


class _Computation:
    """Computes gradients for the user; in graph mode, or of what `jit` made, as one compiled function.

    Args:
        fn (Union[Cell, Function]): What is differentiated.
        weights (Union[tuple, None]): With respect to these.
        compute (Callable): Runs `fn` and its gradient.
    """

    __slots__ = ("_captured", "_compute", "_fn", "_is_new", "_weights")

    def __init__(self, fn, weights, compute):
        self._fn, self._weights, self._compute = fn, weights, compute
        self._captured: Captured | None = None
        self._is_new = True

    def __call__(self, *args, **kwargs):
        _require_callable(self._fn)
        if not (is_graph_mode() or getattr(self._fn, "_is_jit", False)) or self._must_be_seen(args, kwargs):
            return self._compute(*args, **kwargs)
        if self._captured is None:
            if self._is_new:  # what is called once, and made anew for the next call, is not worth compiling
                from mindspore._capture.dialect import understand_once
                from mindspore._capture.differentiated import run_new_gradient

                self._is_new = False
                understand_once(self._fn)
                return run_new_gradient(self._compute, args, kwargs)
            name = getattr(self._fn, "__qualname__", type(self._fn).__name__)
            self._captured = Captured(
                self._compute, f"gradient of {name}", roots=(self._fn, self._weights or ())
            )
        return self._captured(*args, **kwargs)

    @staticmethod
    def _must_be_seen(args: tuple, kwargs: dict) -> bool:
        """Whether the call belongs to a larger one, must fail, or has hooks on its arguments."""
        if is_inside() or getattr(_thread, "no_grad", 0):
            return True
        return any("_hooks" in tensor.__dict__ for tensor in tensors_in((args, kwargs)))


class _Plan:
    """What to differentiate with respect to, and how to arrange the result."""

    __slots__ = ("fn", "has_aux", "positions", "return_ids", "single_weight", "weights")

    def __init__(self, fn, grad_position, weights, has_aux, return_ids):
        self.fn = fn
        if grad_position is None and weights is None:
            raise ValueError("`grad_position` and `weight` can not be None at the same time.")
        self.positions = None if grad_position is None else _checked_positions(grad_position, "F.grad")
        self.weights = checked_weights(weights)
        self.single_weight = isinstance(weights, Parameter)
        self.has_aux = _checked_flag(has_aux, "has_aux")
        self.return_ids = _checked_flag(return_ids, "return_ids")

    def run(self, args: tuple, kwargs: dict):
        """(what the function returned, gradients)."""
        fn, recording = self.fn, Recording()
        watched, places = (), ()
        try:
            if self.positions is not None:
                needed = "grad" if self.weights is None else None
                args, kwargs, watched = _watch_positions(recording, fn, args, kwargs, self.positions, needed)
            if self.weights is not None:
                places = _watch_weights(recording, self.weights)
            outputs = fn(*args, **kwargs)
            tracked = recording.tracked(_first_of(outputs) if self.has_aux else outputs)
        finally:
            recording.end_forward()
        gradients = recording.backward(tracked, [None] * len(tracked))
        forget_history(outputs)
        return outputs, self._arranged(gradients, watched, places)

    def _arranged(self, gradients: list, watched, places):
        inputs, weights = None, None
        if self.positions is not None:
            inputs = self._input_part(gradients, watched)
        if self.weights is not None:
            weights = self._weight_part(gradients, places)
            return weights if self.positions is None else (inputs, weights)
        return inputs

    def _input_part(self, gradients: list, watched):
        found = [(position, _gradient_of(gradients, value, place)) for position, value, place in watched]
        if not self.return_ids:
            found = [gradient for _, gradient in found]
        return found[0] if len(found) == 1 else tuple(found)

    def _weight_part(self, gradients: list, places):
        found = [None if place is None else gradients[place] for place in places]
        if found and all(gradient is None for gradient in found):
            names = ", ".join(weight.name for weight in self.weights)
            logger.warning("All gradients are zero: the function does not use the parameters %s.", names)
        found = [
            zeros_for(gradient, weight) if gradient is None else gradient
            for gradient, weight in zip(found, self.weights, strict=False)
        ]
        if self.return_ids:
            found = [(weight.name, gradient) for weight, gradient in zip(self.weights, found, strict=False)]
        return found[0] if self.single_weight else tuple(found)


def value_and_grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False):
    """Function that computes what `fn` returns together with its gradients.

    Args:
        fn (Union[Cell, Function]): Function to differentiate. The gradients of several outputs are summed.
        grad_position (Union[None, int, tuple[int]]): Arguments to differentiate with respect to.
            Default: ``0``.
        weights (Union[ParameterTuple, Parameter, list[Parameter]]): Parameters to differentiate with
            respect to. Default: ``None``.
        has_aux (bool): Only the first output is differentiated. Default: ``False``.
        return_ids (bool): Every gradient comes with its position or the parameter's name. Default: ``False``.

    Returns:
        Function that takes the arguments of `fn` and returns ``(outputs, gradients)``.

    Raises:
        ValueError: `grad_position` and `weights` are both None, a position is negative or repeated, or
            `has_aux` is set and `fn` returns fewer than two values.
        TypeError: An argument has the wrong type, or none that is differentiated is a Tensor.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> value, gradient = ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
        >>> float(value), float(gradient)
        (9.0, 6.0)
    """
    plan = _Plan(fn, grad_position, weights, has_aux, return_ids)
    computation = _Computation(fn, plan.weights, lambda *args, **kwargs: plan.run(args, kwargs))

    def value_and_gradients(*args, **kwargs):
        return computation(*args, **kwargs)

    return value_and_gradients


def grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False):
    """Function that computes the gradients of `fn`.

    Args:
        fn (Union[Cell, Function]): Function to differentiate. The gradients of several outputs are summed.
        grad_position (Union[None, int, tuple[int]]): Arguments to differentiate with respect to.
            Default: ``0``.
        weights (Union[ParameterTuple, Parameter, list[Parameter]]): Parameters to differentiate with
            respect to. Default: ``None``.
        has_aux (bool): Only the first output is differentiated, the others are returned beside the
            gradients. Default: ``False``.
        return_ids (bool): Every gradient comes with its position or the parameter's name. Default: ``False``.

    Returns:
        Function that takes the arguments of `fn` and returns the gradients, or ``(gradients, aux)``.

    Raises:
        ValueError: `grad_position` and `weights` are both None, a position is negative or repeated, or
            `has_aux` is set and `fn` returns fewer than two values.
        TypeError: An argument has the wrong type, or none that is differentiated is a Tensor.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> float(ms.grad(lambda x: x * x)(ms.Tensor(3.0)))
        6.0
    """
    plan = _Plan(fn, grad_position, weights, has_aux, return_ids)

    def compute(*args, **kwargs):
        outputs, found = plan.run(args, kwargs)
        return (found, outputs[1:]) if has_aux else found

    computation = _Computation(fn, plan.weights, compute)

    def gradients(*args, **kwargs):
        return computation(*args, **kwargs)

    return gradients


def get_grad(gradients, identifier):
    """Picks one gradient from what `grad` returned with ``return_ids=True``.

    Args:
        gradients (tuple): The result of `grad`.
        identifier (Union[int, Parameter]): Position or parameter.

    Returns:
        Tensor, the gradient.

    Raises:
        RuntimeError: There is no gradient for `identifier`.
        TypeError: `identifier` is neither an int nor a Parameter.
    """
    if isinstance(identifier, Parameter):
        wanted = identifier.name
    elif isinstance(identifier, int):
        wanted = identifier
    else:
        raise TypeError(f"For `get_grad`, the `x` should be an integer or a Parameter, but got {identifier}")

    def find(entry):
        if not isinstance(entry, tuple):
            return None
        if len(entry) == 2 and type(entry[0]) is type(wanted) and isinstance(entry[1], Tensor):
            return entry[1] if entry[0] == wanted else None
        return next((found for found in map(find, entry) if found is not None), None)

    found = find(gradients)
    if found is None:
        raise RuntimeError(f"Can not find the gradient for position or Parameter {identifier}")
    return found


def _seed_for(output: Tensor, sens):
    if isinstance(sens, (int, float)) and not isinstance(sens, bool):
        return op.full_like(_c.detach(output), sens)
    if not isinstance(sens, Tensor):
        raise TypeError(f"For 'GradOperation', 'sens' must be a Tensor or a number, but got {type(sens)}.")
    scalar = sens.ndim == 0 or output.ndim == 0
    if not scalar and sens.shape != output.shape:
        raise ValueError(f"The shape should be {output.shape}, but got {sens.shape}, in current net.")
    if not scalar and sens.dtype is not output.dtype:
        raise TypeError(f"The dtype should be {output.dtype}, but got {sens.dtype}, in current net.")
    if sens.dtype is not output.dtype:
        sens = op.cast(sens, output.dtype)
    if sens.shape != output.shape:
        sens = op.broadcast_to(op.reshape(sens, ()) if sens.size == 1 else sens, output.shape)
    return sens


def seeds_for(outputs, sens) -> list:
    """A seed for every tensor of `outputs`, in the order of `tensors_in`."""
    if isinstance(outputs, Tensor):
        if isinstance(sens, (tuple, list)):
            if len(sens) != 1:
                raise RuntimeError("The given sens gradient's size should be same as out of network!")
            sens = sens[0]
        return [_seed_for(outputs, sens)]
    if isinstance(outputs, dict):
        parts, given = (
            list(outputs.values()),
            [sens[key] for key in outputs] if isinstance(sens, dict) else sens,
        )
    elif isinstance(outputs, (tuple, list)):
        parts, given = outputs, sens
    else:
        return []
    if isinstance(given, (int, float)):
        given = [given] * len(parts)
    if not isinstance(given, (tuple, list)) or len(given) != len(parts):
        raise RuntimeError("The given sens gradient's size should be same as out of network!")
    return [seed for part, one in zip(parts, given, strict=False) for seed in seeds_for(part, one)]


class GradOperation:
    """Makes gradient functions: of the first input, of all inputs, of parameters, with or without a seed.

    Args:
        get_all (bool): Gradients of all tensor inputs. Default: ``False``.
        get_by_list (bool): Gradients of the parameters given. Default: ``False``.
        sens_param (bool): The gradient of the output is given as last argument or as `sens`.
            Default: ``False``.

    Raises:
        TypeError: An argument is not a bool.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import ops
        >>> float(ops.GradOperation()(lambda x: x * x)(ms.Tensor(3.0)))
        6.0
    """

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise TypeError(
                    f"For 'GradOperation', the '{name}' should be bool, but got {type(value).__name__}"
                )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn, weights: ParameterTuple | Parameter | list[Parameter] | None = None) -> Callable:
        parameters = checked_weights(weights) if self.get_by_list else None
        computation = _Computation(
            fn, parameters, lambda *args, **kwargs: self._run(fn, weights, parameters, args, kwargs)
        )

        def gradients(*args, **kwargs):
            return computation(*args, **kwargs)

        return gradients

    def _run(self, fn, weights, parameters, args, kwargs):
        sens = None
        if self.sens_param:
            kwargs = dict(kwargs)
            if "sens" in kwargs:
                sens = kwargs.pop("sens")
            else:
                sens, args = args[-1], args[:-1]
        used_only = self.get_by_list and parameters is None
        if used_only:
            parameters = tuple(fn.trainable_params()) if hasattr(fn, "trainable_params") else ()
        recording = Recording()
        try:
            count = len(args) + len(kwargs)
            positions = () if self.get_by_list and not self.get_all else tuple(range(count))
            positions = positions if self.get_all else positions[:1]
            needed = None if self.get_all else "GradOperation"
            args, kwargs, watched = _watch_positions(recording, fn, args, kwargs, positions, needed)
            places = _watch_weights(recording, parameters or ())
            outputs = fn(*args, **kwargs)
            tracked = recording.tracked(outputs)
        finally:
            recording.end_forward()
        seeds = seeds_for(outputs, sens) if self.sens_param else [None] * len(tracked)
        found = recording.backward(tracked, seeds)
        forget_history(outputs)
        inputs = tuple(_gradient_of(found, value, place) for _, value, place in watched)
        if not self.get_by_list:
            return inputs if self.get_all else (inputs[0] if inputs else ())
        part = tuple(
            zeros_for(None if place is None else found[place], weight)
            for place, weight in zip(places, parameters, strict=False)
            if not used_only or (place is not None and found[place] is not None)
        )
        part = part[0] if isinstance(weights, Parameter) else part
        return (inputs, part) if self.get_all else part


def stop_gradient(value):
    """The same value, through which no gradient flows.

    Args:
        value (Any): A tensor, or a tuple, list or dict that holds some.

    Returns:
        The value.

    Supported Platforms:
        ``CPU``
    """
    return map_tensors(_c.detach, value)


__all__ = [
    "GradOperation",
    "ParameterTuple",
    "get_grad",
    "grad",
    "no_grad",
    "stop_gradient",
    "value_and_grad",
]
