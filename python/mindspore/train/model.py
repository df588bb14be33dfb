# SPDX-License-Identifier: Apache-2.0
"""A network with everything that trains, evaluates and runs it."""

from __future__ import annotations

from mindspore import nn
from mindspore._auto_parallel_context import get_auto_parallel_context
from mindspore._kept import Kept
from mindspore.context import ParallelMode  # noqa: F401  (scripts import it from here)
from mindspore.nn.cell import Cell
from mindspore.train import amp
from mindspore.train._loops import EvalLoop, TrainLoop, evaluate_within_training
from mindspore.train._model_checks import (
    boolean,
    check_boost,
    check_dataset,
    check_engine,
    check_evaluation,
    check_keywords,
    check_layout,
    check_parts,
    check_prediction,
    check_training,
    evaluation_epochs,
    positive,
    warn_without_evaluation,
)
from mindspore.train.callback import CallbackManager, InternalCallbackParam
from mindspore.train.callback._callback import check_hook_names
from mindspore.train.dataset_helper import check_sink_size
from mindspore.train.metrics import get_metrics

_LEVELS_WITH_FLOAT32_OUTPUT = ("O2", "O3", "auto")


class Model:
    """A network with its loss, optimizer and metrics, ready to be trained, evaluated and used.

    Args:
        network (Cell): The network.
        loss_fn (Cell): The loss; None: the network computes it, or trains itself. Default: ``None``.
        optimizer (Cell): Updates the parameters; None: the network does. Default: ``None``.
        metrics (Union[dict, set]): Metrics by name, or their names. Default: ``None``.
        eval_network (Cell): The network of evaluations. Default: ``None``, made of network and loss.
        eval_indexes (list): Places of loss, prediction and label in what `eval_network` returns; None: all
            of it goes to the metrics. Default: ``None``.
        amp_level (str): Mixed precision, see :func:`mindspore.amp.auto_mixed_precision`. Default: ``"O0"``.
        boost_level (str): ``"O0"``; others have no effect, and a warning says so. Default: ``"O0"``.
        kwargs: `loss_scale_manager`, `keep_batchnorm_fp32`, `boost_config_dict`, `acc_level`.

    Raises:
        TypeError: An argument is of another type, for instance a class instead of an object.
        ValueError: The parts do not go together: metrics without a loss.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import numpy as np
        >>> from mindspore import dataset, nn
        >>> from mindspore.train import Model
        >>> rows = (np.eye(4, dtype=np.float32), np.arange(4, dtype=np.int32))
        >>> data = dataset.NumpySlicesDataset(rows, shuffle=False).batch(4)
        >>> net = nn.Dense(4, 4, weight_init="zeros", bias_init="zeros")
        >>> model = Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params()), metrics={"accuracy"})
        >>> model.train(10, data)
        >>> model.eval(data)
        {'accuracy': 1.0}
    """

    def __init__(
        self,
        network=None,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        eval_network=None,
        eval_indexes=None,
        amp_level="O0",
        boost_level="O0",
        **kwargs,
    ):
        if network is None and "net" in kwargs:
            network = kwargs.pop("net")
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._amp_level = amp_level
        check_keywords(kwargs)
        check_boost(boost_level, kwargs)
        self._kwargs = {
            key: value
            for key, value in kwargs.items()
            if key in ("loss_scale_manager", "keep_batchnorm_fp32")
        }
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        check_parts(network, loss_fn, optimizer, amp_level, kwargs)
        self._train_network = self._build_train_network()
        self._metric_fns: dict = {}
        self._eval_network, self._eval_indexes = None, None
        self._build_eval_network(metrics, eval_network, eval_indexes)
        self._predict_network = self._build_predict_network()

    # ---- construction --------------------------------------------------------------------------

    def _build_train_network(self) -> Cell:
        if self._optimizer is not None:
            network = amp.build_train_network(
                self._network,
                self._optimizer,
                self._loss_fn,
                level=self._amp_level,
                **self._kwargs,
            )
        elif self._loss_fn is not None:
            network = nn.WithLossCell(self._network, self._loss_fn)
        else:
            network = self._network
        return network

    def _build_eval_network(self, metrics, eval_network, eval_indexes) -> None:
        self._metric_fns = get_metrics(metrics) or {}
        check_evaluation(eval_network, eval_indexes)
        if not self._metric_fns:
            return
        if eval_network is not None:
            if eval_indexes is not None and not (isinstance(eval_indexes, list) and len(eval_indexes) == 3):
                raise ValueError(
                    "The argument 'eval_indexes' must be a list or None. If 'eval_indexes' is a list, "
                    f"length of it must be three. But got 'eval_indexes' {eval_indexes}"
                )
            self._eval_network, self._eval_indexes = eval_network, eval_indexes
            return
        if self._loss_fn is None:
            raise ValueError(
                f"If `metrics` is set, `eval_network` must not be None. Got metrics {metrics}, but no "
                "`eval_network` and no `loss_fn` to make it of."
            )
        in_float32 = self._amp_level in _LEVELS_WITH_FLOAT32_OUTPUT
        self._eval_network = nn.WithEvalCell(self._network, self._loss_fn, in_float32)
        self._eval_indexes = [0, 1, 2]

    def _build_predict_network(self) -> Cell:
        return self._network

    # ---- what the loops need --------------------------------------------------------------------

    train_network = Kept("", "The network of a training step.")
    eval_network = Kept("", "The network of an evaluation step.")
    predict_network = Kept("", "The network that `predict` runs.")
    network = Kept("Cell", "The network as it was given.")
    loss_fn = Kept("", "The loss as it was given.")
    optimizer = Kept("", "The optimizer as it was given.")
    eval_indexes = Kept(
        "list | None", "Places of loss, prediction and label in the outputs of the evaluation network."
    )
    loss_scale_manager = Kept("", "What scales the loss, or None.")

    @property
    def metric_functions(self) -> dict:
        """Metrics by name."""
        return self._metric_fns

    @property
    def drops_overflow(self) -> bool:
        """Whether steps with an overflow are dropped and the manager is to be told."""
        manager = self._loss_scale_manager
        return manager is not None and bool(manager.get_drop_overflow_update())

    # ---- training -------------------------------------------------------------------------------

    def train(
        self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1, initial_epoch=0
    ):
        """Trains the network.

        Args:
            epoch (int): The last epoch, counted from 1.
            train_dataset (Dataset): The data.
            callbacks (Union[list[Callback], Callback]): Told how it goes on. Default: ``None``.
            dataset_sink_mode (bool): Runs many steps in one call, without Python between them; in Graph mode
                callbacks then hear of whole calls. Default: ``False``.
            sink_size (int): Steps of such a call, -1 for all of an epoch. Default: ``-1``.
            initial_epoch (int): Epochs that are done already. Default: ``0``.

        Raises:
            TypeError, ValueError: An argument is not what it must be, or the data does not fit the network.
        """
        check_training(self._network, epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch)
        manager = CallbackManager(callbacks)
        check_hook_names(manager.callbacks, strict=False)
        self._train(epoch, train_dataset, manager, dataset_sink_mode, sink_size, initial_epoch)

    def fit(
        self,
        epoch,
        train_dataset,
        valid_dataset=None,
        valid_frequency=1,
        callbacks=None,
        dataset_sink_mode=False,
        valid_dataset_sink_mode=False,
        sink_size=-1,
        initial_epoch=0,
    ):
        """Trains the network and evaluates it after epochs.

        Args:
            epoch (int): The last epoch, counted from 1.
            train_dataset (Dataset): The data.
            valid_dataset (Dataset): The data of evaluations; None: no evaluation. Default: ``None``.
            valid_frequency (Union[int, list]): Epochs between evaluations, or the epochs that are followed
                by one. Default: ``1``.
            callbacks (Union[list[Callback], Callback]): Told how it goes on. Default: ``None``.
            dataset_sink_mode (bool): See `train`. Default: ``False``.
            valid_dataset_sink_mode (bool): Accepted; evaluation needs every output. Default: ``False``.
            sink_size (int): See `train`. Default: ``-1``.
            initial_epoch (int): Epochs that are done already. Default: ``0``.

        Raises:
            TypeError, ValueError: An argument is not what it must be, or the data does not fit the network.
        """
        check_training(self._network, epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch)
        boolean(valid_dataset_sink_mode, "valid_dataset_sink_mode")
        manager = CallbackManager(callbacks)
        check_hook_names(manager.callbacks, strict=True)
        due = evaluation_epochs(valid_frequency, epoch)
        if valid_dataset is not None:
            if not self._metric_fns:
                raise ValueError(
                    "For 'Model.fit', if valid_dataset is not None, the model argument 'metrics' can not be "
                    "None."
                )
            check_dataset(valid_dataset, "valid_dataset")
            warn_without_evaluation(due, initial_epoch, epoch, valid_frequency)

        def evaluate(now: int) -> None:
            if now in due:
                evaluate_within_training(self, params[0], manager.callbacks, valid_dataset)

        params: list[InternalCallbackParam] = []
        self._train(
            epoch,
            train_dataset,
            manager,
            dataset_sink_mode,
            sink_size,
            initial_epoch,
            evaluate if valid_dataset is not None else None,
            params,
            valid_dataset,
        )

    def _train(
        self, epoch, dataset, manager, sinks, sink_size, initial_epoch, evaluate=None, seen=None, valid=None
    ) -> None:
        params = InternalCallbackParam(
            train_network=self._train_network,
            network=self._network,
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            eval_network=self._eval_network,
            mode="train",
            parallel_mode=get_auto_parallel_context("parallel_mode"),
            device_number=get_auto_parallel_context("device_num"),
            train_dataset=dataset,
            list_callback=manager.callbacks,
            epoch_num=epoch - initial_epoch,
            batch_num=sink_size if sinks and sink_size > 0 else dataset.get_dataset_size(),
            last_save_ckpt_step=None,
            latest_ckpt_file=None,
            loss_scale_manager=self._loss_scale_manager,
        )
        if valid is not None:
            params.valid_dataset = valid
        if seen is not None:
            seen.append(params)
        self._train_network.set_train()
        self._train_network.phase = "train"
        with manager:
            loop = TrainLoop(self, params, manager, evaluate)
            loop.run(dataset, initial_epoch, epoch, sink_size if sinks else None)

    # ---- evaluation, prediction -------------------------------------------------------------------

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False):
        """Evaluates the network.

        Args:
            valid_dataset (Dataset): The data.
            callbacks (Union[list[Callback], Callback]): Told how it goes on. Default: ``None``.
            dataset_sink_mode (bool): Accepted; evaluation needs every output. Default: ``False``.

        Returns:
            dict, the metrics by name.

        Raises:
            ValueError: The model has no metrics, or there is no data.
        """
        boolean(dataset_sink_mode, "dataset_sink_mode")
        if not self._metric_fns:
            raise ValueError(
                "For Model.eval, the model argument 'metrics' can not be None or empty, you should set the "
                "argument 'metrics' for model."
            )
        manager = CallbackManager(callbacks)
        check_hook_names(manager.callbacks, strict=False)
        check_dataset(valid_dataset, "valid_dataset")
        params = InternalCallbackParam(
            eval_network=self._eval_network,
            network=self._network,
            valid_dataset=valid_dataset,
            batch_num=valid_dataset.get_dataset_size(),
            mode="eval",
            cur_step_num=0,
            dataset_sink_mode=dataset_sink_mode,
            list_callback=manager.callbacks,
        )
        with manager:
            return EvalLoop(self, params, manager).run(valid_dataset)

    def predict(self, *predict_data, backend=None, config=None):
        """Runs the network.

        Args:
            predict_data (Union[Tensor, list, tuple, int, float, str, None]): Its inputs.
            backend (str): ``"lite"`` asks for another engine; there is only one, and a warning says so.
                Default: ``None``.
            config (dict): Settings of that engine; likewise. Default: ``None``.

        Returns:
            What the network returns.

        Raises:
            TypeError: An input is of a type networks do not take.
            ValueError: An input has no elements, or `backend` is unknown.
        """
        check_engine(backend, config)
        check_prediction(predict_data)
        self._predict_network.set_train(False)
        self._predict_network.phase = "predict"
        return self._predict_network(*predict_data)

    # ---- ahead of time ------------------------------------------------------------------------------

    def build(self, train_dataset=None, valid_dataset=None, sink_size=-1, epoch=1):
        """Compiles the networks ahead of the first step.

        Args:
            train_dataset (Dataset): Data of the training network. Default: ``None``.
            valid_dataset (Dataset): Data of the evaluation network. Default: ``None``.
            sink_size (int): Accepted; compiled steps serve any number of steps. Default: ``-1``.
            epoch (int): Accepted. Default: ``1``.

        Raises:
            ValueError: `valid_dataset` is given, but the model has no metrics.
        """
        check_sink_size(sink_size)
        positive(epoch, "epoch")
        if valid_dataset is not None and not self._metric_fns:
            raise ValueError(
                "If define `valid_dataset`, metric fn can not be None or empty, you should set the argument "
                "'metrics' for model."
            )
        for name, dataset, network, training in (
            ("train_dataset", train_dataset, self._train_network, True),
            ("valid_dataset", valid_dataset, self._eval_network, False),
        ):
            if dataset is not None:
                check_dataset(dataset, name)
                network.set_train(training)
                rows = dataset.create_tuple_iterator(num_epochs=1, do_copy=False)
                network.compile(*next(rows))
                rows.stop()

    def infer_train_layout(self, train_dataset, dataset_sink_mode=True, sink_size=-1):
        """How parameters are divided among devices; needs (semi) automatic parallelism in Graph mode."""
        check_layout("infer_train_layout")
        return getattr(self._train_network, "parameter_layout_dict", {})

    def infer_predict_layout(self, *predict_data, skip_backend_compile=False):
        """How parameters are divided among devices; needs (semi) automatic parallelism in Graph mode."""
        check_layout("infer_predict_layout")
        return getattr(self._predict_network, "parameter_layout_dict", {})


__all__ = ["Model"]
