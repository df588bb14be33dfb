# SPDX-License-Identifier: Apache-2.0
"""Ends a run in order when the system asks for it."""

from __future__ import annotations

import os
import signal

from mindspore import log as logger
from mindspore.train._checkpoint_save import check_isinstance
from mindspore.train.callback._callback import CALLBACK, Callback
from mindspore.train.serialization import export, load_checkpoint, load_param_into_net, save_checkpoint


@CALLBACK
class OnRequestExit(Callback):
    """Ends training or evaluation after the current step when a signal comes, and saves the network.

    The file is read again at the beginning of the next run.

    Args:
        save_ckpt (bool): Saves a checkpoint, ``<file_name>_train.ckpt`` or ``<file_name>_eval.ckpt``.
            Default: ``True``.
        save_mindir (bool): Saves the model too, where models can be exported. Default: ``True``.
        file_name (str): Start of the names. Default: ``"Net"``.
        directory (str): The folder. Default: ``"./"``.
        sig (int): The signal. Default: ``signal.SIGTERM``.

    Raises:
        ValueError: A bool is none, `sig` is not a number, or it is ``SIGKILL``, which cannot be caught.
    """

    def __init__(self, save_ckpt=True, save_mindir=True, file_name="Net", directory="./", sig=signal.SIGTERM):
        super().__init__()
        check_isinstance("save_ckpt", save_ckpt, bool)
        check_isinstance("save_mindir", save_mindir, bool)
        check_isinstance("sig", sig, int)
        if hasattr(signal, "SIGKILL") and sig == signal.SIGKILL:
            raise ValueError("Not support send exit request by signal SIGKILL.")
        self.save_ckpt, self.save_mindir, self.sig = save_ckpt, save_mindir, sig
        self.stop = False
        self._before = None
        if save_ckpt or save_mindir:
            os.makedirs(directory, exist_ok=True)
        base = os.path.abspath(os.path.join(directory, f"{file_name}"))
        self.train_name, self.eval_name = base + "_train", base + "_eval"

    def on_train_begin(self, run_context):
        """Begins to listen for the signal, and reads what an earlier run saved."""
        self._begin(run_context.original_args().get("train_network"), self.train_name)

    def on_train_step_end(self, run_context):
        """Ends the run if the signal has come."""
        if self.stop:
            run_context.request_stop()

    def on_train_epoch_end(self, run_context):
        """Ends the run if the signal has come."""
        self.on_train_step_end(run_context)

    def on_train_end(self, run_context):
        """Saves the network if the signal has come."""
        self._end(run_context.original_args(), "train_network", self.train_name)

    def on_eval_begin(self, run_context):
        """Begins to listen for the signal, and reads what an earlier run saved."""
        self._begin(run_context.original_args().get("eval_network"), self.eval_name)

    def on_eval_step_end(self, run_context):
        """Ends the run if the signal has come."""
        self.on_train_step_end(run_context)

    def on_eval_end(self, run_context):
        """Saves the network if the signal has come."""
        self._end(run_context.original_args(), "eval_network", self.eval_name)

    def __exit__(self, *err):
        if self._before is not None:
            signal.signal(self.sig, self._before)
            self._before = None

    def _begin(self, network, name: str) -> None:
        self.stop = False
        if self._before is None:
            self._before = signal.signal(self.sig, self._on_signal)
        path = name + ".ckpt"
        if self.save_ckpt and os.path.isfile(path) and network is not None:
            load_param_into_net(network, load_checkpoint(path))

    def _on_signal(self, number, frame) -> None:
        logger.warning("Signal %s has come: the run ends after the current step.", number)
        self.stop = True

    def _end(self, params, network: str, name: str) -> None:
        if not self.stop:
            return
        network = params.get(network)
        if self.save_ckpt:
            save_checkpoint(network, name + ".ckpt")
        if self.save_mindir:
            inputs = params.get("train_dataset_element") or params.get("eval_dataset_element") or ()
            try:
                export(network, *inputs, file_name=name, file_format="MINDIR")
            except (NotImplementedError, TypeError, RuntimeError) as failure:  # a training step, for instance
                logger.warning("%s.mindir is not written: %s", name, failure)
