# SPDX-License-Identifier: Apache-2.0
"""Tells how much of a device's arithmetic a training uses."""

from __future__ import annotations

import time

from mindspore import _checkparam as check
from mindspore import log as logger
from mindspore import nn
from mindspore.common.tensor import Tensor
from mindspore.train.callback._callback import CALLBACK, Callback

_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_counted: dict[str, int] = {}
_BACKWARD = 2  # a gradient step costs about twice the forward step: for inputs and for weights


def _operations_of(cell, output) -> int:
    if isinstance(cell, nn.Dense):
        return 2 * output.size * cell.in_channels
    weight = cell.weight.shape
    return 2 * output.size * int(cell.weight.size // weight[0])


def forward_flops(network, inputs) -> int:
    """Multiplications and additions of the fully connected and convolution layers in one forward run.

    Args:
        network (Cell): The network.
        inputs (Sequence[Tensor]): Its inputs.

    Returns:
        int.
    """
    total = 0

    def count(cell, _, output):
        nonlocal total
        if isinstance(output, Tensor):
            total += _operations_of(cell, output)

    counted = [cell for _, cell in network.cells_and_names() if isinstance(cell, (nn.Dense, *_CONVOLUTIONS))]
    handles = [cell.register_forward_hook(count) for cell in counted]
    was_training = network.training
    network.set_train(False)
    try:
        network(*inputs)
    finally:
        network.set_train(was_training)
        for handle in handles:
            handle.remove()
    return total


def flops_collection(phase="train"):
    """What a `FlopsUtilizationCollector` has counted.

    Args:
        phase (str): ``"train"`` or ``"eval"``. Default: ``"train"``.

    Returns:
        tuple: operations of the model and of the hardware for the whole model, the same for this device, and
        whether shapes are dynamic. Zeros where nothing was counted.
    """
    flops = _counted.get("train" if "train" in phase else "eval", 0)
    return flops, flops, flops, flops, False


@CALLBACK
class FlopsUtilizationCollector(Callback):
    """Prints the floating-point operations of a step, and which share of the device's speed they are.

    Fully connected and convolution layers are counted; a step of training as three times its forward part.

    Args:
        data_size (int): Steps between two lines.
        computility (int): Greatest speed of the device in operations per second. Default: ``1``.
        full_flops (bool): Counts the whole model, not only the part of this device. Default: ``True``.

    Raises:
        TypeError: `data_size` is not an int.
        ValueError: `data_size` is not positive.
    """

    def __init__(self, data_size, computility=1, full_flops=True):
        super().__init__()
        self.step_size = check.check_positive_int(data_size, "data_size", type(self).__name__)
        self.computility = check.check_positive_int(computility, "computility", type(self).__name__)
        self.full_flops = check.check_bool(full_flops, "full_flops", type(self).__name__)
        self._flops = None
        self._since = None

    def step_begin(self, run_context):
        """Counts the operations before the first step, and notes the time."""
        params = run_context.original_args()
        if self._flops is None:
            self._flops = self._count(params)
        if self._since is None:
            self._since = time.perf_counter()

    def step_end(self, run_context):
        """Prints a line if one is due."""
        params = run_context.original_args()
        if not self._flops or params.cur_step_num % self.step_size != 0:
            return
        seconds = max(time.perf_counter() - self._since, 1e-9) / self.step_size
        self._since = None
        share = self._flops / seconds / self.computility
        print(
            f"{params.get('mode', 'train').title()} per step time: {seconds * 1000:5.3f} ms, "
            f"mfu:{share * 100:.2f} % hfu:{share * 100:.2f} %",
            flush=True,
        )

    def _count(self, params) -> int:
        is_training = params.get("mode", "train") == "train"
        row = params.get("train_dataset_element" if is_training else "eval_dataset_element")
        network = params.get("network")
        if not row or network is None:
            logger.warning("FlopsUtilizationCollector needs the rows of the data, which sinking hides.")
            return 0
        inputs = row if params.get("loss_fn") is None and is_training else row[:1]
        try:
            flops = forward_flops(network, inputs)
        except Exception as failure:
            logger.warning("The operations of the network cannot be counted: %s", failure)
            return 0
        flops *= 1 + _BACKWARD if is_training else 1
        _counted["train" if is_training else "eval"] = flops
        print(f"Full model flops is {flops}, full hardware flops is {flops}.", flush=True)
        return flops
