# SPDX-License-Identifier: Apache-2.0
"""Settings of parallel training by functions, for scripts that ask them."""

from __future__ import annotations

from mindspore._auto_parallel_context import ParallelMode, get_auto_parallel_context


def _get_parallel_mode() -> str:
    """The parallel mode."""
    return get_auto_parallel_context("parallel_mode")


def _is_in_auto_parallel_mode() -> bool:
    """Whether strategies are given or searched."""
    return _get_parallel_mode() in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _get_device_num() -> int:
    """How many devices train together."""
    return get_auto_parallel_context("device_num")


def _get_global_rank() -> int:
    """Which of them this one is."""
    return get_auto_parallel_context("global_rank")


def _get_gradients_mean() -> bool:
    """Whether gradients are averaged over devices."""
    return get_auto_parallel_context("gradients_mean")


def _get_full_batch() -> bool:
    """Whether every device is given the whole batch."""
    return get_auto_parallel_context("full_batch")


def _get_enable_parallel_optimizer() -> bool:
    """Whether the work of the optimizer is spread over devices."""
    return get_auto_parallel_context("enable_parallel_optimizer")


def _is_sharding_propagation() -> bool:
    """Whether strategies are found by spreading those that are given."""
    return get_auto_parallel_context("search_mode") == "sharding_propagation"


def _get_pipeline_stages() -> int:
    """Into how many stages networks are cut."""
    return get_auto_parallel_context("pipeline_stages")


def _is_in_data_parallel_mode() -> bool:
    """Whether every device has the whole network."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _is_in_hybrid_parallel_mode() -> bool:
    """Whether scripts cut the network themselves."""
    return _get_parallel_mode() == ParallelMode.HYBRID_PARALLEL


def _reset_op_id() -> None:
    """Accepted for scripts that number operators anew; they are not numbered here."""
