# SPDX-License-Identifier: Apache-2.0
"""What all optimizers share: parameters and their groups, learning rates, decay, loss scale."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.layer.container import CellList
from mindspore.nn.learning_rate_schedule import LearningRateSchedule
from mindspore.ops._registry import op

_GROUP_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


def opt_init_args_register(fn):
    """Decorator of ``__init__`` that keeps the arguments as `init_args`; accepted for compatibility."""

    @functools.wraps(fn)
    def initialise(self, *args, **kwargs):
        fn(self, *args, **kwargs)

    return initialise


def checked_number(
    value, name: str, owner: str, low: float | None = None, high: float | None = None
) -> float:
    """A float in [low, high); TypeError or ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"For '{owner}', the '{name}' must be float, but got {type(value).__name__}.")
    if (low is not None and value < low) or (high is not None and value >= high):
        raise ValueError(f"For '{owner}', the '{name}' must be in [{low}, {high}), but got {value}.")
    return float(value)


class _Group:
    """Parameters with a learning rate and a decay of their own."""

    def __init__(self, params: list, lr=None, weight_decay=None, grad_centralization: bool = False):
        self.params, self.lr, self.weight_decay = params, lr, weight_decay
        self.grad_centralization = grad_centralization


class Optimizer(Cell):
    """Base of optimizers; a subclass defines ``construct(gradients)``.

    Args:
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate, one per step,
            or what computes it from the step.
        parameters (Union[list[Parameter], list[dict]]): Parameters, or groups of them.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or there are no parameters.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0):
        super().__init__(auto_prefix=False)
        groups, ordered = self._groups_from(parameters)
        self.is_group = ordered is not None
        everything = [parameter for group in groups for parameter in group.params]
        self._check_unique(everything)
        self.loss_scale = self._checked_loss_scale(loss_scale)
        self.reciprocal_scale = 1.0 / self.loss_scale
        self.need_scale = self.loss_scale != 1.0
        self.global_step = Parameter(
            initializer(0, [1], mstype.int32), name="global_step", requires_grad=False
        )
        self.global_step_increase_tensor = Tensor(np.array([1], np.int32))
        self.is_group_lr = any(group.lr is not None for group in groups)
        self.dynamic_lr = False
        self._set_rates(learning_rate, groups)
        self._checked_decay(weight_decay)
        self.weight_decay = weight_decay
        order = self._ordered(everything, ordered)
        self.parameters = ParameterTuple(order)
        self.params = self._parameters = self.parameters
        self._plan(groups, weight_decay)
        self._target, self._unique = "CPU", True

    # ---- parameters and groups ----------------------------------------------------------------

    def _groups_from(self, parameters) -> tuple[list[_Group], list | None]:
        """(groups, wanted order or None for ungrouped parameters)."""
        if parameters is None:
            raise ValueError("For 'Optimizer', the argument parameters can not be None.")
        if isinstance(parameters, Parameter) or not isinstance(parameters, Iterable):
            raise TypeError(
                "For 'Optimizer', the argument parameters must be Iterable type, but got {type(parameters)}."
            )
        parameters = list(parameters)
        if not parameters:
            raise ValueError("For 'Optimizer', the argument parameters must not be empty.")
        if all(isinstance(entry, Parameter) for entry in parameters):
            return [_Group(parameters)], None
        if not all(isinstance(entry, dict) for entry in parameters):
            raise TypeError(
                "For 'Optimizer', all elements of the argument parameters must be of type 'Parameter' or "
                "'dict', but "
                f"got {[type(entry).__name__ for entry in parameters]}."
            )
        return self._groups_from_dicts(parameters)

    def _groups_from_dicts(self, entries: list[dict]) -> tuple[list[_Group], list]:
        groups, order = [], []
        for entry in entries:
            for key in entry:
                if key not in _GROUP_KEYS:
                    raise KeyError(
                        f"For 'Optimizer', the key in group params must be one of {_GROUP_KEYS}, got {key}."
                    )
            if "order_params" in entry:
                if len(entry) > 1:
                    raise ValueError("For 'Optimizer', 'order_params' must be alone in its group.")
                order = list(entry["order_params"])
                continue
            params = entry["params"]
            if isinstance(params, Parameter) or not isinstance(params, Iterable):
                raise TypeError(
                    f"For 'Optimizer', the 'params' of a group must be a list, but got {type(params)}."
                )
            params = list(params)
            if not params:
                raise ValueError("Optimizer got an empty group parameter list.")
            for parameter in params:
                if not isinstance(parameter, Parameter):
                    raise TypeError(
                        f"For 'Optimizer', a group must hold Parameters, but got {type(parameter)}."
                    )
            groups.append(
                _Group(
                    params,
                    entry.get("lr"),
                    entry.get("weight_decay"),
                    entry.get("grad_centralization", False),
                )
            )
        if not groups:
            raise ValueError("For 'Optimizer', the argument parameters must not be empty.")
        return groups, order

    @staticmethod
    def _check_unique(parameters: list) -> None:
        seen: dict[str, Parameter] = {}
        for parameter in parameters:
            known = seen.setdefault(parameter.name, parameter)
            if known is parameter and list(map(id, parameters)).count(id(parameter)) > 1:
                raise RuntimeError(
                    f"For 'Optimizer', the {parameter.name} parameter already exists, it does not support "
                    "repeated "
                    "setting. Please check whether the optimizer parameter has been set multiple times."
                )
            if known is not parameter:
                raise ValueError(
                    f"The value {parameter} , its name '{parameter.name}' already exists. Please set a "
                    "unique name "
                    "for the parameter."
                )

    @staticmethod
    def _ordered(everything: list, ordered: list | None) -> list:
        if not ordered:
            return everything
        if {id(p) for p in ordered} != {id(p) for p in everything} or len(ordered) != len(everything):
            raise ValueError(
                "For 'Optimizer', the length of order parameters must be the same as the length of group "
                "parameters, "
                f"but got {len(ordered)} and {len(everything)}."
            )
        return ordered

    # ---- learning rates and decay -------------------------------------------------------------

    @staticmethod
    def _checked_loss_scale(loss_scale) -> float:
        if isinstance(loss_scale, bool) or not isinstance(loss_scale, (int, float)):
            raise TypeError(
                f"For 'Optimizer', the 'loss_scale' must be float, but got {type(loss_scale).__name__}."
            )
        if loss_scale <= 0:
            raise ValueError(f"For 'Optimizer', the 'loss_scale' must be > 0, but got {loss_scale}.")
        return float(loss_scale)

    def _rate_from(self, learning_rate, name: str):
        """A Parameter with one rate or one per step, or a schedule."""
        if isinstance(learning_rate, LearningRateSchedule) or (
            isinstance(learning_rate, Cell) and not isinstance(learning_rate, Parameter)
        ):
            self.dynamic_lr = True
            return learning_rate
        if isinstance(learning_rate, bool):
            raise TypeError("For 'Optimizer', the 'learning_rate' must not be a bool.")
        if isinstance(learning_rate, (int, float)):
            if learning_rate < 0:
                raise ValueError(
                    "For 'Optimizer', the 'learning rate' must be float and must >= 0, but got "
                    f"{learning_rate}."
                )
            data = Tensor(float(learning_rate), mstype.float32)
        elif isinstance(learning_rate, Tensor):
            if learning_rate.ndim > 1:
                raise ValueError(
                    "For 'Optimizer', the dim of Tensor type Learning rate should be a 0 or 1, but got "
                    f"{learning_rate.ndim}."
                )
            data = op.cast(learning_rate, mstype.float32)
        elif isinstance(learning_rate, str):
            float(learning_rate)
            raise TypeError("For 'Optimizer', the 'learning_rate' must not be a str.")
        elif isinstance(learning_rate, Iterable):
            data = Tensor(np.array(list(learning_rate), np.float32))
        else:
            raise TypeError(
                "For 'Optimizer', the argument 'learning_rate' must be float, int, Tensor, Iterable or "
                f"LearningRateSchedule, but got {type(learning_rate)}."
            )
        if data.ndim == 1:
            if data.size < 2 and not isinstance(learning_rate, Tensor):
                data = op.reshape(data, ()) if data.size == 1 else data
            self.dynamic_lr = self.dynamic_lr or data.ndim == 1
        return Parameter(data, name=name, requires_grad=False)

    def _set_rates(self, learning_rate, groups: list[_Group]) -> None:
        """`_rates` holds one source per group, or a single one."""
        if not self.is_group_lr:
            rate = self._rate_from(learning_rate, "learning_rate")
            self.learning_rate = rate
            self._rates = [rate]
            return
        rates = [
            self._rate_from(learning_rate if group.lr is None else group.lr, f"learning_rate_group_{i}")
            for i, group in enumerate(groups)
        ]
        self._rates = [*rates]
        if all(isinstance(rate, Parameter) for rate in rates):
            self.learning_rate = ParameterTuple(rates)
        else:
            for i, rate in enumerate(rates):
                if isinstance(rate, Parameter):
                    self.insert_param_to_cell(f"learning_rate_group_{i}", rate)
            self.learning_rate = CellList([r for r in rates if isinstance(r, Cell)], auto_prefix=False)

    def _checked_decay(self, weight_decay) -> None:
        if isinstance(weight_decay, Cell):
            return
        if isinstance(weight_decay, bool) or not isinstance(weight_decay, (int, float)):
            raise TypeError(
                "For 'Optimizer', the argument 'weight_decay' must be int, float or Cell, but got "
                f"{type(weight_decay)}."
            )
        if weight_decay < 0:
            raise ValueError(f"For 'Optimizer', the 'weight_decay' must be >= 0, but got {weight_decay}.")

    def _plan(self, groups: list[_Group], weight_decay) -> None:
        """For every parameter: its rate's place, its decay or None, whether its gradient is centred."""
        rate_of, decay_of, centred = {}, {}, {}
        for i, group in enumerate(groups):
            decay = weight_decay if group.weight_decay is None else group.weight_decay
            self._checked_decay(decay)
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

    def _rate_now(self, rate) -> Tensor:
        if isinstance(rate, Cell):
            return op.reshape(rate(self.global_step), ())
        if rate.ndim == 0:
            return rate
        # Past the end of a list its last value stays.
        step = min(self.global_step._item(), rate.size - 1)
        return rate[step]

    def get_lr(self):
        """The rate of the coming step; with groups that have their own, one per parameter."""
        now = [_c.detach(self._rate_now(rate)) for rate in self._rates]
        if self.is_group_lr:
            return tuple(now[place] for place in self._rate_of)
        return now[0]

    def get_lr_parameter(self, param):
        """Where the rate of a parameter, or of several, comes from."""
        if isinstance(param, (list, tuple)):
            return [self.get_lr_parameter(one) for one in param]
        if not isinstance(param, Parameter):
            raise TypeError(f"For 'get_lr_parameter', the 'param' must be Parameter, but got {type(param)}.")
        for parameter, place in zip(self.parameters, self._rate_of, strict=False):
            if parameter is param:
                return self._rates[place]
        raise ValueError(
            f"For 'get_lr_parameter', the parameter {param.name} does not belong to this optimizer."
        )

    def get_weight_decay(self):
        """The decay of the coming step; with groups, one per parameter."""
        now = tuple(self._decay_now(decay) or 0.0 for decay in self._decay_of)
        return now if self.is_group else self._decay_now(self.weight_decay)

    def _decay_now(self, decay):
        return decay(self.global_step) if isinstance(decay, Cell) else decay

    # ---- gradients ----------------------------------------------------------------------------

    def flatten_gradients(self, gradients):
        """Accepted for compatibility: the gradients as they are."""
        return gradients

    def decay_weight(self, gradients):
        """Adds the decay of the weights to the gradients."""
        if not self.exec_weight_decay:
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
        """Takes the mean away from gradients of the groups that ask for it."""
        if not any(self._centred):
            return gradients
        return tuple(
            gradient - op.reduce_mean(gradient, tuple(range(1, gradient.ndim)), True)
            if centred and gradient.ndim > 1
            else gradient
            for gradient, centred in zip(gradients, self._centred, strict=False)
        )

    def scale_grad(self, gradients):
        """Divides the gradients by the loss scale."""
        if not self.need_scale:
            return gradients
        return tuple(gradient * self.reciprocal_scale for gradient in gradients)

    def _ready_gradients(self, gradients) -> tuple:
        """One gradient per parameter, decayed, centred and scaled."""
        if isinstance(gradients, Tensor):
            gradients = (gradients,)
        if len(gradients) != len(self.parameters):
            raise RuntimeError(
                "The tuples in HyperMap should have the same length: the optimizer has "
                f"{len(self.parameters)} parameters, but got {len(gradients)} gradients."
            )
        gradients = self.flatten_gradients(gradients)
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        return self.scale_grad(gradients)

    def _start(self, gradients) -> tuple[tuple, tuple]:
        """(gradients, rates by parameter) of a step; counts it."""
        gradients = self._ready_gradients(gradients)
        rates = self.get_lr()
        if not isinstance(rates, tuple):
            rates = (rates,) * len(self.parameters)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return gradients, rates

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

    def __call__(self, *args, **kwargs):
        # Updates are never part of what is differentiated.
        switch = _c.RecordingSwitch(False)
        try:
            return super().__call__(*args, **kwargs)
        finally:
            del switch

    def broadcast_params(self, optim_result):
        """Accepted for compatibility: one process has nobody to tell."""
        return optim_result

    @property
    def target(self) -> str:
        """Device on which sparse updates run."""
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
