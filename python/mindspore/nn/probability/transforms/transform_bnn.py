# SPDX-License-Identifier: Apache-2.0
"""From a plain network to one whose weights are distributed."""

from __future__ import annotations

import inspect

from mindspore.nn.layer.basic import Dense
from mindspore.nn.layer.conv import Conv2d
from mindspore.nn.probability.bnn_layers import ConvReparam, DenseReparam, WithBNNLossCell
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell

# What a layer with distributed weights takes over from the plain one: all but what makes its distributions.
_TAKEN_OVER = {
    plain: [name for name in inspect.signature(distributed).parameters if not name.endswith("_fn")]
    for plain, distributed in ((Dense, DenseReparam), (Conv2d, ConvReparam))
}


class TransformToBNN:
    """Turns layers of a network into layers whose weights are distributed.

    Args:
        trainable_dnn (Cell): A training step: a network with its loss and an optimizer.
        dnn_factor (Union[int, float]): Factor of the loss. Default: ``1``.
        bnn_factor (Union[int, float]): Factor of the divergence of the weights. Default: ``1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, trainable_dnn, dnn_factor=1, bnn_factor=1):
        self.trainable_dnn, self.dnn_factor, self.bnn_factor = trainable_dnn, dnn_factor, bnn_factor
        self.network = trainable_dnn.network
        self.optimizer = trainable_dnn.optimizer
        self.backbone = self.network.backbone_network
        self.loss_fn = getattr(self.network, "_loss_fn")  # noqa: B009

    def _arguments(self, layer, get_args, add_args) -> dict:
        if get_args is not None:
            taken = get_args(layer)
        else:
            names = next(names for kind, names in _TAKEN_OVER.items() if isinstance(layer, kind))
            taken = {name: getattr(layer, name) for name in names}
        return {**taken, **(add_args or {})}

    def _replace(self, plain, distributed, get_args, add_args) -> None:
        for _, parent in list(self.backbone.cells_and_names()):
            for name, child in list(parent._cells.items()):
                if type(child) is plain:
                    setattr(parent, name, distributed(**self._arguments(child, get_args, add_args)))

    def _training(self):
        network = WithBNNLossCell(self.backbone, self.loss_fn, self.dnn_factor, self.bnn_factor)
        for name, parameter in self.backbone.parameters_and_names():
            parameter.name = name
        made = type(self.optimizer)
        optimizer = made(network.trainable_params(), learning_rate=float(self.optimizer.get_lr()))
        return TrainOneStepCell(network, optimizer)

    def transform_to_bnn_model(
        self, get_dense_args=None, get_conv_args=None, add_dense_args=None, add_conv_args=None
    ):
        """Turns all dense layers and convolutions.

        Args:
            get_dense_args (function): Arguments of the new layer from a dense layer. Default: ``None``,
                its own.
            get_conv_args (function): Arguments of the new layer from a convolution. Default: ``None``, its
                own.
            add_dense_args (dict): Further arguments of new dense layers. Default: ``None``.
            add_conv_args (dict): Further arguments of new convolutions. Default: ``None``.

        Returns:
            Cell, a training step.
        """
        self._replace(Dense, DenseReparam, get_dense_args, add_dense_args)
        self._replace(Conv2d, ConvReparam, get_conv_args, add_conv_args)
        return self._training()

    def transform_to_bnn_layer(self, dnn_layer_type, bnn_layer_type, get_args=None, add_args=None):
        """Turns all layers of one kind.

        Args:
            dnn_layer_type (type): ``nn.Dense`` or ``nn.Conv2d``.
            bnn_layer_type (type): The kind of the new layers.
            get_args (function): Arguments of the new layer from the old one. Default: ``None``, its own.
            add_args (dict): Further arguments of new layers. Default: ``None``.

        Returns:
            Cell, a training step.
        """
        if dnn_layer_type not in _TAKEN_OVER:
            raise ValueError(
                f"For 'TransformToBNN', the 'dnn_layer_type' must be Dense or Conv2d, but got "
                f"{dnn_layer_type}."
            )
        self._replace(dnn_layer_type, bnn_layer_type, get_args, add_args)
        return self._training()
