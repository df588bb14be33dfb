# SPDX-License-Identifier: Apache-2.0
"""Environment variables. Those that ask for what is not there are named when the package is imported."""

from __future__ import annotations

import os

from mindspore import log as logger
from mindspore._settings.family import Family
from mindspore._settings.setting import NO_DEFAULT, Setting, State, harmless, refused, works

_TELLS_OF_OTHERS = "tells of other processes, and what would involve them is refused then"
_OTHERS = "it is about processes that train together, and starting those is refused"
_DUMP = "values of operators are not dumped; print them, or return them"
_RECORDER = "there is no recorder of running data; see 'save_graphs' for graphs and GLOG_v for the log"
_DEBUGGER = "there is no debugger of graphs; in PyNative mode every Python debugger works"
_FILES_OF_GRAPHS = "graphs are written as 'save_graphs' says, without a choice of parts"
_ASCEND = "it only concerns Ascend"


def _work(names: str, about: str, *readers: str) -> list[Setting]:
    return [works(name, NO_DEFAULT, about, reader=" ".join(readers)) for name in names.split()]


def _nothing(names: str, why: str) -> list[Setting]:
    return [harmless(name, "", why) for name in names.split()]


def _refuse(names: str, why: str) -> list[Setting]:
    return [refused(name, "", why) for name in names.split()]


ENVIRONMENT = Family(
    "the environment",
    "Environment variables",
    [
        # The log.
        *_work("GLOG_v", "the lowest level that is logged, 0 (DEBUG) to 4 (CRITICAL)"),
        *_work(
            "GLOG_logtostderr GLOG_log_dir GLOG_logfile_mode", "whether and where the log is written to files"
        ),
        *_work(
            "GLOG_max_log_size logger_maxBytes logger_backupCount", "how large files of the log may become"
        ),
        *_work("GLOG_stderrthreshold", "which records also reach the terminal beside files"),
        *_work("MS_SUBMODULE_LOG_v", "levels of parts of the native code"),
        *_nothing(
            "MS_EXCEPTION_DISPLAY_LEVEL", "messages have no part for developers that could be left out"
        ),
        *_work(
            "NO_COLOR TERM",
            "whether tools print in colours: not where it is set, or is dumb",
            "tools/scan.py",
        ),
        *_work(
            "MINDSPORE_CPP_DEVICE",
            "where programs in C++ that ask for an Ascend device run: cpu, gpu or auto",
        ),
        # Compilation.
        *_work("MS_JIT", "0: nothing is compiled, neither in Graph mode nor by `jit`", "common/api.py"),
        *_work("MS_DEV_JIT_SYNTAX_LEVEL", "goes before 'jit_syntax_level'", "_capture/function.py"),
        *_work("MS_DEV_SAVE_GRAPHS", "goes before 'save_graphs'", "_capture/dump.py"),
        *_work("MS_DEV_SAVE_GRAPHS_PATH", "goes before 'save_graphs_path'", "_capture/dump.py"),
        *_work(
            "MYCEL_PASSES_OFF", "names of passes that are left out, with commas", "_settings/context_keys.py"
        ),
        *_work(
            "MYCEL_LOOKS_BEFORE_LOOPS",
            "after how many looks at values loops around them are recorded whole; usually 48",
            "_capture/loops/looks.py",
        ),
        *_work("MYCEL_CODEGEN", "off: formulas are never compiled to machine code while the program runs"),
        *_work("MYCEL_STRESS_SECONDS MYCEL_STRESS_SEED", "how long the stress test runs, where it begins"),
        *_work("MYCEL_CODE_CACHE HOME XDG_CACHE_HOME", "where machine code of formulas is kept"),
        *_refuse(
            "MS_COMPILER_CACHE_ENABLE MS_COMPILER_CACHE_PATH",
            "see 'enable_compile_cache' and MYCEL_CODE_CACHE",
        ),
        *_refuse("MS_DEV_FORCE_USE_COMPILE_CACHE", "see 'enable_compile_cache'"),
        *_refuse("MS_JIT_DISPLAY_PROGRESS", "what is compiled is told by the log: GLOG_v=1"),
        *_refuse(
            "MS_DEV_FALLBACK_DUMP_NODE", "what ran eagerly, and why, is told by mindspore._capture.explain()"
        ),
        *_refuse("MS_DEV_DUMP_IR_FORMAT MS_DEV_DUMP_IR_INTERVAL MS_DEV_DUMP_IR_PASSES", _FILES_OF_GRAPHS),
        *_refuse("MS_DEV_DUMP_BPROP", _FILES_OF_GRAPHS),
        *_refuse("MS_KERNEL_LAUNCH_SKIP", "every operator is executed"),
        *_nothing(
            "MS_JIT_MODULES MS_JIT_IGNORE_MODULES", "a function is compiled by running it, from any module"
        ),
        *_nothing("MS_BUILD_PROCESS_NUM", "graphs are compiled in the process that calls them"),
        *_nothing("GC_COLLECT_IN_CELL", "cells are freed when nobody refers to them"),
        # The machine.
        *_work(
            "DEVICE_ID", "the device that is used where 'device_id' is not set", "_settings/context_checks.py"
        ),
        *_work(
            "MYCEL_ASCEND_AS",
            "the device that stands in where a program asks for Ascend",
            "_settings/context_checks.py",
        ),
        *_work(
            "ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA",
            "the most that oneDNN may use of the processor, such as AVX2",
        ),
        *_work(
            "GOMP_SPINCOUNT OMP_WAIT_POLICY", "how idle threads wait; set, it is left alone", "_waiting.py"
        ),
        *_work(
            "MYCEL_SIMULATED_COMPUTE MYCEL_SIMULATED_DEVICES MYCEL_SIMULATED_MEMORY_MB",
            "the simulated device",
        ),
        *_work(
            "MYCEL_SIMULATED_MISSING",
            "n: of every n operators the simulated device lacks the kernel of one",
        ),
        *_work(
            "MYCEL_SIMULATED_REGIONS",
            "whether the simulated device computes fused regions in one go: 'on', 'off' (none are made), "
            "'declined', 'late' (their operators run one by one at first) or 'failing'",
        ),
        *_work(
            "MYCEL_MISSING_KERNELS",
            "what happens to an operator that a device has no kernel for: 'host' has it run on the CPU, with "
            "copies both ways and a warning, 'error' raises a TypeError",
        ),
        *_work("MYCEL_POISON_MEMORY", "1: memory of a device holds no numbers until it is written"),
        *_work("MYCEL_RECORDINGS", "off: no compiled function is recorded on a device as a whole"),
        *_nothing("CUDA_VISIBLE_DEVICES", "it only concerns GPUs"),
        *_nothing(
            "MS_ENABLE_GE MS_ENABLE_FORMAT_MODE MS_ASCEND_CHECK_OVERFLOW_MODE MS_DISABLE_PREBUILD", _ASCEND
        ),
        *_nothing(
            "MS_HCCL_CM_INIT MS_ENABLE_LCCL HCCL_CONNECT_TIMEOUT PROFILING_MODE PROFILING_OPTIONS", _ASCEND
        ),
        # Other processes.
        *_work(
            "RANK_SIZE MS_WORKER_NUM OMPI_COMM_WORLD_SIZE PMI_SIZE MV2_COMM_WORLD_SIZE",
            _TELLS_OF_OTHERS,
            "_world.py",
        ),
        *_work("SLURM_STEP_NUM_TASKS WORLD_SIZE LOCAL_RANK", _TELLS_OF_OTHERS, "_world.py"),
        *_work("RANK_ID OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK", _TELLS_OF_OTHERS, "_world.py"),
        *_work(
            "MS_ROLE MS_SERVER_NUM RANK_TABLE_FILE MINDSPORE_HCCL_CONFIG_PATH", _TELLS_OF_OTHERS, "_world.py"
        ),
        *_work("MS_NODE_ID", "the number of the process in names of log files"),
        *_nothing("MS_SCHED_HOST MS_SCHED_PORT MS_WORKER_IP MS_NODE_RANK", _OTHERS),
        *_nothing("MS_TOPO_TIMEOUT MS_NODE_TIMEOUT MS_RECEIVE_MSG_TIMEOUT", _OTHERS),
        *_refuse(
            "MS_SIMULATION_LEVEL MS_ENABLE_RECOVERY MS_RECOVERY_PATH GROUP_INFO_FILE DUMP_PARALLEL_INFO",
            _OTHERS,
        ),
        # Data and files.
        *_work(
            "MS_FREE_DISK_CHECK",
            "false: writing MindRecord does not look for space first",
            "mindrecord/filewriter.py",
        ),
        *_refuse(
            "DATASET_ENABLE_NUMA", "threads are not bound to a memory node; start the program with 'numactl'"
        ),
        *_work("MS_CACHE_HOST MS_CACHE_PORT", "host and port of the cache server, where none is given"),
        *_work("MYCEL_CACHE_DIR", "the folder of cache servers, instead of /tmp/mindspore"),
        *_work("XDG_RUNTIME_DIR", "holds the folder of cache servers where /tmp/mindspore cannot be used"),
        *_refuse(
            "MS_PROFILER_OPTIONS",
            "make a mindspore.Profiler, or a mindspore.profiler.EnvProfiler, in the program",
        ),
        *_work(
            "MS_ENABLE_MINDIO_GRACEFUL_EXIT MS_MINDIO_TTP_LIB_PATH",
            "whether `MindIOTTPAdapter` is used on an Ascend cluster",
            "train/callback/_mindio_ttp.py",
        ),
        # Looking inside.
        *_refuse("MINDSPORE_DUMP_CONFIG MS_DIAGNOSTIC_DATA_PATH", _DUMP),
        *_refuse("MS_RDR_ENABLE MS_RDR_MODE MS_RDR_PATH", _RECORDER),
        *_refuse("ENABLE_MS_DEBUGGER MS_DEBUGGER_HOST MS_DEBUGGER_PORT MS_DEBUGGER_PARTIAL_MEM", _DEBUGGER),
        *_nothing("MS_OM_PATH", "a graph that could not be compiled is written to 'save_graphs_path'"),
    ],
    spelling="{name}={value}",
)

_SWITCHED_OFF = ("", "0", "false", "off")


def warn_of_refused_variables() -> None:
    """One warning for every variable that is set and asks for what is not there."""
    for name, setting in ENVIRONMENT.settings.items():
        asked = os.environ.get(name)
        if setting.state is State.REFUSED and asked is not None and asked.lower() not in _SWITCHED_OFF:
            logger.warning("The environment variable %s=%s has no effect: %s.", name, asked, setting.about)
