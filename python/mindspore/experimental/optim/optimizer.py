# SPDX-License-Identifier: Apache-2.0
"""What these optimizers share: groups of parameters with options of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable

from mindspore import _c_expression as _c
from mindspore._wording import Wording
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.optim._parameters import constant
from mindspore.ops._registry import op

# What the documentation of these optimizers says alike.
OPTIMIZER = Wording("""
    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate.
        betas (Tuple[float, float]): Decays of the mean and of the mean square.
        eps (float): Added to the divisor.
        weight_decay (float): Decay of the weights, added to the gradient.
        amsgrad (bool): Divide by the largest mean square so far.
        rho (float): Decay of the means.
        momentum (float): Share of the old step.
        maximize (bool): Climb instead of descending.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Raises:
        ValueError: An option is out of range.

    Supported Platforms:
        ``CPU``
    """)

# Options of two numbers, and what a step calls each of them.
_PAIRS = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}


def checked(owner: str, **options) -> dict:
    """The options; an error for `betas` out of range, and for every other one that is negative.

    Args:
        owner (str): Name of the optimizer.
        options (dict): Name -> number.
    """
    for name, value in options.items():
        if name == "betas":
            _check_betas(owner, value)
        elif isinstance(value, bool) or not isinstance(value, (int, float, Tensor)):
            raise TypeError(f"For '{owner}', the '{name}' must be a number, but got {type(value).__name__}.")
        elif not isinstance(value, Tensor) and value < 0:
            raise ValueError(f"Invalid {name} value: {value}. For '{owner}', it must not be negative.")
    return options


def _check_betas(owner: str, betas) -> None:
    """Raises unless there are two numbers in [0, 1)."""
    if not isinstance(betas, (tuple, list)):
        raise TypeError(f"For '{owner}', the 'betas' must be a tuple, but got {type(betas).__name__}.")
    if len(betas) != 2:
        raise ValueError(f"For '{owner}', the 'betas' must be two numbers, but got {betas}.")
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}. It must be in [0.0, 1.0).")


@functools.cache
def _arguments_of(method) -> tuple[str, ...]:
    return tuple(inspect.signature(method).parameters)[1:]


class Optimizer(Cell):
    """Base of these optimizers; a subclass defines ``construct(gradients)``.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups: dicts with `params` and options.
        defaults (dict): Options of groups that do not give their own.

    Raises:
        TypeError: `params` or `lr` has the wrong type.
        ValueError: There are no parameters, or one is in two groups, or a learning rate is negative.

    Supported Platforms:
        ``CPU``
    """

    _recorded_phase = "update"

    def __init__(self, params, defaults):
        super().__init__(auto_prefix=False)
        self.defaults = defaults
        self.param_groups: list[dict] = []
        self.group_start_id = [0]
        if isinstance(params, (Parameter, Tensor)) or not isinstance(params, Iterable):
            raise TypeError(
                "For 'Optimizer', the argument 'params' must be a list of Parameters or dicts, but got "
                f"{type(params)}."
            )
        groups = list(params)
        if not groups:
            raise ValueError("Optimizer got an empty parameter list.")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group) -> None:
        """Adds a group of parameters.

        Args:
            param_group (dict): `params`, and options if others than the defaults are wanted.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"The 'param_group' must be a dict, but got {type(param_group)}.")
        group = dict(param_group)
        params = group["params"]
        group["params"] = [params] if isinstance(params, Parameter) else list(params)
        self._check_parameters(group["params"])
        for name, value in self.defaults.items():
            group.setdefault(name, value)
        number = len(self.param_groups)
        group["lr"] = self._rate_parameter(group["lr"], number)
        self.param_groups.append(group)
        self.group_start_id.append(self.group_start_id[-1] + len(group["params"]))
        every = [parameter for one in self.param_groups for parameter in one["params"]]
        self.parameters = ParameterTuple(every)
        self.__dict__["_lrs"] = tuple(one["lr"] for one in self.param_groups)

    def _check_parameters(self, params: list) -> None:
        known = {parameter.name for group in self.param_groups for parameter in group["params"]}
        for parameter in params:
            if not isinstance(parameter, Parameter):
                raise TypeError(f"Optimizer can only optimize Parameters, but one is {type(parameter)}.")
            if parameter.name in known:
                raise ValueError(
                    f"The parameter '{parameter.name}' is there already: groups must not share parameters."
                )
            known.add(parameter.name)

    @staticmethod
    def _rate_parameter(rate, number: int) -> Parameter:
        if isinstance(rate, bool) or not isinstance(rate, (int, float, Tensor)):
            raise TypeError(f"For 'Optimizer', the 'lr' must be a number or a Tensor, but got {type(rate)}.")
        if isinstance(rate, Tensor):
            if rate.ndim > 1 or rate.size != 1:
                raise ValueError(f"For 'Optimizer', the 'lr' must be one number, but got shape {rate.shape}.")
            data = op.reshape(op.cast(rate, mstype.float32), ())
        else:
            if rate < 0:
                raise ValueError(f"Invalid learning rate: {rate}. It must not be negative.")
            data = constant(rate)
        return Parameter(data, name=f"learning_rate_group_{number}", requires_grad=False)

    def _rate_of(self, number: int) -> Parameter:
        """The rate's Parameter; a number that was put in its place in the group goes into it."""
        group, rate = self.param_groups[number], self._lrs[number]
        if group["lr"] is not rate:
            op.assign(rate, op.cast(_number(group["lr"]), mstype.float32))
            group["lr"] = rate
        return rate

    def _slots(self, prefix: str, init="zeros") -> ParameterTuple:
        """A parameter per parameter, named ``prefix.name``."""
        slots = self.parameters.clone(prefix, init)
        for slot in slots:
            slot.requires_grad = False
        return slots

    def _counter(self, name: str) -> Parameter:
        return Parameter(Tensor(0, mstype.int32), name=name, requires_grad=False)

    def _update(
        self, operator, numbers: tuple, span: tuple, gradients, rate, slots: tuple, options: dict
    ) -> None:
        """One operator for the parameters of a group.

        Args:
            operator (Callable): An operator on lists.
            numbers (tuple): Its own inputs.
            span (tuple): First of the group's parameters, and the one after the last.
            gradients (tuple): Those of all parameters.
            rate (Tensor): The learning rate.
            slots (tuple): States of all parameters, one ParameterTuple per kind.
            options (dict): Attributes; `weight_decay` and `maximize` are taken from it.
        """
        start, end = span
        if start == end:
            return
        options = dict(options)
        decay = options.pop("weight_decay", 0.0)
        sign = -1.0 if options.pop("maximize", False) else 1.0
        lists = [tensor for kind in (self.parameters, *slots) for tensor in kind[start:end]]
        more = [] if isinstance(decay, (int, float)) and decay == 0 else [_number(decay)]
        count = end - start
        operator(
            *(_number(number) for number in numbers),
            [*lists, *gradients[start:end], rate, *more],
            rate_of=(0,) * count,
            decay_of=(1,) * count if more else (),
            gradient_scale=sign,
            **options,
        )

    def _step(self, gradients, counter=None) -> list:
        """Counts the step and calls `implementation` for every group, with the options that it names."""
        gradients = self._checked(gradients)
        if counter is not None:
            op.assign_add(counter, 1)
        results = []
        for number, group, start, end in self._spans():
            known = {**group, "lr": self._rate_of(number), "gradients": gradients, "grads": gradients}
            known.update(group_id=number, start_id=start, end_id=end)
            for pair in _PAIRS.keys() & group.keys():
                known.update(zip(_PAIRS[pair], group[pair], strict=True))
            names = _arguments_of(type(self).implementation)
            results.append(self.implementation(**{name: known[name] for name in names}))
        return results

    def _spans(self):
        """(number, group, first parameter, the one after its last) of every group."""
        for number, group in enumerate(self.param_groups):
            yield number, group, self.group_start_id[number], self.group_start_id[number + 1]

    def _checked(self, gradients) -> tuple:
        gradients = (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
        if len(gradients) != len(self.parameters):
            raise RuntimeError(
                f"The optimizer has {len(self.parameters)} parameters, but got {len(gradients)} gradients."
            )
        return gradients

    def __call__(self, *args, **kwargs):
        # Updates are never part of what is differentiated.
        switch = _c.RecordingSwitch(False)
        try:
            return super().__call__(*args, **kwargs)
        finally:
            del switch

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            for key in sorted(group):
                if key != "params":
                    value = str(group[key].asnumpy()) if key == "lr" else group[key]
                    lines.append(f"    {key}: {value}")
        return "\n".join([*lines, ")"])

    def construct(self, *hyper_params):
        raise NotImplementedError


def _number(value) -> Tensor:
    if not isinstance(value, Tensor):
        return Tensor(float(value), mstype.float64)
    return op.reshape(value, ()) if value.ndim else value


__all__ = ["Optimizer"]
