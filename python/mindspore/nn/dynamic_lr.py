# SPDX-License-Identifier: Apache-2.0
"""Learning rates as lists: one number per step, changing from epoch to epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

from mindspore._later import defined_names as _defined_names
from mindspore._wording import Wording
from mindspore.nn import _checks as check

# What the documentation of these functions says alike.
_RATES = Wording("""
    Args:
        learning_rate (float): Initial rate.
        decay_rate (float): Rate of the decay.
        total_step (int): Number of steps.
        step_per_epoch (int): Steps of an epoch.
        decay_epoch (int): Epochs of the decay.
        is_stair (bool): Whole periods only.

    Returns:
        list[float], one rate per step.
    """)


def _float(value, name: str, owner: str, least: float = 0.0, strict: bool = True) -> float:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the '{name}' must be float, but got {type(value).__name__}.")
    if value < least or (strict and value == least):
        raise ValueError(
            f"For '{owner}', the '{name}' must be {'>' if strict else '>='} {least}, but got {value}."
        )
    return value


_MOST_STEPS = 1 << 28  # of a list; a schedule that computes each rate when asked knows no limit


def _counts(owner: str, **counts) -> None:
    for name, value in counts.items():
        check.positive_int(value, name, owner)
        if name == "total_step" and value > _MOST_STEPS:
            raise ValueError(
                f"For '{owner}', a list holds rates of at most {_MOST_STEPS} steps, but got a 'total_step' "
                f"of {value}. Use a LearningRateSchedule."
            )


@_RATES
def piecewise_constant_lr(milestone, learning_rates) -> list[float]:
    """Rate `learning_rates[i]` until step `milestone[i]`.

    Args:
        milestone (Union[list[int], tuple[int]]): Steps, strictly growing.
        learning_rates (Union[list[float], tuple[float]]): Rates, as many.
    """
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(
                f"For 'piecewise_constant_lr', the '{name}' must be tuple or list, got {type(value)}."
            )
    if len(milestone) != len(learning_rates):
        raise ValueError(
            "For 'piecewise_constant_lr', the size of 'milestone' must be same with the size of "
            f"'learning_rates', but got {len(milestone)} and {len(learning_rates)}."
        )
    rates: list[float] = []
    last = 0
    for step, rate in zip(milestone, learning_rates, strict=False):
        check.positive_int(step, "milestone", "piecewise_constant_lr")
        if step <= last:
            raise ValueError(
                f"For 'piecewise_constant_lr', the 'milestone' must be strictly growing, got {milestone}."
            )
        _float(rate, "learning_rates", "piecewise_constant_lr", strict=False)
        rates += [rate] * (step - last)
        last = step
    return rates


def _decaying(formula: Callable[..., float]) -> Callable[..., list[float]]:
    """Makes a list of rates of a formula over the epoch; the name and the words are the formula's."""
    owner = formula.__name__

    @wraps(formula, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def rates(
        learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
    ) -> list[float]:
        _counts(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
        _float(learning_rate, "learning_rate", owner)
        _float(decay_rate, "decay_rate", owner)
        check.boolean(is_stair, "is_stair", owner)
        epochs = (step // step_per_epoch for step in range(total_step))
        return [formula(epoch, learning_rate, decay_rate, decay_epoch, is_stair) for epoch in epochs]

    del rates.__wrapped__  # it takes other arguments
    return rates


@_RATES
@_decaying
def exponential_decay_lr(epoch, learning_rate, decay_rate, decay_epoch, is_stair):
    """``learning_rate * decay_rate ** (epoch / decay_epoch)``.

    Args:
        decay_rate (float): Factor.
        decay_epoch (int): Epochs after which the factor is reached.
    """
    periods = epoch // decay_epoch if is_stair else epoch / decay_epoch
    return learning_rate * decay_rate**periods


@_RATES
@_decaying
def natural_exp_decay_lr(epoch, learning_rate, decay_rate, decay_epoch, is_stair):
    """``learning_rate * exp(-decay_rate * epoch)``.

    Args:
        decay_epoch (int): Length of a stair.
    """
    passed = epoch // decay_epoch * decay_epoch if is_stair else epoch
    return learning_rate * math.exp(-decay_rate * passed)


@_RATES
@_decaying
def inverse_decay_lr(epoch, learning_rate, decay_rate, decay_epoch, is_stair):
    """``learning_rate / (1 + decay_rate * epoch / decay_epoch)``.

    Args:
        decay_epoch (int): Length of a period.
    """
    periods = epoch // decay_epoch if is_stair else epoch / decay_epoch
    return learning_rate / (1 + decay_rate * periods)


@_RATES
def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch) -> list[float]:
    """From `max_lr` to `min_lr` along half a cosine of `decay_epoch` epochs.

    Args:
        min_lr (float): Last rate.
        max_lr (float): First rate.
    """
    _float(min_lr, "min_lr", "cosine_decay_lr", strict=False)
    _float(max_lr, "max_lr", "cosine_decay_lr")
    _counts("cosine_decay_lr", total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    if min_lr >= max_lr:
        raise ValueError(
            f"For 'cosine_decay_lr', the 'max_lr' must be greater than the 'min_lr', but got {max_lr} and "
            f"{min_lr}."
        )
    half = 0.5 * (max_lr - min_lr)
    epochs = (min(step // step_per_epoch, decay_epoch) for step in range(total_step))
    return [min_lr + half * (1 + math.cos(math.pi * epoch / decay_epoch)) for epoch in epochs]


@_RATES
def polynomial_decay_lr(
    learning_rate, end_learning_rate, total_step, step_per_epoch, decay_epoch, power, update_decay_epoch=False
) -> list[float]:
    """From `learning_rate` to `end_learning_rate` along a power of the remaining share.

    Args:
        learning_rate (float): First rate.
        end_learning_rate (float): Last rate.
        power (float): The power.
        update_decay_epoch (bool): Start again with longer periods.
    """
    owner = "polynomial_decay_lr"
    _float(learning_rate, "learning_rate", owner)
    _float(end_learning_rate, "end_learning_rate", owner, strict=False)
    _float(power, "power", owner)
    _counts(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    check.boolean(update_decay_epoch, "update_decay_epoch", owner)
    rates = []
    for step in range(total_step):
        epoch = step // step_per_epoch
        length = decay_epoch * max(1, math.ceil(epoch / decay_epoch)) if update_decay_epoch else decay_epoch
        share = (1 - min(epoch, length) / length) ** power
        rates.append((learning_rate - end_learning_rate) * share + end_learning_rate)
    return rates


@_RATES
def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch) -> list[float]:
    """Rises to `learning_rate` over `warmup_epoch` epochs, then stays.

    Args:
        learning_rate (float): The rate in the end.
        warmup_epoch (int): Epochs of the rise.
    """
    _float(learning_rate, "learning_rate", "warmup_lr")
    if isinstance(warmup_epoch, bool) or not isinstance(warmup_epoch, int):
        raise TypeError(
            f"For 'warmup_lr', the 'warmup_epoch' must be int, but got {type(warmup_epoch).__name__}."
        )
    if warmup_epoch < 0:
        raise ValueError(f"For 'warmup_lr', the 'warmup_epoch' must be >= 0, but got {warmup_epoch}.")
    _counts("warmup_lr", total_step=total_step, step_per_epoch=step_per_epoch)
    if warmup_epoch == 0:
        return [learning_rate] * total_step
    return [
        learning_rate * min(step // step_per_epoch, warmup_epoch) / warmup_epoch for step in range(total_step)
    ]


__all__ = _defined_names(globals())
