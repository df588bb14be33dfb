# SPDX-License-Identifier: Apache-2.0
"""Collects values of a training in event files."""

from __future__ import annotations

import os
import re

import numpy as np

from mindspore import context
from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.train._graph_message import graph_message
from mindspore.train.callback import _summary_settings as settings
from mindspore.train.callback._callback import CALLBACK, Callback, _handle_loss
from mindspore.train.callback._dataset_graph import DatasetGraph
from mindspore.train.callback._landscape import LandscapeCheckpoints
from mindspore.train.summary import _lineage_adapter as lineage
from mindspore.train.summary.enums import ModeEnum, PluginEnum
from mindspore.train.summary.summary_record import (
    SummaryRecord,
    check_value_type,
    made_folder,
    process_export_options,
)

_MOST_TENSOR_STEPS = 20
_HISTOGRAMS = 5
_FAILED = "Failed"


@CALLBACK
class SummaryCollector(Callback):
    """Collects losses, parameters, inputs, graphs and facts of a training in event files.

    Args:
        summary_dir (str): Folder of the files.
        collect_freq (int): Steps between two collections; epochs where data is sunk. Default: ``10``.
        num_process (int): Accepted for compatibility. Default: ``32``.
        collect_specified_data (dict): What to collect: ``collect_metric``, ``collect_graph``,
            ``collect_train_lineage``, ``collect_eval_lineage``, ``collect_input_data``,
            ``collect_dataset_graph`` (bool), ``histogram_regular`` (str), ``collect_landscape`` (dict).
            Default: ``None``, everything.
        keep_default_action (bool): Whether what is not named there is collected too. Default: ``True``.
        custom_lineage_data (dict): Facts of the user's, numbers and text by name. Default: ``None``.
        collect_tensor_freq (int): Steps between two collections of tensors. Default: ``None``, so that there
            are twenty at most.
        max_file_size (int): Bytes beyond which nothing more is written. Default: ``None``.
        export_options (dict): ``{"tensor_format": "npy"}`` writes tensors to files too. Default: ``None``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a value that is not allowed.
    """

    _DEFAULT_SPECIFIED_DATA = settings.DEFAULT_SPECIFIED_DATA

    def __init__(
        self,
        summary_dir,
        collect_freq=10,
        num_process=32,
        collect_specified_data=None,
        keep_default_action=True,
        custom_lineage_data=None,
        collect_tensor_freq=None,
        max_file_size=None,
        export_options=None,
    ):
        super().__init__()
        self._summary_dir = made_folder(summary_dir, "summary_dir")
        settings.check_numbers(collect_freq, num_process, collect_tensor_freq, max_file_size)
        check_value_type("keep_default_action", keep_default_action, bool)
        check_value_type("export_options", export_options, [dict, type(None)])
        settings.check_custom_lineage(custom_lineage_data)
        self._collect_specified_data = settings.checked_specified_data(
            collect_specified_data, keep_default_action
        )
        self._collect_freq, self._collect_tensor_freq = collect_freq, collect_tensor_freq
        self._custom_lineage_data = custom_lineage_data
        self._max_file_size, self._export_options = max_file_size, process_export_options(export_options)
        self._record = None
        self._temp_optimizer = None
        self._is_parse_loss_success = True
        self._is_first_step = True
        self._last_step = 0
        landscape = self._collect_specified_data.get("collect_landscape")
        self._landscape = LandscapeCheckpoints(self._summary_dir, landscape) if landscape else None

    def __enter__(self):
        self._record = SummaryRecord(
            self._summary_dir, max_file_size=self._max_file_size, export_options=self._export_options
        )
        self._is_first_step = True
        return self

    def __exit__(self, *err):
        self._record.close()

    def begin(self, run_context):
        """Checks the callbacks and tells the record what the network does."""
        params = run_context.original_args()
        self._check_callbacks(params)
        self._record.set_mode(params.mode)
        if params.mode == ModeEnum.TRAIN.value and self._collect_tensor_freq is None:
            steps = params.epoch_num * (params.get("batch_num") or 1)
            if self._is_sinking(params):
                steps = params.epoch_num
            self._collect_tensor_freq = max(self._collect_freq, -(-steps // _MOST_TENSOR_STEPS))

    def step_end(self, run_context):
        """Collects the values of the step if it is their turn."""
        params = run_context.original_args()
        if params.mode != ModeEnum.TRAIN.value:
            return
        turn = params.cur_epoch_num if self._is_sinking(params) else params.cur_step_num
        if self._landscape is not None:
            self._landscape.step_end(params)
        if not self._is_first_step and turn % self._collect_freq != 0:
            return
        if self._is_first_step:
            self._is_first_step = False
            self._collect_graphs(params)
        self._collect_values(params)
        freq = self._collect_tensor_freq or self._collect_freq
        with_tensors = turn % freq == 0 or params.cur_step_num == 1
        self._record.record(
            params.cur_step_num,
            plugin_filter=lambda plugin: with_tensors or plugin != PluginEnum.TENSOR.value,
        )
        self._last_step = params.cur_step_num

    def epoch_end(self, run_context):
        """Hands what was collected to the system."""
        self._record.flush()

    def end(self, run_context):
        """Collects the last step and the facts of the run."""
        params = run_context.original_args()
        if params.mode == ModeEnum.TRAIN.value:
            if params.cur_step_num != self._last_step:
                self._collect_values(params)
            self._collect_train_lineage(params)
            if self._landscape is not None:
                self._landscape.end(params)
        else:
            self._collect_eval_lineage(params)
        if self._custom_lineage_data:
            message = lineage.custom_lineage(self._custom_lineage_data)
            self._record.add_value(PluginEnum.CUSTOM_LINEAGE_DATA.value, "custom_lineage_data", message)
        self._record.record(params.get("cur_step_num", 0))
        self._record.flush()

    # ---- what is collected -----------------------------------------------------------------------

    def _check_callbacks(self, cb_params) -> None:
        callbacks = cb_params.get("list_callback") or []
        callbacks = getattr(callbacks, "_callbacks", callbacks)
        if sum(type(callback) is SummaryCollector for callback in callbacks) > 1:
            raise ValueError(
                'For "SummaryCollector", there are more than one SummaryCollector instance in callback list, '
                "but expected only one."
            )

    @staticmethod
    def _is_sinking(params) -> bool:
        return bool(params.get("dataset_sink_mode")) and context.get_context("mode") == context.GRAPH_MODE

    def _collect_graphs(self, params) -> None:
        if self._collect_specified_data.get("collect_graph"):
            self._record.add_value(
                PluginEnum.GRAPH.value, "train_network/auto", graph_message(params.train_network)
            )
        self._collect_dataset_graph(params)

    def _collect_values(self, params) -> None:
        self._collect_input_data(params)
        self._collect_metric(params)
        self._collect_histogram(params)

    def _collect_input_data(self, cb_params) -> None:
        if not self._collect_specified_data.get("collect_input_data"):
            return
        row = cb_params.get("train_dataset_element")
        image = row[0] if isinstance(row, (list, tuple)) and row else row
        if not isinstance(image, Tensor):
            self._collect_specified_data["collect_input_data"] = False
            logger.info("The input data is not available, for instance because it is sunk.")
            return
        if image.ndim == 4 and image.shape[1] in (1, 3) and image.size:
            self._record.add_value(PluginEnum.IMAGE.value, "input_data/auto", image)

    def _collect_dataset_graph(self, cb_params) -> None:
        if not self._collect_specified_data.get("collect_dataset_graph"):
            return
        is_training = cb_params.mode == ModeEnum.TRAIN.value
        dataset = cb_params.get("train_dataset" if is_training else "valid_dataset")
        try:
            message = lineage.dataset_graph(DatasetGraph().package_dataset_graph(dataset))
        except Exception as failure:
            logger.warning("The data pipeline cannot be described: %s", failure)
            return
        name = "train_dataset" if is_training else "eval_dataset"
        self._record.add_value(PluginEnum.DATASET_GRAPH.value, name, message)

    def _collect_metric(self, cb_params) -> None:
        if not self._collect_specified_data.get("collect_metric"):
            return
        loss = self._get_loss(cb_params)
        if loss is not None:
            self._record.add_value(PluginEnum.SCALAR.value, "loss/auto", loss)

    def _get_loss(self, cb_params):
        """The loss of the step as a Tensor; None, from then on always, if there is none."""
        if not self._is_parse_loss_success:
            return None
        loss = _handle_loss(cb_params.get("net_outputs"))
        if isinstance(loss, (int, float, np.number)) and not isinstance(loss, bool):
            return Tensor(float(loss), mstype.float32)
        self._is_parse_loss_success = False
        logger.warning("The loss cannot be read from the output of the network, and is not recorded.")
        return None

    def _get_optimizer(self, cb_params):
        """The optimizer of the run, or None."""
        if self._temp_optimizer == _FAILED:
            return None
        if self._temp_optimizer is not None:
            return self._temp_optimizer
        optimizer = cb_params.get("optimizer")
        if optimizer is None:
            is_training = cb_params.get("mode") == ModeEnum.TRAIN.value
            network = cb_params.get("train_network" if is_training else "eval_network")
            cells = network.cells_and_names() if network is not None else ()
            optimizer = next((cell for _, cell in cells if isinstance(cell, Optimizer)), None)
        self._temp_optimizer = _FAILED if optimizer is None else optimizer
        return optimizer

    def _collect_histogram(self, cb_params) -> None:
        if "histogram_regular" not in self._collect_specified_data:
            return
        optimizer = self._get_optimizer(cb_params)
        if optimizer is None:
            return
        pattern = self._collect_specified_data["histogram_regular"]
        parameters = list(optimizer.parameters)
        if pattern is not None:
            parameters = [parameter for parameter in parameters if re.match(pattern, parameter.name)]
        else:
            parameters = parameters[:_HISTOGRAMS]
        for parameter in parameters:
            value = parameter if parameter.ndim else parameter.reshape((1,))
            self._record.add_value(PluginEnum.HISTOGRAM.value, parameter.name + "/auto", value)

    def _collect_train_lineage(self, params) -> None:
        if not self._collect_specified_data.get("collect_train_lineage"):
            return
        facts = {"epoch": params.epoch_num, "parallel_mode": params.get("parallel_mode")}
        facts["device_num"] = params.get("device_number")
        loss = self._get_loss(params)
        facts["loss"] = None if loss is None else float(loss.asnumpy())
        optimizer = self._get_optimizer(params)
        if optimizer is not None:
            facts["optimizer"] = type(optimizer).__name__
            rate = optimizer.learning_rate
            facts["learning_rate"] = (
                float(rate.asnumpy()) if isinstance(rate, Parameter) and rate.size == 1 else None
            )
        if params.get("loss_fn") is not None:
            facts["loss_function"] = type(params.loss_fn).__name__
        network = params.get("network")
        facts["network"] = type(network).__name__ if network is not None else None
        facts.update(self._dataset_facts(params.get("train_dataset")))
        path = params.get("latest_ckpt_file")
        if path and os.path.isfile(path):
            facts.update(model_path=path, model_size=os.path.getsize(path))
        message = lineage.train_lineage(facts)
        self._record.add_value(PluginEnum.TRAIN_LINEAGE.value, "train_lineage", message)

    @staticmethod
    def _dataset_facts(dataset) -> dict:
        try:
            return {
                "train_dataset_path": DatasetGraph.get_dataset_path(dataset),
                "train_dataset_size": dataset.get_dataset_size() * (dataset.get_batch_size() or 1),
                "batch_size": dataset.get_batch_size(),
            }
        except Exception as failure:
            logger.warning("The data pipeline cannot be described: %s", failure)
            return {}

    def _collect_eval_lineage(self, params) -> None:
        if not self._collect_specified_data.get("collect_eval_lineage"):
            return
        metrics = {
            name: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
            for name, value in (params.get("metrics") or {}).items()
        }
        facts = self._dataset_facts(params.get("valid_dataset"))
        message = lineage.eval_lineage(
            metrics, facts.get("train_dataset_path", ""), facts.get("train_dataset_size", 0)
        )
        self._record.add_value(PluginEnum.EVAL_LINEAGE.value, "eval_lineage", message)
