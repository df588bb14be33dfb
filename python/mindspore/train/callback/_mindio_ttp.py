# SPDX-License-Identifier: Apache-2.0
"""Saving on failure with the package `mindio_ttp`."""

from __future__ import annotations

import importlib
import os

from mindspore import context
from mindspore import log as logger
from mindspore.train.callback._callback import CALLBACK, Callback
from mindspore.train.serialization import load_checkpoint, load_param_into_net


@CALLBACK
class MindIOTTPAdapter(Callback):
    """Tells the package `mindio_ttp` of every step, so that it can save a cluster that fails.

    It is used on Ascend clusters in graph mode, where ``MS_ENABLE_MINDIO_GRACEFUL_EXIT`` is ``true`` and
    ``MS_MINDIO_TTP_LIB_PATH`` names its library; elsewhere the callback does nothing.

    Args:
        controller_ip (str): Address of the controller.
        controller_port (int): Its port.
        ckpt_save_path (str): Folder for what is saved.

    Raises:
        ModuleNotFoundError: The package is not installed.
    """

    def __init__(self, controller_ip, controller_port, ckpt_save_path):
        super().__init__()
        importlib.import_module("mindio_ttp")
        self._controller = (controller_ip, controller_port)
        self._ckpt_save_path = ckpt_save_path
        self.enable = (
            context.get_context("mode") == context.GRAPH_MODE
            and context.get_context("device_target") == "Ascend"
            and os.getenv("MS_ENABLE_MINDIO_GRACEFUL_EXIT") == "true"
            and os.path.isfile(os.getenv("MS_MINDIO_TTP_LIB_PATH", ""))
        )
        if not self.enable:
            logger.warning("MindIOTTPAdapter does nothing here: it needs graph mode on an Ascend cluster.")

    def wrapper_ttp_persist(self, func):
        """The function itself, or the same watched by `mindio_ttp` where that is in use.

        Args:
            func (function): Trains the network.

        Returns:
            function.
        """
        if not self.enable:
            return func
        return importlib.import_module("mindio_ttp.framework_ttp").ttp_to_persist(func)

    @staticmethod
    def load_checkpoint_with_backup(ckpt_file_path, strategy_file_path, net):
        """Gives a network the parameters of a checkpoint.

        Args:
            ckpt_file_path (str): The checkpoint.
            strategy_file_path (str): How the parameters are spread over a cluster; not used without one.
            net (Cell): The network.

        Returns:
            dict, the parameters.
        """
        parameters = load_checkpoint(ckpt_file_path)
        load_param_into_net(net, parameters)
        return parameters

    def on_train_step_end(self, run_context):
        """Tells of the end of a step.

        Raises:
            RuntimeError: The cluster is not initialised.
        """
        if not self.enable:
            return
        if context.get_auto_parallel_context("pipeline_stages") < 2:
            logger.warning("MindIOTTPAdapter needs pipeline parallel training, and is switched off.")
            self.enable = False
            return
        raise RuntimeError("MindIOTTPAdapter needs a cluster: call mindspore.communication.init() first.")
