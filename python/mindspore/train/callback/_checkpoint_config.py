# SPDX-License-Identifier: Apache-2.0
"""When and how checkpoints are saved."""

from __future__ import annotations

from mindspore import _checkparam as check
from mindspore._kept import Kept
from mindspore.common.generator import Generator
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.train._checkpoint_formats import check_format
from mindspore.train._checkpoint_resume import STATE_NAME
from mindspore.train._checkpoint_save import check_format_options, check_isinstance

COUNTED = ("epoch_num", "step_num")


def _checked_append_info(append_info) -> dict | None:
    if append_info is None:
        return None
    if not isinstance(append_info, list):
        raise TypeError(
            f"For 'CheckpointConfig', the type of 'append_info' must be list, but got {type(append_info)}."
        )
    result = {}
    dict_count = 0
    named = (*COUNTED, STATE_NAME)
    for element in append_info:
        if isinstance(element, str):
            if element not in named:
                raise ValueError(
                    "For 'CheckpointConfig', the value of element in the argument 'append_info' must be in "
                    f"{list(named)}, but got {element}."
                )
            if element in COUNTED:
                result[element] = 0
        elif isinstance(element, dict):
            dict_count += 1
            if dict_count > 1:
                raise TypeError(
                    "For 'CheckpointConfig', the element of 'append_info' must has only one dict, but got "
                    f"{sum(isinstance(other, dict) for other in append_info)}."
                )
            result.update(_checked_entries(element))
        else:
            raise TypeError(
                "For 'CheckpointConfig', the type of 'append_info' element must be str or dict, but got "
                f"{type(element)}."
            )
    return result


def _checked_entries(entries: dict) -> dict:
    for key, value in entries.items():
        if not isinstance(key, str) or not isinstance(value, (int, float, bool, str, Tensor, Generator)):
            raise TypeError(
                "For 'CheckpointConfig', the key type of the dict 'append_info' must be string, the value "
                "type must be int or float or bool, or str, Parameter, Tensor, Generator, but got key type "
                f"{type(key)}, value type {type(value)}"
            )
    return entries


class CheckpointConfig:
    """When checkpoints are saved, how, and how many are kept.

    Args:
        save_checkpoint_steps (int): Steps between two checkpoints. Default: ``1``.
        save_checkpoint_seconds (int): Seconds between two; only where there is no number of steps.
            Default: ``0``.
        keep_checkpoint_max (int): How many are kept. Default: ``5``.
        keep_checkpoint_per_n_minutes (int): Keeps one per so many minutes; only where there is no greatest
            number. Default: ``0``.
        integrated_save (bool): Merges sliced parameters. Default: ``True``.
        async_save (Union[bool, str]): Writes in a thread beside the training. Default: ``False``.
        saved_network (Cell): What is saved instead of the whole training network. Default: ``None``.
        append_info (list): ``"epoch_num"``, ``"step_num"`` and one dict of further entries, which are saved
            with the parameters; ``"training_state"``: all that :func:`mindspore.train.resume_training` needs
            to go on exactly there. Default: ``None``.
        enc_key (Union[None, bytes]): Key, 16, 24 or 32 bytes, to encrypt the files. Default: ``None``.
        enc_mode (str): ``"AES-GCM"``, ``"AES-CBC"`` or ``"SM4-CBC"``. Default: ``"AES-GCM"``.
        exception_save (bool): Saves also when an exception ends the training. Default: ``False``.
        crc_check (bool): Adds a checksum to the files. Default: ``False``.
        remove_redundancy (bool): Accepted for compatibility; for parallel training. Default: ``False``.
        format (str): ``"ckpt"`` or ``"safetensors"``. Default: ``"ckpt"``.
        kwargs (dict): ``incremental`` (bool): saves what changed of map parameters.

    Raises:
        ValueError: A number is negative, or all four are None or 0.
        TypeError: An argument has the wrong type.
    """

    def __init__(
        self,
        save_checkpoint_steps=1,
        save_checkpoint_seconds=0,
        keep_checkpoint_max=5,
        keep_checkpoint_per_n_minutes=0,
        integrated_save=True,
        async_save=False,
        saved_network=None,
        append_info=None,
        enc_key=None,
        enc_mode="AES-GCM",
        exception_save=False,
        crc_check=False,
        remove_redundancy=False,
        format="ckpt",
        **kwargs,
    ):
        self._set_policy(
            save_checkpoint_steps=save_checkpoint_steps,
            save_checkpoint_seconds=save_checkpoint_seconds,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_per_n_minutes=keep_checkpoint_per_n_minutes,
        )
        self._integrated_save = check.check_bool(integrated_save, "integrated_save", "CheckpointConfig")
        if not isinstance(async_save, (bool, str)):
            raise TypeError(
                "For 'CheckpointConfig', the 'async_save' must be bool or str, but got "
                f"{type(async_save).__name__}."
            )
        self._async_save = async_save
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise TypeError(
                "For 'CheckpointConfig', the type of 'saved_network' must be None or Cell, but got "
                f"{type(saved_network)}."
            )
        self._saved_network = saved_network
        self._append_dict = _checked_append_info(append_info)
        self._saves_training_state = append_info is not None and STATE_NAME in append_info
        check_isinstance("enc_key", enc_key, (type(None), bytes))
        check_isinstance("enc_mode", enc_mode, str)
        check_isinstance("crc_check", crc_check, bool)
        self._enc_key, self._enc_mode, self._crc_check = enc_key, enc_mode, crc_check
        self._remove_redundancy = check.check_bool(remove_redundancy, "remove_redundancy", "CheckpointConfig")
        check_format(format, "CheckpointConfig")
        check_format_options(format, enc_key, enc_mode, "CheckpointConfig")
        self._format = format
        self.exception_save = check.check_bool(exception_save, "exception_save", "CheckpointConfig")
        self._map_param_inc = check.check_bool(
            kwargs.get("incremental", False), "incremental", "CheckpointConfig"
        )

    def _set_policy(self, **numbers) -> None:
        for name, number in numbers.items():
            if number is not None:
                check.check_non_negative_int(number, name, "CheckpointConfig")
        if not any(numbers.values()):
            raise ValueError(
                "For 'CheckpointConfig', the input arguments 'save_checkpoint_steps', "
                "'save_checkpoint_seconds', 'keep_checkpoint_max' and 'keep_checkpoint_per_n_minutes' can't "
                "be all None or 0."
            )
        if numbers["save_checkpoint_steps"]:
            numbers["save_checkpoint_seconds"] = None
        if numbers["keep_checkpoint_max"]:
            numbers["keep_checkpoint_per_n_minutes"] = None
        elif not numbers["keep_checkpoint_per_n_minutes"]:
            numbers["keep_checkpoint_max"] = 1
        self._policy = numbers
        vars(self).update({f"_{name}": number for name, number in numbers.items()})

    save_checkpoint_steps = Kept("int", "Steps between two checkpoints, or None.")
    save_checkpoint_seconds = Kept("int", "Seconds between two checkpoints, or None.")
    keep_checkpoint_max = Kept("int", "How many checkpoints are kept, or None.")
    keep_checkpoint_per_n_minutes = Kept("int", "In how many minutes one checkpoint is kept, or None.")
    integrated_save = Kept("bool", "Whether sliced parameters are merged.")
    async_save = Kept("bool", "Whether files are written beside the training.")
    saved_network = Kept("Cell", "What is saved instead of the whole training network, or None.")
    enc_key = Kept("bytes | None", "The key of the encryption, or None.")
    enc_mode = Kept("str", "The kind of the encryption.")
    crc_check = Kept("bool", "Whether files get a checksum.")
    format = Kept("str", "The format of the files, which is their ending too.")
    remove_redundancy = Kept("bool", "Whether parallel processes save what only they hold.")
    append_dict = Kept("dict", "What is saved besides the parameters, or None.")
    saves_training_state = Kept("bool", "Whether all is saved that is needed to go on exactly there.")
    map_param_inc = Kept("bool", "Whether only what changed of map parameters is saved.")

    def get_checkpoint_policy(self):
        """The four numbers and the network to save, as a dict."""
        return dict(self._policy, saved_network=self._saved_network)
