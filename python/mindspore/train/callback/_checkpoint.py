# SPDX-License-Identifier: Apache-2.0
"""Saves checkpoints while a network is trained."""

from __future__ import annotations

import os
import time

from mindspore import context
from mindspore import log as logger
from mindspore.train._checkpoint_resume import STATE_NAME, training_state
from mindspore.train._graph_message import write_graph_file
from mindspore.train.callback._callback import CALLBACK, Callback, _get_cur_net, set_cur_net
from mindspore.train.callback._checkpoint_config import COUNTED, CheckpointConfig
from mindspore.train.callback._checkpoint_files import (
    CheckpointManager,
    _chg_ckpt_file_name_if_same_exist,
    remove_file,
)
from mindspore.train.serialization import load_param_into_net, save_checkpoint, wait_for_async_save

try:
    _cur_dir = os.getcwd()
except OSError:
    _cur_dir = "."


def _checkpoint_cb_for_save_op(params) -> None:
    """Gives the current network (`set_cur_net`) the values of a list of ``{"name", "data"}``."""
    from mindspore.common.parameter import Parameter

    net = _get_cur_net()
    if net is None:
        logger.warning("The current network is not set, so the parameters are not updated.")
        return
    load_param_into_net(net, {p["name"]: Parameter(p["data"], name=p["name"]) for p in params})


@CALLBACK
class ModelCheckpoint(Callback):
    """Saves checkpoints of the training network.

    A file is called ``<prefix>-<epoch>_<step in epoch>.ckpt``, or ``.safetensors``. Where the folder already
    holds such files
    the prefix gets a number, ``<prefix>_1``. In graph mode ``<prefix>-graph.meta`` describes the network.

    Args:
        prefix (Union[str, callable]): Start of the names, or a function of the facts of the run that gives
            the whole name without the ending. Default: ``"CKP"``.
        directory (Union[str, callable]): The folder, or a function that gives it. Default: ``None``, the
            working directory in which the program started.
        config (CheckpointConfig): When and how. Default: ``None``, the defaults of `CheckpointConfig`.

    Raises:
        ValueError: `prefix` is no string and no function, or contains ``/``.
        TypeError: `config` is not a `CheckpointConfig`.
    """

    def __init__(self, prefix="CKP", directory=None, config=None):
        super().__init__()
        if not callable(prefix) and (not isinstance(prefix, str) or "/" in prefix):
            raise ValueError(
                "For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name is invalid, it must "
                f"be callable or string that does not contain '/', but got {prefix}."
            )
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(
                "For 'ModelCheckpoint', the type of argument 'config' should be 'CheckpointConfig', but got "
                f"{type(config)}."
            )
        self._config = config or CheckpointConfig()
        self._prefix, self._directory = prefix, directory
        if not callable(directory):
            self._directory = _made_folder(_cur_dir if directory is None else directory)
        self._breakpoint_prefix = prefix
        if isinstance(prefix, str) and not callable(directory):
            self._prefix = _chg_ckpt_file_name_if_same_exist(self._directory, prefix)
            self._breakpoint_prefix = _chg_ckpt_file_name_if_same_exist(self._directory, prefix, True)
        self._manager = CheckpointManager()
        self._latest_ckpt_file_name = ""
        self._run_context = None
        self._graph_saved = False
        self._last_step = 0
        self._last_time = self._last_time_for_keep = time.time()
        append = self._config.append_dict or {}
        self._start = {name: append.get(name, 0) for name in COUNTED}

    @property
    def latest_ckpt_file_name(self):
        """Path of the file written last; empty before the first."""
        return self._latest_ckpt_file_name

    @property
    def _config_policy(self):
        return self._config.get_checkpoint_policy()

    def begin(self, run_context):
        """Notes the network and the step at which the run starts."""
        self._run_context = run_context
        params = run_context.original_args()
        if params.get("last_save_ckpt_step"):
            self._last_step = params.last_save_ckpt_step
        elif params.get("cur_step_num", 0) == 0:
            self._last_step = 0
        set_cur_net(params.get("train_network"))

    def step_end(self, run_context):
        """Saves a checkpoint if one is due."""
        self._run_context = run_context
        params = run_context.original_args()
        if not self._graph_saved:
            self._save_graph(params)
        if params.cur_step_num != self._last_step and self._is_due(params):
            self._save(params)

    def end(self, run_context):
        """Saves the last step, if it is not saved yet, and waits for files that are still written."""
        params = run_context.original_args()
        if params.get("cur_step_num", 0) not in (0, self._last_step):
            self._save(params)
        wait_for_async_save()
        if self._config.async_save and self._latest_ckpt_file_name and not callable(self._prefix):
            self._forget_old_files(self._folder(params), self._latest_ckpt_file_name)

    def on_eval_begin(self, run_context):
        """Nothing: evaluation changes no parameters."""

    on_eval_step_end = on_eval_end = on_eval_begin

    def __exit__(self, *err):
        if err and err[0] is not None and self._config.exception_save and self._run_context is not None:
            self._save_breakpoint(self._run_context.original_args())
        self._run_context = None

    def _is_due(self, params) -> bool:
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        if steps:
            return params.cur_step_num >= self._last_step + steps
        if not seconds or time.time() - self._last_time <= seconds:
            return False
        self._last_time = time.time()
        return True

    def _save_graph(self, params) -> None:
        self._graph_saved = True
        if context.get_context("mode") != context.GRAPH_MODE or callable(self._prefix):
            return
        path = os.path.join(self._folder(params), f"{self._prefix}-graph.meta")
        if os.path.exists(path):
            remove_file(path)
        write_graph_file(params.train_network, path)

    def _folder(self, params) -> str:
        return _made_folder(self._directory(params)) if callable(self._directory) else self._directory

    def _name(self, params, prefix) -> str:
        if callable(prefix):
            return prefix(params)
        step = (params.cur_step_num - 1) % params.batch_num + 1
        return f"{prefix}-{params.cur_epoch_num}_{step}"

    def _save(self, params) -> None:
        folder = self._folder(params)
        path = os.path.join(folder, f"{self._name(params, self._prefix)}.{self._config.format}")
        wait_for_async_save()
        self._write(params, path, self._config.async_save, params.cur_step_num, is_step_end=True)
        self._last_step = params.cur_step_num
        self._latest_ckpt_file_name = path
        params.last_save_ckpt_step, params.latest_ckpt_file = params.cur_step_num, path
        if not callable(self._prefix):
            self._forget_old_files(folder, path)

    def _write(self, params, path: str, async_save, step: int, is_step_end: bool = False) -> None:
        append = self._config.append_dict
        if append is not None:
            numbers = {"epoch_num": params.cur_epoch_num, "step_num": step}
            append = {
                name: self._start[name] + numbers[name] if name in numbers else value
                for name, value in append.items()
            }
        config = self._config
        if config.saves_training_state and is_step_end:
            append = {**(append or {}), STATE_NAME: training_state(params)}
        save_checkpoint(
            params.train_network if config.saved_network is None else config.saved_network,
            path,
            config.integrated_save,
            async_save,
            append,
            config.enc_key,
            config.enc_mode,
            crc_check=config.crc_check,
            format=config.format,
        )

    def _forget_old_files(self, folder: str, newest: str) -> None:
        self._manager.update_ckpoint_filelist(folder, self._prefix)
        minutes = self._config.keep_checkpoint_per_n_minutes
        if self._config.keep_checkpoint_max:
            # A file that is still being written is not in the list; its turn comes with the next one.
            self._manager.keep_at_most(self._config.keep_checkpoint_max)
        elif time.time() - self._last_time_for_keep < 60 * minutes:
            self._manager.keep_one_ckpoint_per_minutes(minutes, newest=newest)
        else:
            self._last_time_for_keep = time.time()

    def _save_breakpoint(self, params) -> None:
        if not params.get("cur_step_num") or not params.get("cur_epoch_num"):
            return
        name = self._name(params, self._breakpoint_prefix) + f"_breakpoint.{self._config.format}"
        step = (params.cur_step_num - 1) % params.batch_num + 1
        wait_for_async_save()
        self._write(params, os.path.join(self._folder(params), name), False, step)


def _made_folder(path) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(
            f"For 'ModelCheckpoint', the 'directory' must be a string, but got {type(path).__name__}."
        )
    path = os.path.realpath(path)
    os.makedirs(path, exist_ok=True)
    return path
