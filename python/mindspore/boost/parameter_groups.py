# SPDX-License-Identifier: Apache-2.0
"""Groups of parameters: centred gradients, scales of their own."""

from __future__ import annotations

from mindspore import nn
from mindspore.boost._words import BOOST
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.train.loss_scale_manager import LossScaleManager

_CENTRED = (nn.Conv2d, nn.Dense)
_GROUPS = 4


@BOOST
class OptimizerProcess:
    """Lets an optimizer centre the gradients of convolutions and dense layers.

    Args:
        opt (Cell): The optimizer.
    """

    def __init__(self, opt):
        if not isinstance(opt, nn.Optimizer):
            raise TypeError(
                f"For 'OptimizerProcess', the 'opt' must be an Optimizer, but got {type(opt).__name__}."
            )
        self.origin_params, self.opt_class, self._opt = list(opt.parameters), type(opt), opt

    @staticmethod
    def build_params_dict(network) -> dict:
        """Parameters of a network by the cells that hold them.

        Returns:
            dict, identity of a parameter -> its cell.
        """
        return {
            id(parameter): cell
            for _, cell in network.cells_and_names()
            for parameter in cell.parameters_dict(recurse=False).values()
        }

    @staticmethod
    def build_gc_params_group(params_dict, parameters) -> list:
        """Groups for an optimizer: parameters whose gradients are centred, and the others.

        Args:
            params_dict (dict): From `build_params_dict`.

        Returns:
            list[dict].
        """
        centred = [p for p in parameters if isinstance(params_dict.get(id(p)), _CENTRED) and len(p.shape) > 1]
        chosen = {id(p) for p in centred}
        others = [p for p in parameters if id(p) not in chosen]
        groups = []
        if centred:
            groups.append({"params": centred, "grad_centralization": True})
        if others:
            groups.append({"params": others, "grad_centralization": False})
        return [*groups, {"order_params": list(parameters)}]

    def add_grad_centralization(self, network) -> None:
        """Centres gradients from now on."""
        groups = self.build_gc_params_group(self.build_params_dict(network), self.origin_params)
        centred = {id(p) for group in groups if group.get("grad_centralization") for p in group["params"]}
        flags = tuple(id(p) in centred for p in self.origin_params)
        self._opt._centred = self._opt.grad_centralization_flags = flags

    def generate_new_optimizer(self):
        """The optimizer as it is now.

        Returns:
            Optimizer.
        """
        return self._opt


@BOOST
class ParameterProcess:
    """Cuts parameters into groups that are communicated together."""

    def assign_parameter_group(self, parameters, split_point=None) -> list:
        """Numbers the groups.

        Args:
            split_point (list[int]): First parameters of groups. Default: ``None``, four groups of one size.

        Returns:
            list[Parameter], the parameters.
        """
        if not isinstance(parameters, (list, tuple)) or not parameters:
            return parameters
        if split_point is None:
            size = max(1, len(parameters) // _GROUPS)
            split_point = [size * i for i in range(1, _GROUPS)]
        for i, parameter in enumerate(parameters):
            parameter.comm_fusion = 2 + sum(i >= point for point in split_point)
        return parameters

    @staticmethod
    def generate_group_params(parameters, origin_params) -> list:
        """Groups of an optimizer for parameters that took the place of others.

        Args:
            parameters (list[Parameter]): The new parameters.
            origin_params (list): What the optimizer was made with.

        Returns:
            list, in the form of `origin_params`.
        """
        if not isinstance(origin_params[0], dict):
            return parameters
        by_name = {parameter.name: parameter for parameter in parameters}
        groups = []
        for group in origin_params:
            key = "order_params" if "order_params" in group else "params"
            groups.append({**group, key: [by_name.get(p.name, p) for p in group[key]]})
        return groups


@BOOST
class GroupLossScaleManager(Cell, LossScaleManager):
    """Loss scales of which every group of layers has its own.

    Args:
        init_loss_scale (Number): Initial scale.
        loss_scale_groups (list): Groups of parameters.
    """

    def __init__(self, init_loss_scale, loss_scale_groups):
        super().__init__(auto_prefix=False)
        self._loss_scale, self.loss_scale_groups = init_loss_scale, loss_scale_groups
        self.loss_scale_number, self.layer_loss_scale, self.dynamic_loss_scale = 0, None, None

    def set_loss_scale_status(self, loss_scale_number, init_loss_scale) -> None:
        """Gives every group its initial scale.

        Args:
            loss_scale_number (int): Number of groups.
            init_loss_scale (Number): The scale.
        """
        self.loss_scale_number = loss_scale_number
        self.dynamic_loss_scale = Parameter(
            Tensor([float(init_loss_scale)] * loss_scale_number, mstype.float32),
            name="group_loss_scale",
            requires_grad=False,
        )

    def update_loss_scale_status(self, layer, update_ratio):
        """Multiplies the scale of a group.

        Args:
            layer (int): Number of the group.
            update_ratio (Number): The factor.

        Returns:
            Tensor, the new scale.
        """
        self.dynamic_loss_scale[layer] = self.dynamic_loss_scale[layer] * update_ratio
        return self.dynamic_loss_scale[layer]

    def get_loss_scale(self):
        """The initial scale."""
        return self._loss_scale

    def update_loss_scale(self, overflow) -> None:
        """Nothing: scales change with `update_loss_scale_status`."""

    def get_update_cell(self):
        """None: scales change with `update_loss_scale_status`."""
