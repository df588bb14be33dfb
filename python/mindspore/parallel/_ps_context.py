# SPDX-License-Identifier: Apache-2.0
"""What a process is to a parameter server. There is none: every process is an ordinary one."""

from __future__ import annotations

from typing import Any

from mindspore._auto_parallel_context import get_ps_context, reset_ps_context, set_ps_context


def _get_ps_context(attr_key: str) -> Any:
    """One setting of the parameter server."""
    return get_ps_context(attr_key)


def _set_ps_context(**kwargs: Any) -> None:
    """Changes settings of the parameter server."""
    set_ps_context(**kwargs)


def _reset_ps_context() -> None:
    """All settings of the parameter server get their initial values again."""
    reset_ps_context()


def _is_ps_mode() -> bool:
    """Whether parameters are kept by a server."""
    return get_ps_context("enable_ps")


def _is_role_worker() -> bool:
    """Whether this process trains for a server."""
    return False


def _is_role_pserver() -> bool:
    """Whether this process is a server."""
    return False


def _is_role_sched() -> bool:
    """Whether this process tells servers and workers of each other."""
    return False


def _get_ps_mode_rank() -> int:
    """Which of the workers this process is."""
    return 0


def _cache_enable() -> bool:
    """Whether rows of embeddings are kept by a server."""
    return False


def _enable_distributed_mindrt() -> bool:
    """Whether processes of one graph run it together."""
    return False
