# SPDX-License-Identifier: Apache-2.0
"""The settings of `set_context`."""

from __future__ import annotations

import os

from mindspore import _c_expression as _c
from mindspore._capture.dump import set_save_graphs
from mindspore._capture.function import set_graph_mode, set_strict
from mindspore._print_output import set_print_file
from mindspore._settings import context_checks as checks
from mindspore._settings.family import Store
from mindspore._settings.setting import NO_DEFAULT, harmless, refused, works

_ASCEND = ("Ascend",)
_ACCELERATORS = ("GPU", "Ascend")
_ASCEND_ONLY = "it only concerns Ascend"
_GPU_ONLY = "it only concerns GPUs"
_INSIDE_ASCEND_CONFIG = checks.ASCEND_KEYS - {"exception_dump", "parallel_speed_up_json_path", "topo_order"}


def _unknown(name: str) -> ValueError:
    return ValueError(
        f"For 'context.set_context', the keyword argument {name} is not recognized! For detailed usage of "
        "'set_context', please refer to the Mindspore official website."
    )


def _set_memory_limit(size: float) -> None:
    _c.set_memory_limit(CONTEXT.values["device_target"], int(size * 2**30))


def _choose_device(_: object) -> None:
    """The device that operators run on; the CPU is one device whatever its number."""
    target = CONTEXT.values["device_target"]
    _c.set_device(target, 0 if target == "CPU" else CONTEXT.values["device_id"])


def _set_code_folder(path: str) -> None:
    _c.set_code_folder(os.path.join(path, "code") if path else "")


def _save_graphs(_: object) -> None:
    set_save_graphs(CONTEXT.values["save_graphs"], CONTEXT.values["save_graphs_path"])


def _set_jit_level(config: dict) -> None:
    off = {name for name in os.environ.get("MYCEL_PASSES_OFF", "").split(",") if name}
    if config.get("jit_level") == "O0":
        off.update(_c.pass_names())
    _c.set_passes_off(off)


_DEVICES = [
    works(
        "mode",
        checks.PYNATIVE_MODE,
        "PyNative mode (1) runs operators one by one, Graph mode (0) compiles what is called",
        apply=lambda value: set_graph_mode(value == checks.GRAPH_MODE),
    ),
    works(
        "device_target",
        "CPU",
        "the kind of device; one that is not part of the installation is an error",
        apply=_choose_device,
    ),
    works(
        "device_id",
        checks.device_of_environment(),
        "the number of the device, a mere name where it is the CPU. It is part of the names of event files",
        apply=_choose_device,
    ),
    works(
        "max_device_memory",
        1024.0,
        "the most memory that tensors may take, as in '2.5GB'; beyond it a MemoryError is raised",
        kinds=(str,),
        check=checks.gigabytes,
        apply=_set_memory_limit,
    ),
    works(
        "runtime_num_threads",
        None,
        "how many threads work on one operator",
        kinds=(int,),
        check=checks.threads,
        apply=_c.set_compute_threads,
    ),
    harmless(
        "inter_op_parallel_num",
        0,
        "operators run one after the other, and each uses all threads",
        check=checks.not_negative,
    ),
    harmless("variable_memory_max_size", "0", _ASCEND_ONLY, check=checks.variable_memory, devices=_ASCEND),
    harmless(
        "mempool_block_size",
        1.0,
        "it only concerns GPU and Ascend",
        kinds=(str,),
        check=checks.block_size,
        devices=_ACCELERATORS,
    ),
    harmless(
        "op_timeout",
        900,
        "it limits how long an operator may take on Ascend; here an operator runs in the calling thread",
    ),
    harmless(
        "deterministic",
        "OFF",
        "the same program with the same number of threads gives the same bits anyway",
        check=checks.one_of("ON", "OFF"),
    ),
    harmless(
        "memory_optimize_level", 0, "the memory of a compiled graph is always planned ahead", kinds=(str,)
    ),
    refused(
        "memory_offload",
        False,
        "Memory offload is not available on CPU device: all tensors are in the memory of the host",
        kinds=(str,),
    ),
    harmless("gpu_config", {}, _GPU_ONLY, devices=("GPU",)),
    harmless("disable_format_transform", False, _GPU_ONLY, devices=("GPU",)),
    harmless("ascend_config", {}, _ASCEND_ONLY, devices=_ASCEND),
    harmless("enable_reduce_precision", True, _ASCEND_ONLY, devices=_ASCEND),
    harmless("aoe_tune_mode", "", _ASCEND_ONLY, check=checks.one_of("online", "offline"), devices=_ASCEND),
    harmless("aoe_config", {}, _ASCEND_ONLY, devices=_ASCEND),
]

_COMPILATION = [
    works(
        "jit_syntax_level",
        checks.LAX,
        "STRICT makes it an error that a function cannot be compiled as a whole",
        apply=lambda value: set_strict(value == checks.STRICT),
    ),
    works(
        "jit_config",
        {},
        "`jit_level`: 'O0' compiles graphs as they were captured, without any pass; 'O1', 'O2' and nothing "
        "at all run every pass. `infer_boost` only concerns Ascend",
        apply=_set_jit_level,
    ),
    works(
        "jit_level",
        "",
        "the entry of `jit_config` by itself",
        check=checks.one_of("", "O0", "O1", "O2"),
        apply=lambda level: _set_jit_level({"jit_level": level}),
    ),
    harmless("infer_boost", "", _ASCEND_ONLY, check=checks.one_of("", "on", "off")),
    works(
        "precompile_only",
        False,
        "compiled functions and cells are checked, not run, and return None",
        reader="common/api.py",
    ),
    works(
        "check_bprop",
        False,
        "gradients from a `bprop` of the user must have the shapes and types of the inputs",
        reader="nn/_cell_call.py",
    ),
    works(
        "max_call_depth",
        1000,
        "how deep the calls in a loaded MindIR file may go; in Python code Python's own limit holds "
        "(sys.setrecursionlimit)",
        reader="train/_mindir/func_graph.py",
    ),
    works(
        "compile_cache_path",
        "",
        "the folder in which machine code of formulas is kept",
        apply=_set_code_folder,
    ),
    works(
        "save_graphs",
        0,
        "1 writes every graph as it was captured and as it runs, 2 and 3 also what each pass made of it",
        kinds=(bool, int),
        apply=_save_graphs,
    ),
    works("save_graphs_path", ".", "the folder of these files", apply=_save_graphs),
    works(
        "print_file_path",
        "",
        "a file that `ops.Print` writes to instead of standard output; `parse_print` reads it",
        apply=set_print_file,
    ),
    refused(
        "enable_compile_cache",
        None,
        "graphs are captured anew by every process; machine code of formulas is kept in any case, see "
        "'compile_cache_path'",
        kinds=(bool,),
    ),
    refused(
        "graph_kernel_flags",
        "",
        "what is fused is decided by the passes alone; leave passes out with 'jit_config' or "
        "MYCEL_PASSES_OFF",
    ),
    refused(
        "grad_for_scalar",
        False,
        "gradients are taken with respect to tensors: pass Tensor(3.0) instead of 3.0",
    ),
    refused(
        "env_config_path",
        "",
        "there is no recorder of running data; see 'save_graphs' for graphs and GLOG_v for the log",
    ),
    harmless("enable_graph_kernel", False, "compiled graphs are always fused"),
    works(
        "reserve_class_name_in_scope",
        True,
        "paths of cells in graphs name their classes too: `conv1-Conv2d`, not `conv1`",
        reader="_capture/cell_path.py",
    ),
    harmless("pynative_synchronize", False, "operators have finished when they return"),
    harmless("support_binary", False, "functions are compiled by running them, without their source"),
    harmless("debug_level", checks.RELEASE, "graphs always name source lines"),
    harmless("jit_enable_inplace_ops", True, "writes in place mean the same in both modes"),
    harmless("enable_debug_runtime", True, "there is one runtime"),
]

# Names of older releases that MindSpore 2.3 still took, or that are too common to stop a program.
_OLDER = [
    refused("enable_dump", False, "it is deprecated, and values of operators are not dumped", kinds=()),
    refused("save_dump_path", "", "it is deprecated, and values of operators are not dumped", kinds=()),
    *(
        refused(name, NO_DEFAULT, "it is deprecated; use mindspore.Profiler")
        for name in ("enable_profiling", "profiling_options", "profiling_mode", "profiling_dir")
    ),
    refused("enable_auto_mixed_precision", False, "it is deprecated; use mindspore.amp", kinds=()),
    *(
        refused(name, NO_DEFAULT, f"it is deprecated; {instead}")
        for name, instead in {
            "enable_sparse": "gradients of rows (RowTensor) need no switch",
            "auto_tune_mode": "operators are tuned by nobody here; on Ascend it became 'aoe_tune_mode'",
            "save_compile_cache": "it became 'enable_compile_cache'",
            "load_compile_cache": "it became 'enable_compile_cache'",
            "graph_memory_max_size": "the memory of tensors is limited by 'max_device_memory'",
            "enable_task_sink": "there is one way to run a graph",
            "enable_mem_reuse": "memory is always used again",
        }.items()
    ),
    *(
        refused(
            name,
            NO_DEFAULT,
            "it belongs into 'ascend_config'",
            check=checks.inside_ascend_config,
            error=ValueError,
        )
        for name in sorted(_INSIDE_ASCEND_CONFIG)
    ),
]

_GONE = {
    "enable_loop_sink": "whether a whole epoch is one call is said by Model.train(dataset_sink_mode=...)",
    "enable_hccl": "processes are joined by mindspore.communication.init()",
    "enable_dynamic_memory": "memory always comes from a pool; 'max_device_memory' limits it",
    "enable_gpu_summary": "summaries are written wherever a SummaryRecord or SummaryCollector is used",
    "enable_ir_fusion": "compiled graphs are always fused",
    "save_ms_model": "a network is written with mindspore.export(net, ..., file_format='MINDIR')",
    "save_ms_model_path": "a network is written with mindspore.export(net, ..., file_format='MINDIR')",
    "backend_policy": "there is one backend",
}

CONTEXT = Store(
    "set_context",
    "How programs run, and where",
    [*_DEVICES, *_COMPILATION, *_OLDER],
    unknown=_unknown,
    wrong_type="For 'context.set_context', The parameter '{name}' must be {expected}, but got {got}.",
    takes_none=True,
    gone=_GONE,
    checks=checks,
)

if "MS_DEV_SAVE_GRAPHS" in os.environ:  # it needs no set_context
    _save_graphs(None)
