# SPDX-License-Identifier: Apache-2.0
"""Checks of what a `Model` is given."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from mindspore import context, nn
from mindspore._auto_parallel_context import get_auto_parallel_context
from mindspore._settings.argument_keys import MODEL, RUNNING_A_MODEL
from mindspore._settings.telling import warn_once
from mindspore._world import NOT_TOGETHER, require_one_process, sign_of_others
from mindspore.common.tensor import Tensor
from mindspore.context import ParallelMode
from mindspore.nn.cell import Cell
from mindspore.nn.optim import Optimizer
from mindspore.nn.wrap._fitting import check_made
from mindspore.train.dataset_helper import check_sink_size

_KEYWORDS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")


def positive(value, name: str, zero: bool = False) -> int:
    """The value, or an error for what is no positive int."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"For 'Model', the argument '{name}' must be int, but got {type(value).__name__}.")
    if value < (0 if zero else 1):
        wanted = "a non-negative" if zero else "a positive"
        raise ValueError(f"For 'Model', the argument '{name}' must be {wanted} int, but got {value}.")
    return value


def boolean(value, name: str) -> bool:
    """The value, or a TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"For 'Model', the argument '{name}' must be bool, but got {type(value).__name__}.")
    return value


def evaluation_epochs(frequency, last_epoch: int) -> Container[int]:
    """The epochs that are followed by an evaluation."""
    if isinstance(frequency, bool) or not isinstance(frequency, (int, list)):
        raise TypeError(
            "For 'Model.fit', the type of 'valid_frequency' must be a list or an integer, but got type "
            f"{type(frequency)}."
        )
    if isinstance(frequency, int):
        positive(frequency, "valid_frequency")
        return range(frequency, last_epoch + 1, frequency)
    for epoch in frequency:
        if isinstance(epoch, bool) or not isinstance(epoch, int):
            raise TypeError(
                "For 'Model.fit', the elements of 'valid_frequency' must be int, but got "
                f"{type(epoch).__name__}."
            )
    return frozenset(frequency)


def warn_without_evaluation(due: Container[int], done: int, last_epoch: int, frequency) -> None:
    """Warns of data for evaluations that no epoch is followed by."""
    if not any(epoch in due for epoch in range(done + 1, last_epoch + 1)):
        warn_once(
            "Model.fit: valid_frequency",
            f"For 'Model.fit', no epoch from {done + 1} to {last_epoch} is followed by an evaluation: "
            f"'valid_frequency' is {frequency}.",
        )


def is_debugging() -> bool:
    """Whether pipelines run one row at a time for the debugger."""
    from mindspore.dataset import config

    return bool(config.get_debug_mode())


def check_prediction(values) -> None:
    """Raises an error for inputs no network takes."""
    for value in values:
        if isinstance(value, Tensor):
            if value.size == 0:
                raise ValueError("The input data can not be empty.")
        elif isinstance(value, (tuple, list)):
            check_prediction(value)
        elif isinstance(value, dict):
            check_prediction(list(value.values()))
        elif value is not None and not isinstance(value, (int, float, str)) or isinstance(value, np.ndarray):
            raise TypeError(
                "The types of input data must be in the Union(Tensor, tuple(Tensor), list(Tensor), str, "
                f"bool, int, float, None), but got type {type(value)}."
            )


def check_keywords(kwargs: dict) -> None:
    """Raises an error for a keyword `Model` does not know."""
    for name in kwargs:
        if name not in _KEYWORDS:
            raise ValueError(
                "The argument in 'kwargs' should be 'loss_scale_manager' or 'keep_batchnorm_fp32' or "
                f"'boost_config_dict' or 'acc_level', but got '{name}'."
            )


def _a_class(value) -> str:
    """What to add to a message about a class where an object of it is meant."""
    return f": call '{value.__name__}' to make one" if isinstance(value, type) else ""


def check_boost(boost_level: str, kwargs: dict) -> None:
    """Raises an error for a level that is not known, and warns of those that have no effect."""
    if boost_level not in ("O0", "O1", "O2"):
        raise ValueError(f"The 'boost_level' should be in : ['O0', 'O1', 'O2'], but got {boost_level}.")
    MODEL.tell("boost_level", boost_level)
    for name in ("boost_config_dict", "acc_level"):
        if name in kwargs:
            MODEL.tell(name, kwargs[name])


def check_parts(network, loss_fn, optimizer, amp_level: str, kwargs: dict) -> None:
    """Raises an error for a network, a loss and an optimizer that do not go together."""
    if get_auto_parallel_context("parallel_mode") != ParallelMode.STAND_ALONE:
        require_one_process("Model")
    if not isinstance(network, Cell):
        raise TypeError(
            "The type of 'network' should be 'Cell', but got type "
            f"'{type(network).__name__}'{_a_class(network)}."
        )
    check_made(loss_fn, "loss_fn", "Model")
    if optimizer is not None and not isinstance(optimizer, (Cell, Optimizer)):
        raise TypeError(
            "The type of 'optimizer' should be 'Cell' or 'Optimizer', but got type "
            f"'{type(optimizer).__name__}'{_a_class(optimizer)}."
        )
    if isinstance(network, nn.GraphCell) and (loss_fn is not None or optimizer is not None or kwargs):
        raise ValueError(
            "For 'Model', a 'GraphCell' is run as it is: 'loss_fn', 'optimizer' and 'kwargs' must not be "
            "given."
        )
    if optimizer is None:
        if kwargs.get("loss_scale_manager") is not None:
            raise ValueError("The argument 'optimizer' can not be None when set 'loss_scale_manager'.")
        if amp_level != "O0":
            raise ValueError("Auto mixed precision will not work because 'optimizer' is None.")


def check_evaluation(network, indexes) -> None:
    """Raises an error for an evaluation network that is none, and warns of indexes without one."""
    if network is not None and not isinstance(network, Cell):
        raise TypeError(
            "The type of 'eval_network' should be 'Cell', but got type "
            f"'{type(network).__name__}'{_a_class(network)}."
        )
    if network is None and indexes is not None:
        warn_once(
            "Model: eval_indexes",
            f"For 'Model', 'eval_indexes={indexes}' has no effect without 'eval_network': loss, prediction "
            "and label of the network that is made are at 0, 1 and 2.",
        )


def check_dataset(dataset, name: str) -> None:
    """Raises a TypeError for what is no data set."""
    if isinstance(dataset, type) or not hasattr(dataset, "get_dataset_size"):
        got = f"the class '{dataset.__name__}'" if isinstance(dataset, type) else type(dataset).__name__
        raise TypeError(
            f"For 'Model', the argument '{name}' must be a Dataset, but got {got}{_a_class(dataset)}. Arrays "
            "become one by mindspore.dataset.NumpySlicesDataset, and anything with rows by GeneratorDataset."
        )
    if dataset.get_dataset_size() == 0:
        raise ValueError("There is no valid data in dataset, please check dataset file firstly.")


def check_engine(backend, config) -> None:
    """Raises an error for an engine that is not known, and warns of those that are not there."""
    if backend not in (None, "lite"):
        raise ValueError(f"For Model.predict, `backend` should be None or 'lite', but got {backend}")
    RUNNING_A_MODEL.tell("backend", backend)
    RUNNING_A_MODEL.tell("config", config)


def warn_of_others() -> None:
    """Warns of a process that was started with others and trains alone, because nothing asks for them."""
    sign = sign_of_others()
    if sign:
        warn_once(
            "Model: one of several",
            f"This process is one of several ({sign}), but trains a model of its own: {NOT_TOGETHER}.",
        )


def check_training(network, epoch, dataset, sinks, sink_size, initial_epoch) -> None:
    """Raises an error for a training that cannot be run."""
    warn_of_others()
    positive(epoch, "epoch")
    positive(initial_epoch, "initial_epoch", zero=True)
    if initial_epoch >= epoch:
        raise ValueError(
            "For 'Model', the parameter 'epoch' must bigger than parameter 'initial_epoch', but got epoch "
            f"{epoch} and initial_epoch {initial_epoch}."
        )
    boolean(sinks, "dataset_sink_mode")
    check_sink_size(sink_size)
    if not sinks and sink_size != -1:
        warn_once(
            "Model: sink_size",
            f"For 'Model', 'sink_size={sink_size}' has no effect without dataset_sink_mode=True: an epoch is "
            "all of the data.",
        )
    if sinks and isinstance(network, nn.GraphCell):
        raise ValueError(
            "For 'Model', dataset sink mode is currently not supported when training with a GraphCell."
        )
    if sinks and is_debugging():
        raise ValueError(
            "Dataset sink mode is not supported when dataset is in debug mode: set 'dataset_sink_mode' to "
            "False."
        )
    check_dataset(dataset, "train_dataset")


def check_layout(name: str) -> None:
    """Layouts exist with (semi) automatic parallelism in Graph mode only."""
    if context.get_context("mode") != context.GRAPH_MODE:
        raise RuntimeError(
            "Pre-compile process that generate parameter layout for the train network only supports GRAPH "
            f"MODE: '{name}' was called in PyNative mode."
        )
    mode = get_auto_parallel_context("parallel_mode")
    if mode not in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL):
        raise RuntimeError(
            f"'{name}' only supports semi auto parallel and auto parallel mode, but the parallel mode is "
            f"{mode}."
        )
