# SPDX-License-Identifier: Apache-2.0
"""How sure a network is: of its weights (epistemic), and of its data (aleatoric)."""

from __future__ import annotations

import copy

import numpy as np

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.layer.basic import Dense, Dropout
from mindspore.nn.layer.container import SequentialCell
from mindspore.nn.layer.conv import Conv2d
from mindspore.nn.loss.loss import LossBase, MSELoss, SoftmaxCrossEntropyWithLogits
from mindspore.nn.optim import Adam
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell
from mindspore.ops._registry import op

_SAMPLES = 10


def _with_dropout(cell: Cell) -> None:
    """Puts a dropout behind every dense layer and convolution but the last."""
    places = [
        (parent, name, child)
        for _, parent in cell.cells_and_names()
        for name, child in list(parent._cells.items())
        if isinstance(child, (Dense, Conv2d))
    ]
    for parent, name, child in places[:-1]:
        parent._cells[name] = SequentialCell(child, Dropout(p=0.5))


class _TwoHeads(Cell):
    """A network, and the logarithm of the variance of its outputs."""

    def __init__(self, network, width: int):
        super().__init__()
        self.network = network
        self.log_variance = Dense(width, width)

    def construct(self, x):
        outputs = self.network(x)
        return outputs, self.log_variance(outputs)


class _AleatoricLoss(LossBase):
    """Losses divided by the variance that the network expects."""

    def __init__(self, task_type, num_classes):
        super().__init__()
        self.regression, self.num_classes = task_type == "regression", num_classes

    def construct(self, data, label):
        mean, log_variance = data
        if self.regression:
            errors = op.square(op.sub(mean, label)) * op.exp(-log_variance)
            return op.reduce_mean(0.5 * (errors + log_variance))
        deviation = op.exp(0.5 * log_variance)
        likelihood = 0
        for _ in range(_SAMPLES):
            noisy = mean + deviation * ops.standard_normal(mean.shape)
            likelihood = likelihood + op.softmax(noisy, -1)
        hot = ops.one_hot(label, self.num_classes, Tensor(1.0, mstype.float32), Tensor(0.0, mstype.float32))
        return -op.reduce_mean(op.reduce_sum(op.log(likelihood / _SAMPLES + 1e-12) * hot, (-1,)))


class UncertaintyEvaluation:
    """Evaluates how sure a network is.

    Args:
        model (Cell): The network.
        train_dataset (Dataset): Data and labels it is trained with.
        task_type (str): ``"classification"`` or ``"regression"``.
        num_classes (int): Number of classes. Default: ``None``.
        epochs (int): How often all data is seen. Default: ``1``.
        epi_uncer_model_path (str): File of the network for epistemic uncertainty; read when it is given
            and not `save_model`. Default: ``None``.
        ale_uncer_model_path (str): File of the network for aleatoric uncertainty. Default: ``None``.
        save_model (bool): Whether the trained networks are stored. Default: ``False``.

    Raises:
        TypeError: An argument has another type.
        ValueError: `task_type` is something else, or a needed argument is missing.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        model,
        train_dataset,
        task_type,
        num_classes=None,
        epochs=1,
        epi_uncer_model_path=None,
        ale_uncer_model_path=None,
        save_model=False,
    ):
        owner = "UncertaintyEvaluation"
        if not isinstance(model, Cell):
            raise TypeError(f"For '{owner}', the 'model' must be a Cell, but got {type(model).__name__}.")
        self.task_type = check.one_of(task_type, ("classification", "regression"), "task_type", owner)
        if task_type == "classification":
            check.positive_int(num_classes, "num_classes", owner)
        self.model, self.train_dataset, self.num_classes = model, train_dataset, num_classes
        self.epochs = check.positive_int(epochs, "epochs", owner)
        self.save_model = check.boolean(save_model, "save_model", owner)
        if save_model and (epi_uncer_model_path is None or ale_uncer_model_path is None):
            raise ValueError(
                f"For '{owner}', the 'epi_uncer_model_path' and 'ale_uncer_model_path' must be given when "
                "'save_model' is True."
            )
        self.epi_uncer_model_path, self.ale_uncer_model_path = epi_uncer_model_path, ale_uncer_model_path
        self._epistemic = self._aleatoric = None

    def _trained(self, network, loss, path):
        """The network, from a file or trained."""
        from mindspore.train.serialization import load_checkpoint, load_param_into_net, save_checkpoint

        if path is not None and not self.save_model:
            load_param_into_net(network, load_checkpoint(path))
            return network
        optimizer = Adam(network.trainable_params(), learning_rate=0.001)
        step = TrainOneStepCell(WithLossCell(network, loss), optimizer)
        step.set_train()
        for _ in range(self.epochs):
            for data in self.train_dataset.create_tuple_iterator(num_epochs=1):
                step(*data)
        if self.save_model:
            save_checkpoint(network, path)
        return network

    def eval_epistemic_uncertainty(self, eval_data):
        """How much outputs differ when parts of the network are left out at random.

        Args:
            eval_data (Tensor): Data.

        Returns:
            numpy.ndarray, one number per sample (classification), or per output (regression).
        """
        if self._epistemic is None:
            network = copy.deepcopy(self.model)
            _with_dropout(network)
            if self.task_type == "classification":
                loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
            else:
                loss = MSELoss()
            self._epistemic = self._trained(network, loss, self.epi_uncer_model_path)
        self._epistemic.set_train(True)
        outputs = np.stack([self._epistemic(eval_data).asnumpy() for _ in range(_SAMPLES)])
        if self.task_type == "regression":
            return outputs.var(axis=0)
        shares = np.exp(outputs - outputs.max(-1, keepdims=True))
        shares = (shares / shares.sum(-1, keepdims=True)).mean(axis=0)
        return -(shares * np.log(shares + 1e-12)).sum(-1)

    def eval_aleatoric_uncertainty(self, eval_data):
        """The variance that a network expects of its data.

        Args:
            eval_data (Tensor): Data.

        Returns:
            numpy.ndarray, one number per output.
        """
        if self._aleatoric is None:
            width = self.model(eval_data).shape[-1]
            network = _TwoHeads(copy.deepcopy(self.model), width)
            loss = _AleatoricLoss(self.task_type, self.num_classes)
            self._aleatoric = self._trained(network, loss, self.ale_uncer_model_path)
        self._aleatoric.set_train(False)
        return np.exp(self._aleatoric(eval_data)[1].asnumpy())
