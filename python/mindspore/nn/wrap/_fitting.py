# SPDX-License-Identifier: Apache-2.0
"""Whether a network, its loss and its optimizer go together, or a training would change nothing."""

from __future__ import annotations

from mindspore._settings.telling import warn_once
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell

_SHOWN = 3


def check_made(value, name: str, owner: str) -> None:
    """Raises a TypeError for a class where an object of it is meant, and for what cannot be called.

    Args:
        value (object): A Cell or a function, or None.
        name (str): Name of the argument.
        owner (str): Whose argument it is.
    """
    if isinstance(value, type):
        raise TypeError(
            f"For '{owner}', the argument '{name}' must be a Cell or a function, but got the class "
            f"'{value.__name__}': call it to make one, as in {name}={value.__name__}()."
        )
    if value is not None and not callable(value):
        raise TypeError(
            f"For '{owner}', the argument '{name}' must be a Cell or a function, but got "
            f"{type(value).__name__}."
        )


def _names(parameters) -> str:
    names = [repr(parameter.name) for parameter in parameters]
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _held(cells: list[Cell]) -> set[int]:
    """Identities of parameters that cells hold in lists, tuples and dicts, where nobody counts them."""
    found: set[int] = set()
    seen: set[int] = set()
    waiting: list = [*cells]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Parameter):
            found.add(id(value))
        elif isinstance(value, Cell):
            found.update(map(id, value.get_parameters()))
            waiting += [*value.cells(), *value.__dict__.values()]
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, (list, tuple, set)):
            waiting += value
    return found


def misfit(cells: list[Cell], optimizer, owner: str) -> str:
    """What to tell of an optimizer of another network; warns of one of an older state of this network.

    An optimizer of some parameters only, as for fine-tuning, is right.

    Args:
        cells (list[Cell]): What is trained: the network, and its loss.
        optimizer (Cell): What updates the parameters.
        owner (str): Who puts them together.

    Returns:
        str, empty if some of the optimizer's parameters belong to the network.

    Raises:
        TypeError: The optimizer is a class.
    """
    if isinstance(optimizer, type):
        raise TypeError(
            f"For '{owner}', the argument 'optimizer' must be an optimizer, but got the class "
            f"'{optimizer.__name__}': call it to make one, as in "
            f"{optimizer.__name__}(network.trainable_params(), ...)."
        )
    updated = [one for one in getattr(optimizer, "parameters", None) or () if isinstance(one, Parameter)]
    own = {id(parameter): parameter for cell in cells for parameter in cell.get_parameters()}
    if not updated or not own:
        return ""
    own_names = {parameter.name for parameter in own.values()}
    strangers = [parameter for parameter in updated if id(parameter) not in own]
    replaced = [parameter for parameter in strangers if parameter.name in own_names]
    was_replaced = (
        f" The network has other parameters of these names: {_names(replaced)}. Was it, or a layer of it, "
        "made anew after the optimizer?"
        if replaced
        else ""
    )
    if len(strangers) < len(updated):
        if replaced:
            warn_once(
                f"replaced: {_names(replaced)}",
                f"For '{owner}', {len(replaced)} of the {len(updated)} parameters of the optimizer do not "
                f"belong to the network and are not trained.{was_replaced}",
            )
        return ""
    if _held(cells).intersection(map(id, updated)):
        return ""
    return (
        f"For '{owner}', none of the {len(updated)} parameters of the optimizer ({_names(updated)}) belongs "
        f"to the network ({_names(own.values())}), which would not be trained.{was_replaced} Make the "
        "optimizer of the network's own parameters: network.trainable_params()."
    )


def check_loss(loss, tensors: list[Tensor], owner: str) -> None:
    """Raises a TypeError for what cannot be a loss, because it has no gradient.

    Args:
        loss (object): What the network returned.
        tensors (list[Tensor]): The tensors in it.
        owner (str): Who takes the step.
    """
    if not tensors:
        raise TypeError(
            f"For '{owner}', the network must return its loss, a Tensor, but it returned "
            f"{type(loss).__name__}: no gradient follows from that, and nothing would be trained."
        )
    if all(
        tensor.dtype not in mstype.float_type and tensor.dtype not in mstype.complex_type
        for tensor in tensors
    ):
        raise TypeError(
            f"For '{owner}', the loss must be of a floating type, but it is {tensors[0].dtype}: no gradient "
            "follows from that, and nothing would be trained."
        )


def warn_without_gradients(weights, owner: str) -> None:
    """Warns of a step in which no gradient arrived at any parameter of the optimizer."""
    frozen = [weight for weight in weights if not weight.requires_grad]
    why = (
        "all of them have requires_grad=False"
        if len(frozen) == len(weights)
        else "the loss does not depend on them (was it detached by stop_gradient, asnumpy or argmax?)"
    )
    warn_once(
        f"{owner}: {why}",
        f"For '{owner}', no gradient arrives at any of the {len(weights)} parameters of the optimizer "
        f"({_names(weights)}): {why}. The step trains nothing.",
    )


def warn_of_scales(optimizer, scale: float, owner: str) -> None:
    """Warns of an optimizer that divides gradients by another number than the loss was multiplied by.

    Args:
        optimizer (Cell): What updates the parameters.
        scale (float): What the optimizer is to divide by.
        owner (str): Who puts the step together.
    """
    divisor = getattr(optimizer, "loss_scale", 1.0)
    if isinstance(divisor, (int, float)) and divisor != scale:
        warn_once(
            f"{owner}: loss_scale",
            f"For '{owner}', the optimizer divides gradients by its loss_scale={divisor}, but they have to "
            f"be divided by {scale}: they are {scale / divisor:g} times as large as meant. Make the "
            f"optimizer with loss_scale={scale}.",
        )
