# SPDX-License-Identifier: Apache-2.0
"""What all optimizers share: groups, learning rates, decay, and the one operator of a step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mindspore import _c_expression as _c
from mindspore._settings.argument_keys import OPTIMIZERS
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.sparse_tensor import RowTensor
from mindspore.common.tensor import Tensor
from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.cell import Cell
from mindspore.nn.layer.container import CellList
from mindspore.nn.optim import _parameters as given
from mindspore.nn.optim._rows import dense_gradient, update_rows
from mindspore.ops._registry import op


def _readable_again(value: Any) -> Any:
    """Parameters, groups, or rates; what can be read only once, like ``filter(...)``, becomes a list."""
    if isinstance(value, Iterator):
        value = list(value)
    if isinstance(value, dict):
        return {key: _readable_again(one) for key, one in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_readable_again(group) for group in value]
    return value


def opt_init_args_register(fn) -> Callable:
    """Decorator of ``__init__`` of an optimizer: what it is called with stays readable.

    ``init_params`` holds the parameters, ``init_learning_rate`` the rate (None where a Cell computes it), and
    ``init_args`` all other arguments, defaults among them. The signature is not that of `fn`: libraries wrap
    optimizers, and look at it.
    """
    signature = inspect.signature(fn)

    def deco(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        for name in ("params", "learning_rate"):
            if name in bound.arguments:
                bound.arguments[name] = _readable_again(bound.arguments[name])
        args, kwargs = bound.args[1:], bound.kwargs
        bound.apply_defaults()
        arguments = bound.arguments
        arguments.pop("self")
        given = {}
        if "params" in arguments:
            given["init_params"] = {"params": arguments.pop("params")}
        if "optimizer" in arguments:
            given["init_params"] = {"params": arguments.pop("optimizer").init_params["params"]}
        if "learning_rate" in arguments:
            rate = arguments.pop("learning_rate")
            rate = rate.asnumpy().tolist() if isinstance(rate, Tensor) else rate
            given["init_learning_rate"] = None if isinstance(rate, Cell) else rate
        given["init_args"] = arguments
        fn(self, *args, **kwargs)
        # After the constructor of Cell; none of it is a parameter or a child.
        self.__dict__.update(given)

    deco.__doc__ = fn.__doc__
    deco._stands_for = fn  # what documentation shows
    return deco


class Optimizer(Cell):
    """Base of optimizers; a subclass defines ``construct(gradients)``.

    Args:
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate, one per step,
            or what computes it from the step.
        parameters (Union[list[Parameter], list[dict]]): Parameters, or groups of them: dicts with `params`
            and, if wanted, `lr`, `weight_decay` and `grad_centralization`; a dict with `order_params` alone
            gives the order.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or there are no parameters.

    Supported Platforms:
        ``CPU``
    """

    _recorded_phase = "update"
    # The update takes the decay off the parameter instead of adding it to the gradient.
    _decoupled = False
    # With a gradient of some rows, the others stay as they are.
    _rows_only = False

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0):
        super().__init__(auto_prefix=False)
        groups, ordered = given.groups_from(parameters)
        self.is_group = ordered is not None
        everything = [parameter for group in groups for parameter in group.params]
        given.check_unique(everything)
        self.loss_scale = given.checked_loss_scale(loss_scale)
        self.reciprocal_scale = 1.0 / self.loss_scale
        self.need_scale = self.loss_scale != 1.0
        self.global_step = Parameter(
            initializer(0, [1], mstype.int32), name="global_step", requires_grad=False
        )
        self.global_step_increase_tensor = Tensor(np.array([1], np.int32))
        self.is_group_lr = any(group.lr is not None for group in groups)
        self.is_group_params_ordered = bool(ordered)
        self.dynamic_lr = False
        self._set_rates(learning_rate, groups)
        given.check_decay(weight_decay)
        self.weight_decay = weight_decay
        self.dynamic_weight_decay = isinstance(weight_decay, Cell)
        self.parameters = ParameterTuple(given.in_order(everything, ordered))
        self.params = self._parameters = self.parameters
        self.param_length = len(self.parameters)
        self._plan(groups, weight_decay)
        self._target, self._unique = "CPU", True
        self.use_parallel = self._use_flattened_params = False
        self.cache_enable = tuple(parameter.cache_enable for parameter in self.parameters)
        self.optim_filter = (True,) * self.param_length

    # ---- what constructs of scripts use; a step here is one operator of its own -------------------

    hyper_map, hyper_map_reverse = inner_primitive("HyperMap"), inner_primitive("HyperMap", None, True)
    map_, map_reverse = inner_primitive("Map"), inner_primitive("Map", None, True)

    # ---- learning rates and decay -------------------------------------------------------------

    def _set_rates(self, learning_rate, groups: list) -> None:
        """`_rates` holds the sources: one, or the default and those of the groups that have their own."""
        if not self.is_group_lr:
            self.learning_rate = given.rate_from(learning_rate, "learning_rate")
            self.dynamic_lr = isinstance(self.learning_rate, Cell)
            self._rates = [self.learning_rate]
            return
        wanted = [learning_rate if group.lr is None else group.lr for group in groups]
        lengths = {given.listed_steps(rate) for rate in wanted} - {None}
        if len(lengths) > 1:
            raise ValueError(
                "For 'Optimizer', the lists of learning rates of all groups must have one length, but got "
                f"{sorted(lengths)}."
            )
        steps = lengths.pop() if lengths else None
        default = given.rate_from(learning_rate, "learning_rate", steps)
        self._rates = [
            default if group.lr is None else given.rate_from(group.lr, f"learning_rate_group_{i}", steps)
            for i, group in enumerate(groups)
        ]
        self.dynamic_lr = any(isinstance(rate, Cell) for rate in self._rates)
        self._hold(self._rates)

    def _hold(self, rates: list) -> None:
        """Makes the rates' parameters this cell's; each once."""
        cells = [rate for i, rate in enumerate(rates) if isinstance(rate, Cell) and rate not in rates[:i]]
        if cells:
            self._rate_cells = CellList(cells, auto_prefix=False)
        for i, rate in enumerate(rates):
            if isinstance(rate, Parameter) and not any(rate is known for known in rates[:i]):
                self.insert_param_to_cell(rate.name, rate)

    def _plan(self, groups: list, weight_decay) -> None:
        """For every parameter: its rate's place, its decay or None, whether its gradient is centred."""
        rate_of, decay_of, centred = {}, {}, {}
        for i, group in enumerate(groups):
            decay = weight_decay if group.weight_decay is None else group.weight_decay
            given.check_decay(decay)
            self.dynamic_weight_decay = self.dynamic_weight_decay or isinstance(decay, Cell)
            for parameter in group.params:
                rate_of[id(parameter)] = i if self.is_group_lr else 0
                decays = self.is_group or not ("beta" in parameter.name or "gamma" in parameter.name)
                decay_of[id(parameter)] = decay if decays and (isinstance(decay, Cell) or decay > 0) else None
                centred[id(parameter)] = group.grad_centralization
        self._rate_of = tuple(rate_of[id(p)] for p in self.parameters)
        self._decay_of = tuple(decay_of[id(p)] for p in self.parameters)
        self._centred = tuple(centred[id(p)] for p in self.parameters)
        self.exec_weight_decay = any(decay is not None for decay in self._decay_of)
        self.decay_flags = tuple(decay is not None for decay in self._decay_of)
        self.grad_centralization_flags = self._centred
        self._plan_decays()
        if self.is_group:
            zero = given.constant(0.0)
            tensors = {id(d): given.constant(d) for d in self._decay_of if isinstance(d, (int, float))}
            self.weight_decay = tuple(zero if d is None else tensors.get(id(d), d) for d in self._decay_of)
        if self.is_group_lr:
            self.__dict__["learning_rate"] = tuple(self._rates[place] for place in self._rate_of)

    def _plan_decays(self) -> None:
        """The different decays, numbers as tensors, and for every parameter the place of its own or -1."""
        sources: list = []
        places = []
        for decay in self._decay_of:
            if decay is not None and not any(decay is known or decay == known for known in sources):
                sources.append(decay)
            places.append(
                -1 if decay is None else next(i for i, s in enumerate(sources) if s is decay or s == decay)
            )
        self._decay_places = tuple(places)
        self._decays = tuple(s if isinstance(s, Cell) else given.constant(s) for s in sources)

    def _rate_now(self, rate) -> Tensor:
        return op.reshape(rate(self.global_step), ()) if isinstance(rate, Cell) else rate

    def _rates_now(self) -> tuple:
        rates = self._rates if self.is_group_lr else (self.learning_rate,)
        return tuple(_c.detach(self._rate_now(rate)) for rate in rates)

    def get_lr(self):
        """The rate of the coming step; with groups that have their own, one per parameter.

        Returns:
            Tensor, or a tuple of them.
        """
        now = self._rates_now()
        return tuple(now[place] for place in self._rate_of) if self.is_group_lr else now[0]

    def get_lr_parameter(self, param):
        """Where the rate of a parameter, or of several, comes from.

        Args:
            param (Union[Parameter, list[Parameter]]): Parameters of this optimizer.

        Returns:
            Parameter or LearningRateSchedule, or a list of them.
        """
        if isinstance(param, (list, tuple)):
            return [self.get_lr_parameter(one) for one in param]
        if not isinstance(param, Parameter):
            raise TypeError(f"For 'get_lr_parameter', the 'param' must be Parameter, but got {type(param)}.")
        for parameter, place in zip(self.parameters, self._rate_of, strict=False):
            if parameter is param:
                source = self._rates[place] if self.is_group_lr else self.learning_rate
                return source.learning_rate if isinstance(source, given.ListedRate) else source
        raise ValueError(
            f"For 'get_lr_parameter', the parameter {param.name} does not belong to this optimizer."
        )

    def get_weight_decay(self):
        """The decay of the coming step; with groups, one per parameter."""
        if not self.is_group:
            return self._decay_now(self.weight_decay)
        return tuple(self._decay_now(decay) or 0.0 for decay in self._decay_of)

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        """Whether the rate or the decay of weights depends on the step, so that steps have to be counted."""
        return self.dynamic_lr or self.dynamic_weight_decay

    def _decay_now(self, decay):
        return decay(self.global_step) if isinstance(decay, Cell) else decay

    # ---- gradients ----------------------------------------------------------------------------

    def flatten_gradients(self, gradients):
        """Accepted for compatibility: the gradients as they are."""
        return gradients

    def decay_weight(self, gradients):
        """Adds the decay of the weights to the gradients.

        Args:
            gradients (tuple[Tensor]): The gradients.

        Returns:
            tuple[Tensor], with the decay.
        """
        if not self.exec_weight_decay or self._decoupled:
            return gradients
        decayed = []
        for gradient, parameter, decay in zip(gradients, self.parameters, self._decay_of, strict=False):
            if decay is None:
                decayed.append(gradient)
                continue
            factor = self._decay_now(decay) * self.loss_scale
            decayed.append(gradient + _c.detach(parameter) * factor)
        return tuple(decayed)

    def gradients_centralization(self, gradients):
        """Takes the mean away from gradients of the groups that ask for it.

        Args:
            gradients (tuple[Tensor]): The gradients.

        Returns:
            tuple[Tensor], with a mean of zero where asked for and the second axis is a multiple of 16.
        """
        if not any(self._centred):
            return gradients
        return tuple(
            gradient - op.reduce_mean(gradient, tuple(range(1, gradient.ndim)), True)
            if centred and gradient.ndim > 1 and gradient.shape[1] % 16 == 0  # others MindSpore leaves alone
            else gradient
            for gradient, centred in zip(gradients, self._centred, strict=False)
        )

    def scale_grad(self, gradients):
        """Divides the gradients by the loss scale.

        Args:
            gradients (tuple[Tensor]): The gradients.

        Returns:
            tuple[Tensor], divided.
        """
        return tuple(op.scale_all(self.reciprocal_scale, gradients)) if self.need_scale else gradients

    def _checked_gradients(self, gradients) -> tuple:
        if isinstance(gradients, (Tensor, RowTensor)):
            gradients = (gradients,)
        if len(gradients) != len(self.parameters):
            raise RuntimeError(
                "The tuples in HyperMap should have the same length: the optimizer has "
                f"{len(self.parameters)} parameters, but got {len(gradients)} gradients."
            )
        return self.flatten_gradients(gradients)

    # ---- the step ------------------------------------------------------------------------------

    def _step(self, operator, numbers: tuple, gradients, *slots, rates=None, **options) -> tuple:
        """One operator updates all parameters; counts the step.

        Args:
            operator (Callable): An operator on lists.
            numbers (tuple): Its own inputs.
            gradients (tuple): One per parameter.
            slots (tuple): States, one ParameterTuple per kind.
            rates (tuple): A rate per parameter, if not those of the groups.
            options (dict): Attributes of the operator.
        """
        gradients = self._checked_gradients(gradients)
        options.update(decay_of=self._decay_places, gradient_scale=self.reciprocal_scale)
        if any(self._centred):
            gradients = self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))
            options["gradient_scale"] = 1.0
            if not self._decoupled:
                options["decay_of"] = ()
        options["rate_of"] = self._rate_of if rates is None else tuple(range(len(rates)))
        rates = self._rates_now() if rates is None else rates
        decays = tuple(
            op.reshape(decay(self.global_step), ()) if isinstance(decay, Cell) else decay
            for decay in self._decays
        )
        written = (self.parameters, *slots)
        self._update_all(operator, numbers, written, gradients, rates, decays, options)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return self._done()

    def _update_all(self, operator, numbers, written, gradients, rates, decays, options) -> None:
        if any(isinstance(gradient, RowTensor) for gradient in gradients):
            if self._rows_only:
                update_rows(self, operator, numbers, written, gradients, rates, options)
                return
            gradients = tuple(dense_gradient(gradient) for gradient in gradients)
        count = len(rates)
        decay_of = options.pop("decay_of")
        if decays and decay_of:
            options["decay_of"] = tuple(place if place < 0 else place + count for place in decay_of)
        lists = [tensor for kind in written for tensor in kind]
        operator(*numbers, [*lists, *gradients, *rates, *decays], **options)

    @staticmethod
    def assignadd(target, value):
        """Adds in place."""
        return op.assign_add(target, value)

    def _slots(self, prefix: str, init="zeros") -> ParameterTuple:
        """A parameter per parameter, named ``prefix.name``."""
        slots = self.parameters.clone(prefix, init)
        for slot in slots:
            slot.requires_grad = False
        return slots

    def _done(self) -> tuple:
        return (True,) * len(self.parameters)

    def __call__(self, *args, **kwargs) -> Any:
        # Updates are never part of what is differentiated.
        switch = _c.RecordingSwitch(False)
        try:
            return super().__call__(*args, **kwargs)
        finally:
            del switch

    def broadcast_params(self, optim_result) -> Any:
        """Accepted for compatibility: one process has nobody to tell."""
        return optim_result

    @property
    def target(self) -> str:
        """Device on which updates of sparse gradients run: "CPU", "GPU" or "Ascend"."""
        return self._target

    @target.setter
    def target(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(
                f"For 'Optimizer', the property 'target' must be string, but got {type(value).__name__}."
            )
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError(
                f"For 'Optimizer', the property 'target' must be 'CPU', 'Ascend' or 'GPU', got {value}."
            )
        OPTIMIZERS.tell("target", value)
        self._target = value

    @property
    def unique(self) -> bool:
        """Whether indices of sparse gradients are made unique."""
        return self._unique

    @unique.setter
    def unique(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"For 'Optimizer', the property 'unique' must be bool, but got {type(value).__name__}."
            )
        self._unique = value

    def construct(self, *hyper_params):
        raise NotImplementedError


__all__ = ["Optimizer", "opt_init_args_register"]
