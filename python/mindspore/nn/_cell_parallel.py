# SPDX-License-Identifier: Apache-2.0
"""How a Cell is spread over devices, and other things only whole programs ask for."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from mindspore import context
from mindspore._settings.argument_keys import CELL
from mindspore._sharding import check_sharding
from mindspore._world import require_one_process, require_this_process

if TYPE_CHECKING:
    from mindspore.common.parameter import Parameter
    from mindspore.nn.cell import Cell


def _collected(name: str, kind: type, words: str) -> property:
    """A property that holds a dict or a list, which is empty at first."""

    def read(self):
        return self.__dict__.setdefault(f"_{name}", kind())

    def write(self, value) -> None:
        if not isinstance(value, kind):
            raise TypeError(
                f"For 'Cell', the property '{name}' must be {kind.__name__} type, but got type {type(value)}."
            )
        self.__dict__[f"_{name}"] = value

    read.__annotations__["return"] = write.__annotations__["value"] = kind.__name__
    return property(read, write, doc=words)


def _check_part_of_pipeline(cell: Cell, name: str, value: int) -> None:
    """An int that is not negative, and only one process to run all parts."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"For 'Cell', the property '{name}' must be int type, but got type {type(value)}.")
    if value < 0:
        raise ValueError(f"For 'Cell', the property '{name}' can not be less than 0, but got {value}.")
    require_one_process(f"{cell.cls_name}.{name}")


class CellParallel:
    """Settings of parallel training and of compiled graphs."""

    def shard(
        self, in_strategy, out_strategy=None, parameter_plan=None, device: str = "Ascend", level: int = 0
    ):
        """Splits the computation over devices in (semi-)automatic parallel training; returns the cell.

        Args:
            in_strategy (tuple): For every input, a number of parts for every axis; here each must be 1.
            out_strategy (Union[tuple, None]): The same for the outputs. Default: ``None``.
            parameter_plan (Union[dict, None]): The same for parameters, by name. Default: ``None``.
            device (str): Kind of the devices. Default: ``"Ascend"``.
            level (int): How hard strategies are searched for. Default: ``0``.

        Raises:
            AssertionError: The parallel mode is another.
            NotImplementedError: Several processes are meant.
        """
        plans = tuple((parameter_plan or {}).values())
        check_sharding(self.cls_name, in_strategy, out_strategy)
        check_sharding(self.cls_name, plans)
        mode = context.get_auto_parallel_context("parallel_mode")
        if mode not in ("semi_auto_parallel", "auto_parallel"):
            raise AssertionError(
                f"Cell shard only supports auto parallel and semi auto parallel, but got {mode}."
            )
        return self

    def set_param_ps(self, recurse: bool = True, init_in_server: bool = False) -> None:
        """Lets a parameter server update the trainable parameters."""
        for parameter in self.trainable_params(recurse):
            parameter.set_param_ps(init_in_server)

    def place(self, role: str, rank_id: int) -> None:
        """Process that runs the cell: this one.

        Args:
            role (str): ``"MS_WORKER"``.
            rank_id (int): Number of the process.

        Raises:
            ValueError: An argument is out of range.
            NotImplementedError: Another process is meant.
        """
        require_this_process(f"{self.cls_name}.place", role, rank_id)

    def flatten_weights(self, fusion_size: int = 0) -> None:
        """Accepted for compatibility: weights need not lie side by side."""
        if fusion_size < 0:
            raise ValueError(f"Negative 'fusion_size' {fusion_size} is invalid.")

    def set_data_parallel(self) -> None:
        """Splits every operator of the cell by batch in automatic parallel training."""
        if context.get_context("mode") == context.PYNATIVE_MODE:
            raise ValueError("set_data_parallel: does not support PyNative mode.")
        require_one_process(f"{self.cls_name}.set_data_parallel")

    def set_auto_parallel(self) -> Cell:
        """Lets the system choose how the cell is split in automatic parallel training; returns it."""
        require_one_process(f"{self.cls_name}.set_auto_parallel")
        self.__dict__["_auto_parallel_mode"] = True
        return self.add_flags(auto_parallel=True)

    def set_broadcast_flag(self, mode: bool = True) -> Cell:
        """Whether parameters are broadcast before data-parallel training; returns the cell."""
        require_one_process(f"{self.cls_name}.set_broadcast_flag")
        return self.add_flags_recursive(broadcast_flag=bool(mode))

    def set_param_fl(
        self, push_to_server: bool = False, pull_from_server: bool = False, requires_aggr: bool = True
    ) -> None:
        """How parameters take part in federated learning, which is not there; kept with each of them."""
        CELL.tell("set_param_fl", (push_to_server, pull_from_server, requires_aggr))
        for parameter in self.get_parameters():
            parameter.push_weight_to_server = push_to_server
            parameter.pull_weight_from_server = pull_from_server
            parameter.requires_aggr = requires_aggr

    def set_parallel_input_with_inputs(self, *inputs) -> None:
        """Accepted for compatibility: inputs are split when they are used."""

    def load_parameter_slice(self, params) -> None:
        """Takes the part of parameters that belongs to this process; one process owns them whole.

        Args:
            params (Union[OrderedDict, None]): Parameters by name; None: those of the cell.

        Raises:
            TypeError: `params` is neither.
        """
        if params is not None and not isinstance(params, OrderedDict):
            raise TypeError(
                "For 'load_parameter_slice', the argument 'params' must be OrderedDict or None, but got "
                f"{type(params)}."
            )
        require_one_process(f"{self.cls_name}.load_parameter_slice")

    def infer_param_pipeline_stage(self) -> list[Parameter]:
        """Parameters of the pipeline stage that this process runs."""
        stage = self.pipeline_stage
        return [p for p in self.trainable_params() if stage is None or self._is_in_stage(p, stage)]

    @staticmethod
    def _is_in_stage(parameter: Parameter, stage: int) -> bool:
        stages = parameter.__dict__.get("_pipeline_stages")
        return not stages or stage in stages

    def remove_redundant_parameters(self) -> None:
        """Drops parameters another process owns; one process owns all."""

    def auto_parallel_compile_and_run(self) -> bool:
        """Whether the cell is compiled as a part of automatic parallel training."""
        return bool(self.__dict__.get("_auto_parallel_mode", False))

    def exec_checkpoint_graph(self) -> None:
        """Accepted for compatibility: parameters lie in host memory already."""

    def generate_scope(self) -> None:
        """Names every cell below by its path."""
        for path, cell in self.cells_and_names():
            cell.__dict__["_scope"] = path.replace(".", "/")

    def get_scope(self) -> str:
        """The name `generate_scope` of a network gave this cell, marked if it is recomputed."""
        return f"{'recompute_' if self._recompute else ''}{self.__dict__.get('_scope', '')}"

    def update_cell_prefix(self) -> None:
        """Lets every cell below know its path."""
        for path, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = path

    def get_func_graph_proto(self) -> bytes:
        """The compiled graphs as text."""
        captured = self.__dict__.get("_captured")
        return "\n".join(captured.texts()).encode() if captured is not None else b""

    parameter_layout_dict = _collected(
        "parameter_layout_dict", dict, "How parameters are split over devices, by name."
    )
    parallel_parameter_name_list = _collected(
        "parallel_parameter_name_list", list, "Names of parameters that are split over devices."
    )
    parallel_parameter_merge_net_dict = _collected(
        "parallel_parameter_merge_net_dict", dict, "Networks that put split parameters together, by name."
    )

    @property
    def pipeline_segment(self):
        """Segment of a pipeline stage that runs the cell, or None."""
        return self.__dict__.get("_pipeline_segment")

    @pipeline_segment.setter
    def pipeline_segment(self, value: int) -> None:
        _check_part_of_pipeline(self, "pipeline_segment", value)
        self.__dict__["_pipeline_segment"] = value

    @property
    def pipeline_stage(self):
        """Stage of a pipeline that runs the cell, or None."""
        return self._pipeline_stage

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        _check_part_of_pipeline(self, "pipeline_stage", value)
        self._pipeline_stage = value
        for parameter in self.trainable_params():
            parameter.add_pipeline_stage(value)
