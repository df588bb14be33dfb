# SPDX-License-Identifier: Apache-2.0
"""The loops of training and evaluation: which hook is called when, and what it finds."""

from __future__ import annotations

import inspect
import time

import numpy as np

from mindspore import context
from mindspore import log as logger
from mindspore.common._structure import argument_counts
from mindspore.common.tensor import Tensor
from mindspore.train._progress import Progress
from mindspore.train._untrained import UntrainedNetwork
from mindspore.train.callback import CallbackManager, InternalCallbackParam, RunContext
from mindspore.train.dataset_helper import DatasetHelper, steps_done

_SAVED_DURING_EVALUATION = ("cur_step_num", "batch_num", "net_outputs", "mode", "list_callback")


def check_two_columns(row, what: str) -> None:
    """Data and label are what a loss needs."""
    if len(row) != 2:
        raise ValueError(
            f"When 'loss_fn' is not None, '{what}' should return two elements, but got {len(row)}, "
            f"please check the number of elements returned by '{what}'."
        )


def check_columns(network, columns: list[str], what: str) -> None:
    """The columns must be arguments of the network that takes them."""
    try:
        signature = inspect.signature(network.construct)
    except (TypeError, ValueError):
        return
    needed, most = argument_counts(signature)
    if len(columns) < needed or (most is not None and len(columns) > most):
        raise TypeError(
            f"The '{what}' has {len(columns)} columns {columns}, but '{type(network).__name__}.construct' "
            f"takes {signature}: choose columns with 'project', or give the 'Model' a loss function."
        )


class TrainLoop:
    """One call of `Model.train` or `Model.fit`.

    Args:
        model (Model): What is trained.
        params (InternalCallbackParam): What callbacks see.
        manager (CallbackManager): The callbacks, entered already.
        evaluate (Callable): Runs an evaluation if one is due after the epoch; or None.
    """

    def __init__(self, model, params: InternalCallbackParam, manager: CallbackManager, evaluate=None):
        self.model, self.params, self.manager = model, params, manager
        self.network = model.train_network
        self.context = RunContext(params)
        self.evaluate = evaluate
        self._looked_at_loss = False
        self._untrained = UntrainedNetwork(self.network, model.optimizer is not None)

    def run(self, dataset, first_epoch: int, last_epoch: int, sink_size: int | None) -> None:
        """All epochs; `sink_size` None: row by row."""
        params = self.params
        # Not zero when the data starts in the middle of an epoch, because a training is resumed.
        done = steps_done(dataset)
        params.cur_step_num = done % params.batch_num if done else 0
        params.dataset_sink_mode = sink_size is not None
        helper = DatasetHelper(dataset, sink_size is not None, sink_size or -1, last_epoch - first_epoch)
        if sink_size is not None:
            helper.connect(self.network)
            params.sink_size = helper.sink_size()
        params.dataset_helper = helper
        if done:
            dataset.set_init_step(0)  # the next training starts at the beginning
        self._check_network(helper.feed.columns)
        epoch_of = self._row_by_row if sink_size is None else self._sinking
        progress = Progress(params.batch_num, last_epoch, self.manager.callbacks)
        begun = time.perf_counter()
        logger.info(
            "Training of '%s' begins: epochs %d to %d, %d steps each, %s.",
            type(self.model.network).__name__,
            first_epoch + 1,
            last_epoch,
            params.batch_num,
            "row by row" if sink_size is None else f"sinking {params.sink_size} steps",
        )
        try:
            self.manager.on_train_begin(self.context)
            for epoch in range(first_epoch, last_epoch):
                params.cur_epoch_num = epoch + 1
                self.manager.on_train_epoch_begin(self.context)
                self.network.set_train()
                epoch_of(helper, progress)
                self._end_epoch(dataset, epoch)
                if self.context.get_stop_requested():
                    break
            self.manager.on_train_end(self.context)
        finally:
            progress.close()
            helper.release()
        taken = time.perf_counter() - begun
        logger.info("Training ends after %d steps in %.1f s.", params.cur_step_num, taken)

    def _check_network(self, columns: list[str] | None) -> None:
        if columns is None:
            return
        if self.model.loss_fn is not None:
            check_two_columns(columns, "train_dataset")
        else:
            check_columns(self.model.network, columns, "train_dataset")

    def _row_by_row(self, helper: DatasetHelper, progress: Progress) -> None:
        rows = 0
        for row in helper:
            rows += 1
            self._step(row, lambda row=row: self.network(*row))
            progress.update(self.params.cur_step_num, self.params.net_outputs)
            if self.context.get_stop_requested():
                break
        if rows == 0:
            raise ValueError("There is no valid data in dataset, please check dataset file firstly.")

    def _sinking(self, helper: DatasetHelper, progress: Progress) -> None:
        """All steps of an epoch; in Graph mode in one call, unless a callback wants every step."""
        steps = self.params.batch_num - self.params.cur_step_num % self.params.batch_num
        whole = context.get_context("mode") == context.GRAPH_MODE and not self.manager.needs_step
        if whole:
            self._step(None, lambda: helper.feed.sink(self.network, steps), steps)
            progress.update(self.params.cur_step_num, self.params.net_outputs)
            return
        for _ in range(steps):
            row = helper.feed.next_row()
            self._step(row, lambda row=row: self.network(*row))
            progress.update(self.params.cur_step_num, self.params.net_outputs)
            if self.context.get_stop_requested():
                break

    def _step(self, row, run, steps: int = 1) -> None:
        params = self.params
        params.cur_step_num += steps
        params.train_dataset_element = row
        self.manager.on_train_step_begin(self.context)
        outputs = run()
        params.net_outputs = outputs
        if not self._looked_at_loss:
            self._look_at_loss(outputs)
            self._untrained.look()
        if self.model.drops_overflow:
            self._adjust_scale(outputs)
        self.manager.on_train_step_end(self.context)

    def _look_at_loss(self, outputs) -> None:
        self._looked_at_loss = True
        loss = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs
        if self.model.optimizer is not None and isinstance(loss, Tensor) and loss.size > 1:
            logger.warning(
                "The loss is a Tensor of shape %s, not a number: the gradient of its sum is used, which "
                "grows with the batch. Choose reduction='mean' if that is not meant.",
                loss.shape,
            )

    def _adjust_scale(self, outputs) -> None:
        if isinstance(outputs, (tuple, list)) and len(outputs) >= 2:
            overflow = outputs[1]
            overflow = overflow.asnumpy() if isinstance(overflow, Tensor) else overflow
            self.model.loss_scale_manager.update_loss_scale(bool(np.all(overflow)))

    def _end_epoch(self, dataset, epoch: int) -> None:
        params = self.params
        if self.evaluate is not None:
            self.evaluate(epoch + 1)
        dataset.reset()
        self.manager.on_train_epoch_end(self.context)
        for name in ("eval_results", "metrics"):
            params.pop(name, None)


class EvalLoop:
    """One evaluation, on its own or within `Model.fit`."""

    def __init__(self, model, params: InternalCallbackParam, manager: CallbackManager):
        self.model, self.params, self.manager = model, params, manager
        self.network = model.eval_network
        self.context = RunContext(params)

    def run(self, dataset) -> dict:
        """The metrics by name."""
        params, feed = self.params, DatasetHelper(dataset, False).feed
        params.cur_step_num = 0
        self._check_network(feed.columns)
        for metric in self.model.metric_functions.values():
            metric.clear()
        self.network.set_train(False)
        self.network.phase = "eval"
        try:
            self.manager.on_eval_begin(self.context)
            self.manager.on_eval_epoch_begin(self.context)
            for row in feed.epoch():
                self._step(row)
                if self.context.get_stop_requested():
                    break
            self.manager.on_eval_epoch_end(self.context)
        finally:
            feed.close()
            dataset.reset()
        metrics = {name: metric.eval() for name, metric in self.model.metric_functions.items()}
        params.metrics = metrics
        self.manager.on_eval_end(self.context)
        return metrics

    def _check_network(self, columns: list[str] | None) -> None:
        if columns is not None:
            check_columns(self.network, columns, "valid_dataset")

    def _step(self, row) -> None:
        params = self.params
        params.cur_step_num += 1
        params.eval_dataset_element = row
        self.manager.on_eval_step_begin(self.context)
        outputs = self.network(*row)
        params.net_outputs = outputs
        self.manager.on_eval_step_end(self.context)
        if not isinstance(outputs, tuple):
            raise ValueError(
                f"The argument 'outputs' should be tuple, but got {type(outputs)}. Modify 'output' to "
                "Tuple[Tensor], for instance (loss, prediction, label)."
            )
        self._update_metrics(outputs)

    def _update_metrics(self, outputs: tuple) -> None:
        indexes = self.model.eval_indexes
        if indexes is not None and len(indexes) < 3:
            raise ValueError(
                f"The length of 'eval_indexes' should be not less than 3, but got {len(indexes)}"
            )
        from mindspore.train.metrics import Loss

        for metric in self.model.metric_functions.values():
            if metric.indexes is not None or indexes is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[indexes[0]])
            else:
                metric.update(outputs[indexes[1]], outputs[indexes[2]])


def evaluate_within_training(model, params: InternalCallbackParam, callbacks: list, dataset) -> None:
    """An evaluation after an epoch; what training shows its callbacks is as before afterwards."""
    from mindspore.train.callback import TimeMonitor

    saved = {name: params[name] for name in _SAVED_DURING_EVALUATION if name in params}
    of_users = [
        one
        for one in callbacks
        if isinstance(one, TimeMonitor) or not type(one).__module__.startswith("mindspore.train.callback")
    ]
    params.update(mode="eval", batch_num=dataset.get_dataset_size(), list_callback=of_users)
    with CallbackManager(of_users) as manager:
        results = EvalLoop(model, params, manager).run(dataset)
    outputs = params.get("net_outputs")
    results = dict(results)
    if model.eval_indexes is not None and isinstance(outputs, tuple):
        results["eval_loss"] = _number(outputs[model.eval_indexes[0]])
    params.update(saved)
    params.eval_results = results
    model.train_network.set_train()
    model.train_network.phase = "train"


def _number(value):
    if isinstance(value, Tensor):
        value = value.asnumpy()
    if isinstance(value, np.ndarray):
        return float(np.mean(value))
    return value
