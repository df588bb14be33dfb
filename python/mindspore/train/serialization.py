# SPDX-License-Identifier: Apache-2.0
"""Files: checkpoints of parameters, and models."""

# Scripts reach these through this module.
from mindspore import _checkparam as Validator  # noqa: F401, N812
from mindspore import context  # noqa: F401
from mindspore.common.parameter import Parameter  # noqa: F401
from mindspore.common.tensor import Tensor  # noqa: F401
from mindspore.train._checkpoint_convert import ckpt_to_safetensors, safetensors_to_ckpt
from mindspore.train._checkpoint_into_net import load_param_into_net
from mindspore.train._checkpoint_load import (
    ParamDictFuture,
    check_checkpoint,
    load_checkpoint,
    load_checkpoint_async,
)
from mindspore.train._checkpoint_messages import (  # noqa: F401
    Checkpoint,
    _exec_save,
    _get_merged_param_data,
    _load_dismatch_prefix_params,
    _load_map_parameter,
    _parse_ckpt_proto,
    _update_param,
    np_type_convert,
    tensor_to_ms_type,
    tensor_to_np_type,
)
from mindspore.train._checkpoint_save import async_ckpt_thread_status, save_checkpoint, wait_for_async_save
from mindspore.train._graph_message import write_graph_file as _save_graph  # noqa: F401
from mindspore.train._model_files import (
    convert_model,
    export,
    export_split_mindir,
    load,
    load_mindir,
    obfuscate_model,
    save_mindir,
)
from mindspore.train._print_file import parse_print
from mindspore.train._sliced_parameters import (
    build_searched_strategy,
    load_distributed_checkpoint,
    merge_sliced_parameter,
    restore_group_info_list,
)
from mindspore.train._transformed_checkpoints import (
    merge_pipeline_strategys,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)

__all__ = [
    "ParamDictFuture",
    "async_ckpt_thread_status",
    "build_searched_strategy",
    "check_checkpoint",
    "ckpt_to_safetensors",
    "convert_model",
    "export",
    "export_split_mindir",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_distributed_checkpoint",
    "load_mindir",
    "load_param_into_net",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "obfuscate_model",
    "parse_print",
    "rank_list_for_transform",
    "restore_group_info_list",
    "safetensors_to_ckpt",
    "save_checkpoint",
    "save_mindir",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "wait_for_async_save",
]
