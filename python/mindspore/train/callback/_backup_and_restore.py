# SPDX-License-Identifier: Apache-2.0
"""Keeps a checkpoint with which an interrupted training goes on."""

from __future__ import annotations

import os

from mindspore import _checkparam as check
from mindspore.train.callback._callback import CALLBACK, Callback
from mindspore.train.callback._checkpoint_files import remove_file
from mindspore.train.serialization import load_checkpoint, load_param_into_net, save_checkpoint


@CALLBACK
class BackupAndRestore(Callback):
    """Saves ``backup.ckpt`` while a network is trained, and reads it when training begins again.

    Args:
        backup_dir (str): The folder.
        save_freq (Union["epoch", int]): Saves after each epoch, or after so many steps.
            Default: ``"epoch"``.
        delete_checkpoint (bool): Deletes the file when training has ended. Default: ``True``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `save_freq` is not positive.
    """

    def __init__(self, backup_dir, save_freq="epoch", delete_checkpoint=True):
        super().__init__()
        if not isinstance(backup_dir, (str, os.PathLike)):
            raise TypeError(
                "For 'BackupAndRestore', the 'backup_dir' must be a string, but got "
                f"{type(backup_dir).__name__}."
            )
        if save_freq != "epoch":
            check.check_positive_int(save_freq, "save_freq", "BackupAndRestore")
        check.check_bool(delete_checkpoint, "delete_checkpoint", "BackupAndRestore")
        self.save_freq, self.delete_checkpoint = save_freq, delete_checkpoint
        folder = os.path.abspath(backup_dir)
        os.makedirs(folder, exist_ok=True)
        self.backup_file = os.path.join(folder, "backup.ckpt")

    def on_train_begin(self, run_context):
        """Reads the file, if there is one."""
        if os.path.isfile(self.backup_file):
            params = run_context.original_args()
            load_param_into_net(params.train_network, load_checkpoint(self.backup_file))

    def on_train_step_end(self, run_context):
        """Saves the network if so many steps have passed."""
        params = run_context.original_args()
        if self.save_freq != "epoch" and params.cur_step_num % self.save_freq == 0:
            save_checkpoint(params.train_network, self.backup_file)

    def on_train_epoch_end(self, run_context):
        """Saves the network."""
        if self.save_freq == "epoch":
            save_checkpoint(run_context.original_args().train_network, self.backup_file)

    def on_train_end(self, run_context):
        """Deletes the file."""
        if self.delete_checkpoint and os.path.isfile(self.backup_file):
            remove_file(self.backup_file)
