# SPDX-License-Identifier: Apache-2.0
"""Training in which the first layers rest from time to time."""

from __future__ import annotations

import random

from mindspore.boost._words import BOOST
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore.ops._registry import op


@BOOST
class FreezeOpt(Cell):
    """An optimizer of which, by a strategy, only the last groups of parameters take part in a step.

    Args:
        opt (Optimizer): The optimizer.
        train_parameter_groups (Union[tuple, list]): For every choice of the strategy, the parameters that
            take part. Default: ``None``, all.
        train_strategy (Union[tuple, list]): For every step, which choice. Default: ``None``, the first.

    Inputs:
        - **grads** (tuple[Tensor]) - One gradient per parameter.

    Outputs:
        tuple[bool], all True.
    """

    def __init__(self, opt, train_parameter_groups=None, train_strategy=None):
        super().__init__(auto_prefix=False)
        if not isinstance(opt, Optimizer):
            raise TypeError(f"For 'FreezeOpt', the 'opt' must be an Optimizer, but got {type(opt).__name__}.")
        self.optimizer, self.parameters = opt, opt.parameters
        groups = [tuple(opt.parameters)] if train_parameter_groups is None else train_parameter_groups
        self.train_parameter_groups = [ParameterTuple(tuple(group)) for group in groups]
        self.train_strategy = Tensor([0] if train_strategy is None else list(train_strategy), mstype.int32)
        self.freeze_step = Parameter(Tensor([0], mstype.int32), name="freeze_step", requires_grad=False)
        self._resting = [
            tuple(p for p in opt.parameters if not any(p is one for one in group))
            for group in self.train_parameter_groups
        ]

    def construct(self, grads):
        place = op.floor_mod(self.freeze_step, self.train_strategy.size)
        choice = int(op.gather(self.train_strategy, place, 0))
        resting = self._resting[min(choice, len(self._resting) - 1)]
        before = [op.copy(parameter) for parameter in resting]
        result = self.optimizer(grads)
        for parameter, value in zip(resting, before, strict=True):
            op.assign(parameter, value)
        op.assign_add(self.freeze_step, 1)
        return result


@BOOST
class GradientFreeze:
    """Chooses which layers rest in which step.

    Args:
        param_groups (int): Number of groups the layers are cut into.
        freeze_type (int): 0: random, 1: the rate of resting falls with the steps.
    """

    def __init__(self, param_groups, freeze_type, freeze_p, total_steps):
        self._param_groups, self._freeze_type = param_groups, freeze_type
        self._freeze_p, self._total_steps = freeze_p, total_steps

    def split_parameters_groups(self, net, freeze_para_groups_number) -> list:
        """Cuts the parameters of a network into groups, in their order.

        Args:
            net (Cell): The network.
            freeze_para_groups_number (int): Number of groups.

        Returns:
            list of lists of Parameters.
        """
        parameters = list(net.trainable_params())
        size = max(1, -(-len(parameters) // freeze_para_groups_number))
        groups = [parameters[i : i + size] for i in range(0, len(parameters), size)]
        return groups + [[] for _ in range(freeze_para_groups_number - len(groups))]

    def generate_freeze_index_sequence(
        self, parameter_groups_number, freeze_strategy, freeze_p, total_steps
    ) -> list:
        """For every step, how many groups rest.

        Args:
            parameter_groups_number (int): Number of groups.
            freeze_strategy (int): 0: random, 1: the rate of resting falls with the steps.

        Returns:
            list[int].
        """
        if freeze_strategy not in (0, 1):
            raise ValueError(f"Unsupported freezing algorithm {freeze_strategy}: it must be 0 or 1.")
        draw = random.Random(0)
        sequence = []
        for step in range(total_steps):
            chance = freeze_p if freeze_strategy == 0 else freeze_p * (1 - step / total_steps)
            rests = draw.random() < chance
            sequence.append(draw.randrange(1, max(2, parameter_groups_number)) if rests else 0)
        return sequence

    def freeze_generate(self, network, optimizer):
        """A network and an optimizer that let layers rest.

        Args:
            optimizer (Optimizer): The optimizer.

        Returns:
            tuple of the network and a FreezeOpt.
        """
        groups = self.split_parameters_groups(network, self._param_groups)
        left = [[p for group in groups[i:] for p in group] for i in range(len(groups))]
        strategy = self.generate_freeze_index_sequence(
            self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
        )
        return network, FreezeOpt(optimizer, [group for group in left if group], strategy)


def freeze_cell(
    reducer_flag,
    network,
    optimizer,
    sens,
    grad,
    use_grad_accumulation,
    mean=None,
    degree=None,
    max_accumulation_step=1,
) -> tuple:
    """The training step of an optimizer that lets layers rest.

    Args:
        reducer_flag (bool): Whether gradients are shared between processes.
        network (Cell): The network with its loss.
        optimizer (Union[Cell, FreezeOpt]): The optimizer.
        sens (numbers.Number): Factor of the gradients.
        grad (tuple[Tensor]): Makes gradient functions.
        use_grad_accumulation (bool): Whether gradients accumulate.
        mean (bool): Divide by the number of processes. Default: ``None``.
        degree (int): Number of processes. Default: ``None``.
        max_accumulation_step (int): Batches before a step. Default: ``1``.

    Returns:
        tuple[Cell], of one: the optimizer itself chooses.
    """
    return (TrainOneStepCell(network, optimizer, sens),)


__all__ = ["FreezeOpt", "GradientFreeze", "freeze_cell"]
