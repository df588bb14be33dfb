# SPDX-License-Identifier: Apache-2.0
"""What users give to optimizers: parameters and groups of them, learning rates, decays, factors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mindspore._wording import Wording
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.learning_rate_schedule import LearningRateSchedule
from mindspore.ops._registry import op

# What the documentation of optimizers says alike.
OPTIMIZER = Wording("""
    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
        beta1 (float): Decay of the mean.
        beta2 (float): Decay of the mean square.
        eps (float): Added to the divisor.
        momentum (float): Share of the old step.
        l1 (float): Absolute penalty.
        l2 (float): Squared penalty.
        use_locking (bool): Accepted for compatibility.
        use_nesterov (bool): Look one step ahead.
        weight_decay (Union[float, int, Cell]): Decay of the weights.
        loss_scale (float): Factor by which the loss was multiplied.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.
        - **grads** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Outputs:
        tuple[bool], all True.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range.

    Supported Platforms:
        ``CPU``
    """)

_GROUP_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


class Group:
    """Parameters with a learning rate and a decay of their own."""

    def __init__(self, params: list, lr=None, weight_decay=None, grad_centralization: bool = False):
        self.params, self.lr, self.weight_decay = params, lr, weight_decay
        self.grad_centralization = grad_centralization


def groups_from(parameters) -> tuple[list[Group], list | None]:
    """(groups, wanted order or None for ungrouped parameters)."""
    if parameters is None:
        raise ValueError("For 'Optimizer', the argument parameters can not be None.")
    if isinstance(parameters, Parameter) or not isinstance(parameters, Iterable):
        raise TypeError(
            f"For 'Optimizer', the argument parameters must be Iterable type, but got {type(parameters)}."
        )
    parameters = list(parameters)
    if not parameters:
        raise ValueError("For 'Optimizer', the argument parameters must not be empty.")
    if all(isinstance(entry, Parameter) for entry in parameters):
        return [Group(parameters)], None
    if not all(isinstance(entry, dict) for entry in parameters):
        raise TypeError(
            "For 'Optimizer', all elements of the argument parameters must be of type 'Parameter' or "
            f"'dict', but got {[type(entry).__name__ for entry in parameters]}."
        )
    return _groups_from_dicts(parameters)


def _groups_from_dicts(entries: list[dict]) -> tuple[list[Group], list]:
    groups, order = [], []
    for entry in entries:
        for key in entry:
            if key not in _GROUP_KEYS:
                raise KeyError(
                    f"For 'Optimizer', the key in group params must be one of {_GROUP_KEYS}, but got {key}."
                )
        if "order_params" in entry:
            if len(entry) > 1:
                raise ValueError("For 'Optimizer', 'order_params' must be alone in its group.")
            order = list(entry["order_params"])
            continue
        params = _params_of_group(entry["params"])
        centred = entry.get("grad_centralization", False)
        if not isinstance(centred, bool):
            raise TypeError(
                "For 'Optimizer', the 'grad_centralization' of a group must be bool, but got "
                f"{type(centred).__name__}."
            )
        groups.append(Group(params, entry.get("lr"), entry.get("weight_decay"), centred))
    if not groups:
        raise ValueError("For 'Optimizer', the argument parameters must not be empty.")
    return groups, order


def _params_of_group(params) -> list:
    if isinstance(params, Parameter) or not isinstance(params, Iterable):
        raise TypeError(f"For 'Optimizer', the 'params' of a group must be a list, but got {type(params)}.")
    params = list(params)
    if not params:
        raise ValueError("Optimizer got an empty group parameter list.")
    for parameter in params:
        if not isinstance(parameter, Parameter):
            raise TypeError(f"For 'Optimizer', a group must hold Parameters, but got {type(parameter)}.")
    return params


def check_unique(parameters: list) -> None:
    """Raises when a parameter is there twice, or two of them have one name."""
    seen: dict[str, Parameter] = {}
    for parameter in parameters:
        known = seen.get(parameter.name)
        if known is parameter:
            raise RuntimeError(
                f"For 'Optimizer', the {parameter.name} parameter already exists, it does not support "
                "repeated setting. Please check whether the optimizer parameter has been set multiple times."
            )
        if known is not None:
            raise ValueError(
                f"The value {parameter} , its name '{parameter.name}' already exists. Please set a unique "
                "name for the parameter."
            )
        seen[parameter.name] = parameter


def in_order(everything: list, ordered: list | None) -> list:
    """The parameters in the order of `order_params`, if there is one."""
    if not ordered:
        return everything
    if len(ordered) != len(everything):
        raise ValueError(
            "For 'Optimizer', the length of order parameters must be the same as the length of group "
            f"parameters, but got {len(ordered)} and {len(everything)}."
        )
    if {id(p) for p in ordered} != {id(p) for p in everything}:
        raise ValueError("For 'Optimizer', 'order_params' must hold the parameters of all groups.")
    return ordered


# ---- numbers -----------------------------------------------------------------------------------


def constant(value) -> Tensor:
    """A float32 number for an operator."""
    return Tensor(float(value), mstype.float32)


def number(value, name: str, owner: str, *, kinds=(int, float), low=None, high=None, strict: bool = False):
    """A number in [low, high), or in (low, high) if `strict`.

    Raises:
        TypeError: It is not of one of `kinds`.
        ValueError: It is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"For '{owner}', the '{name}' must be {names}, but got {type(value).__name__}.")
    below = low is not None and not (value > low if strict else value >= low)  # so is what is no number
    if below or (high is not None and value >= high):
        left, right = ("(" if strict else "["), "inf" if high is None else high
        raise ValueError(
            f"For '{owner}', the '{name}' must be in range {left}{low}, {right}), but got {value}."
        )
    return value


def real(value, name: str, owner: str, *, low=None, high=None, strict: bool = False):
    """The same, for what must be a float."""
    return number(value, name, owner, kinds=(float,), low=low, high=high, strict=strict)


def share(value, name: str, owner: str) -> float:
    """A float between 0 and 1, neither of them."""
    return real(value, name, owner, low=0.0, high=1.0, strict=True)


def checked_loss_scale(loss_scale) -> float:
    """The factor of the loss: a positive number."""
    return float(number(loss_scale, "loss_scale", "Optimizer", low=0, strict=True))


def check_decay(weight_decay) -> None:
    """Raises unless it is a number that is not negative, or a Cell."""
    if isinstance(weight_decay, Cell):
        return
    if isinstance(weight_decay, bool) or not isinstance(weight_decay, (int, float)):
        raise TypeError(
            "For 'Optimizer', the argument 'weight_decay' must be int, float or Cell, but got "
            f"{type(weight_decay)}."
        )
    if not weight_decay >= 0:
        raise ValueError(f"For 'Optimizer', the 'weight_decay' must be >= 0, but got {weight_decay}.")


# ---- learning rates ----------------------------------------------------------------------------


class ListedRate(LearningRateSchedule):
    """A rate per step; past the end of the list its last value stays.

    Args:
        data (Tensor): The rates.
        name (str): Name of their Parameter.
    """

    def __init__(self, data, name: str):
        super().__init__(auto_prefix=False)
        self.learning_rate = Parameter(data, name=name, requires_grad=False)

    def construct(self, global_step):
        step = op.minimum(global_step, self.learning_rate.size - 1)
        return op.gather(self.learning_rate, step, 0)


def rate_from(learning_rate, name: str, steps: int | None = None):
    """A Parameter with one rate, or the cell that computes the rate of a step.

    Args:
        learning_rate (Union[float, int, Tensor, Iterable, Cell]): What the user gave.
        name (str): Name of the Parameter.
        steps (int): A single number becomes a list of that many. Default: ``None``.
    """
    if isinstance(learning_rate, Cell):
        return learning_rate
    data = _rate_data(learning_rate)
    if data.ndim == 1:
        return ListedRate(data, name)
    if steps is not None:
        return ListedRate(op.broadcast_to(data, (steps,)), name)
    return Parameter(data, name=name, requires_grad=False)


def listed_steps(learning_rate) -> int | None:
    """Number of rates in a list; None for everything else."""
    if isinstance(learning_rate, (Cell, str, bool, int, float)) or not isinstance(learning_rate, Iterable):
        return None
    data = _rate_data(learning_rate)
    return data.size if data.ndim == 1 else None


def _rate_data(learning_rate) -> Tensor:
    if isinstance(learning_rate, str):
        raise ValueError(
            "For 'Optimizer', the argument 'learning_rate' must be a number, a Tensor, a list of numbers or "
            f"a schedule, but got the text '{learning_rate}'. Pass float(...) of a number that was read as "
            "text; in a YAML file 1e-3 is text, and 1.0e-3 a number."
        )
    is_scalar_array = isinstance(learning_rate, np.ndarray) and learning_rate.ndim == 0
    kinds = (int, float, Tensor, Iterable)
    if isinstance(learning_rate, bool) or not isinstance(learning_rate, kinds) or is_scalar_array:
        raise TypeError(
            "For 'Optimizer', the argument 'learning_rate' must be float, int, Tensor, Iterable or "
            f"LearningRateSchedule, but got {type(learning_rate)}."
        )
    if isinstance(learning_rate, (int, float)):
        if not learning_rate >= 0:
            raise ValueError(
                f"For 'Optimizer', the 'learning rate' must be float and must >= 0, but got {learning_rate}."
            )
        return constant(learning_rate)
    if isinstance(learning_rate, Tensor):
        if learning_rate.ndim > 1:
            raise ValueError(
                "For 'Optimizer', the dim of Tensor type Learning rate should be a 0 or 1, but got "
                f"{learning_rate.ndim}."
            )
        return op.cast(learning_rate, mstype.float32)
    data = Tensor(np.array(list(learning_rate), np.float32))
    if data.size == 0:
        raise ValueError("For 'Optimizer', the list of learning rates must not be empty.")
    return op.reshape(data, ()) if data.size == 1 else data
