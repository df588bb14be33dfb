# SPDX-License-Identifier: Apache-2.0
"""What schedulers share."""

from __future__ import annotations

from mindspore._wording import Wording
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.experimental.optim.optimizer import Optimizer
from mindspore.ops._registry import op

# What the documentation of schedulers says alike.
SCHEDULER = Wording(
    """
    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        gamma (float): The factor.
        lr_lambda (Union[Function, list]): Function of the epoch's number, or one per group.
        last_epoch (int): Number of the epoch that was the last.

    Supported Platforms:
        ``CPU``
    """,
    get_lr="Rates of the epoch `last_epoch`, one per group.",
)


def check_optimizer(optimizer) -> None:
    """Raises a TypeError unless it is an optimizer of this package."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def check_kind(value: object, name: str, owner: str, kind: type) -> None:
    """Raises a TypeError unless the argument is of that type; a bool is not an int."""
    if isinstance(value, bool) or not isinstance(value, kind):
        raise TypeError(f"For '{owner}', the '{name}' must be {kind.__name__}, but got {type(value)}.")


def state(value: object, name: str) -> Parameter:
    """A number that changes with the epochs: a Parameter, so that compiled functions see it change."""
    return Parameter(Tensor(float(value), mstype.float32), name=name, requires_grad=False)


def set_rates(optimizer, values: list) -> None:
    """Gives every group its rate.

    Args:
        optimizer (Optimizer): Whose groups they are.
        values (list): A tensor or number per group.
    """
    for i, value in enumerate(values):
        value = value if isinstance(value, Tensor) else Tensor(float(value), mstype.float32)
        op.assign(optimizer._rate_of(i), op.reshape(op.cast(value, mstype.float32), ()))


class LRScheduler:
    """Base of schedulers; a subclass defines ``get_lr()``, the rates of the epoch `last_epoch`.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        last_epoch (int): Number of the epoch that was the last; -1: training begins. Default: ``-1``.

    Raises:
        TypeError: `optimizer` is not one, or `last_epoch` is not an int.
        KeyError: `last_epoch` is not -1, and a group does not know its initial rate.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        if isinstance(last_epoch, bool) or not isinstance(last_epoch, int):
            raise TypeError(
                f"The type of 'last_epoch' should be 'int', but got type '{type(last_epoch).__name__}'."
            )
        if last_epoch < -1:
            raise ValueError(f"Invalid last_epoch: {last_epoch}. It must be at least -1.")
        self.optimizer = optimizer
        self.last_epoch = state(last_epoch, f"last_epoch_{type(self).__name__}")
        self.groups_num = len(optimizer.param_groups)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", Tensor(float(group["lr"]), mstype.float32))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    def _now(self) -> list[Tensor]:
        """The rates as they are."""
        return [self.optimizer._rate_of(i) for i in range(self.groups_num)]

    def _scaled(self, factor) -> list[Tensor]:
        """The rates as they are, times a factor."""
        return [rate * factor for rate in self._now()]

    def _from_bases(self, factor) -> list[Tensor]:
        """The initial rates, times a factor."""
        return [base * factor for base in self.base_lrs]

    @staticmethod
    def get_lr() -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        raise NotImplementedError

    def get_last_lr(self) -> list:
        """The rates that were set last.

        Returns:
            list[Tensor], one per group.
        """
        return [op.copy(rate) for rate in self._now()]

    def step(self, epoch=None) -> None:
        """Sets the rates of the next epoch.

        Args:
            epoch (int): Number of the epoch, if it is not simply the next one. Default: ``None``.
        """
        if epoch is None:
            op.assign_add(self.last_epoch, 1.0)
        else:
            op.assign(self.last_epoch, Tensor(float(epoch), mstype.float32))
        closed = getattr(self, "_get_closed_form_lr", None)
        set_rates(self.optimizer, self.get_lr() if epoch is None or closed is None else closed())
