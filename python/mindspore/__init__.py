# SPDX-License-Identifier: Apache-2.0
"""Mycel: deep learning with MindSpore's interface."""

from sys import meta_path as _meta_path

from mindspore._waiting import stays_awake_briefly as _stays_awake_briefly
from mindspore.version import (
    __version__,  # noqa: F401, I001  (first: it must be there even if a later import fails)
)

with _stays_awake_briefly():
    from mindspore import _c_expression

_c_expression.set_package_folder(__path__[0])


def _native_name(name: str) -> object:
    """A name that scripts look for in the native part, and Python has."""
    if name.startswith("__"):  # what imports themselves ask every module for
        raise AttributeError(f"module 'mindspore._c_expression' has no attribute '{name}'")
    from mindspore._native_names import read

    return read(name)


_c_expression.__getattr__ = _native_name

from mindspore import amp, common, dtype, hal, log, nn, ops, utils  # noqa: E402
from mindspore._later import imported_later as _imported_later  # noqa: E402
from mindspore._removed import RemovedModules as _RemovedModules  # noqa: E402
from mindspore._settings.environment import warn_of_refused_variables as _warn_of_variables  # noqa: E402
from mindspore.amp import (  # noqa: E402
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from mindspore.common import Tensor, tensor  # noqa: E402
from mindspore.common._derivatives import jacfwd, jacrev, jvp, vjp, vmap  # noqa: E402
from mindspore.common._gradient import get_grad, grad, no_grad, value_and_grad  # noqa: E402
from mindspore.common._gradient import no_grad as _no_grad  # noqa: E402
from mindspore.common.api import (  # noqa: E402
    JitConfig,
    jit,
    jit_class,
    lazy_inline,
    ms_class,
    ms_function,
    ms_memory_recycle,
    mutable,
    no_inline,
    set_dump,
)
from mindspore.common.dtype import (  # noqa: E402
    Int,
    QuantDtype,
    TensorType,
    Type,
    bfloat16,
    bool_,
    byte,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float16,
    float32,
    float64,
    float_,
    get_py_obj_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    list_,
    number,
    pytype_to_dtype,
    qint4x2,
    short,
    single,
    string,
    tensor_type,
    tuple_,
    type_none,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ushort,
)
from mindspore.common.generator import (  # noqa: E402
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from mindspore.common.parameter import Parameter, ParameterTuple  # noqa: E402
from mindspore.common.recompute import recompute  # noqa: E402
from mindspore.common.seed import get_seed, set_seed  # noqa: E402
from mindspore.common.sparse_tensor import COOTensor, CSRTensor, RowTensor, SparseTensor  # noqa: E402
from mindspore.common.symbol import Symbol  # noqa: E402
from mindspore.context import (  # noqa: E402
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
    get_auto_parallel_context,
    get_context,
    get_offload_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_context,
    set_offload_context,
    set_ps_context,
)
from mindspore.log import get_level, get_log_config, set_log_level  # noqa: E402
from mindspore.run_check import run_check  # noqa: E402

log._configure()
_warn_of_variables()
_meta_path.append(_RemovedModules)
# The function, as users know it, not the module that defines it.
common.mutable = mutable


# Names that are imported with their module when they are first used, so that a program which does not train
# does not wait for them.
_LATER = {
    "mindspore._later_releases": (
        "bool cdouble cfloat float from_numpy get_current_device int long set_device set_memory "
        "set_recursion_limit"
    ),
    "mindspore.ops": "constexpr",
    "mindspore.parallel": "Layout get_algo_parameters reset_algo_parameters set_algo_parameters shard",
    "mindspore.profiler": "Profiler",
    "mindspore.mindrecord": (
        "Cifar100ToMR Cifar10ToMR CsvToMR FAILED FileReader FileWriter ImageNetToMR MindPage MnistToMR "
        "SUCCESS TFRecordToMR set_enc_key set_enc_mode"
    ),
    "mindspore.train": (
        "BackupAndRestore Callback CheckpointConfig ConvertModelUtils ConvertNetUtils DatasetHelper "
        "EarlyStopping "
        "FlopsUtilizationCollector History LambdaCallback LearningRateScheduler LossMonitor Model "
        "ModelCheckpoint OnRequestExit ReduceLROnPlateau RunContext SummaryCollector SummaryLandscape "
        "SummaryRecord TimeMonitor build_train_network connect_network_with_dataset data_sink"
    ),
    "mindspore.train.metrics": (
        "Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta "
        "HausdorffDistance Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity Precision "
        "ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy "
        "TopKCategoricalAccuracy auc get_metric_fn names rearrange_inputs"
    ),
    "mindspore.train.callback._flops_collector": "flops_collection",
    "mindspore.train.serialization": (
        "async_ckpt_thread_status build_searched_strategy check_checkpoint ckpt_to_safetensors convert_model "
        "export "
        "export_split_mindir load load_checkpoint load_checkpoint_async load_distributed_checkpoint "
        "load_mindir load_param_into_net merge_pipeline_strategys merge_sliced_parameter obfuscate_model "
        "parse_print rank_list_for_transform restore_group_info_list safetensors_to_ckpt save_checkpoint "
        "save_mindir transform_checkpoint_by_rank transform_checkpoints"
    ),
}
_MODULES = (
    "amp boost common communication context dataset device_context dtype experimental hal log mindrecord "
    "mint multiprocessing nn numpy ops parallel profiler rewrite runtime scipy train utils version"
)
__getattr__, __dir__ = _imported_later(globals(), _LATER, _MODULES.split())
# A star must not hide what Python itself calls so; files of rows are asked for by their names.
_HIDDEN = {"bool", "float", "int", *_MODULES.split(), *_LATER["mindspore.mindrecord"].split()}
__all__ = [name for name in __dir__() if not name.startswith("_") and name not in _HIDDEN]
