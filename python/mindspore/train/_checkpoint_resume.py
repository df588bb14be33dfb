# SPDX-License-Identifier: Apache-2.0
"""The state of a training beyond its parameters: saved with them, and put back to go on where it ended."""

from __future__ import annotations

import json
import random

import numpy as np

from mindspore import log as logger
from mindspore.common import generator
from mindspore.train._checkpoint_into_net import load_param_into_net
from mindspore.train._checkpoint_load import load_checkpoint
from mindspore.train.loss_scale_manager import DynamicLossScaleManager

# The entry of a checkpoint that holds it, and its name in the `append_info` of CheckpointConfig.
STATE_NAME = "training_state"
_SCALE_FIELDS = ("loss_scale", "cur_iter", "last_overflow_iter", "bad_step")


def training_state(params) -> str:
    """The state of a run at the end of a step, as text.

    Args:
        params (InternalCallbackParam): Facts of the run.
    """
    step = (params.cur_step_num - 1) % params.batch_num + 1
    at_end = step == params.batch_num
    helper = params.get("dataset_helper")
    state = {
        "epoch": params.cur_epoch_num if at_end else params.cur_epoch_num - 1,
        "random": _random_state(),
        "data": None if helper is None else helper.position(),
        "loss_scale": None,
    }
    manager = params.get("loss_scale_manager")
    if isinstance(manager, DynamicLossScaleManager):
        state["loss_scale"] = {name: getattr(manager, name) for name in _SCALE_FIELDS}
    if state["data"] is not None and not state["data"]["repeats"]:
        logger.warning(
            "The order of the data cannot be repeated, because there is no seed: call 'mindspore.set_seed' "
            "before the data set is made if training should be resumed exactly."
        )
    return json.dumps(state)


def resume_training(ckpt_file_name, model, train_dataset, dec_key=None, dec_mode="AES-GCM"):
    """Puts a training back to where a checkpoint was saved, in the middle of an epoch if it was there.

    The checkpoint must be from `ModelCheckpoint` with ``CheckpointConfig(append_info=["training_state"])``.
    It gives back the parameters of network and optimizer, the loss scale, the position in the data and the
    state of all random numbers: training goes on as if it had never stopped, bit by bit, given that the
    program is the same and set a seed.

    Args:
        ckpt_file_name (str): The checkpoint.
        model (Model): The model, made as for the training that is resumed.
        train_dataset (Dataset): The data, made likewise. Its next epoch starts in the middle if need be.
        dec_key (Union[None, bytes]): Key of an encrypted file. Default: ``None``.
        dec_mode (str): How it was encrypted. Default: ``"AES-GCM"``.

    Returns:
        int, the epochs that are done: `initial_epoch` of :func:`mindspore.train.Model.train`.

    Raises:
        ValueError: The file has no such state, or lacks parameters of the training network.

    Examples:
        >>> from mindspore.train import resume_training
        >>> done = resume_training("CKP-3_20.ckpt", model, dataset)  # doctest: +SKIP
        >>> model.train(10, dataset, callbacks, initial_epoch=done)  # doctest: +SKIP
    """
    found = load_checkpoint(ckpt_file_name, dec_key=dec_key, dec_mode=dec_mode)
    if not isinstance(found.get(STATE_NAME), str):
        raise ValueError(
            f"For 'resume_training', the checkpoint '{ckpt_file_name}' has no state of a training: save it "
            f"with CheckpointConfig(append_info=['{STATE_NAME}'])."
        )
    state = _decoded(found.pop(STATE_NAME), ckpt_file_name)
    missing, _ = load_param_into_net(model.train_network, found, strict_load=True)
    if missing:
        raise ValueError(
            f"For 'resume_training', the checkpoint '{ckpt_file_name}' lacks {len(missing)} parameters of "
            f"the training network: {missing[:10]}. It must be saved without 'saved_network'."
        )
    if state["loss_scale"] is not None and isinstance(model.loss_scale_manager, DynamicLossScaleManager):
        for name in _SCALE_FIELDS:
            setattr(model.loss_scale_manager, name, state["loss_scale"][name])
    if state["data"] is not None:
        _put_back_data(state["data"], train_dataset)
    _put_back_random(state["random"])
    return state["epoch"]


def _decoded(text: str, path: str) -> dict:
    try:
        state = json.loads(text)
        return {name: state[name] for name in ("epoch", "random", "data", "loss_scale")}
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"For 'resume_training', the state in '{path}' cannot be read, the file may be damaged: {error!r}"
        ) from error


def _random_state() -> dict:
    kind, keys, *rest = np.random.get_state()
    version, numbers, gauss = random.getstate()
    return {
        "operators": generator.default_generator._words(),
        "numpy": [kind, keys.tolist(), *rest],
        "python": [version, list(numbers), gauss],
    }


def _put_back_random(state: dict) -> None:
    generator.default_generator._put_back(state["operators"])
    kind, keys, *rest = state["numpy"]
    np.random.set_state((kind, np.array(keys, np.uint32), *rest))
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))


def _put_back_data(state: dict, dataset) -> None:
    from mindspore.dataset import config

    config.set_seed(state["seed"])
    size = dataset.get_dataset_size()
    if size != state["size"]:
        raise ValueError(
            f"For 'resume_training', 'train_dataset' must have the {state['size']} steps of the training "
            f"that is resumed, but has {size}."
        )
    dataset.set_init_step(state["epoch"] * size + state["row"])
