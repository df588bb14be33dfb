# SPDX-License-Identifier: Apache-2.0
"""Training with a parameter server, for scripts that ask whether there is one: there is none."""

from __future__ import annotations

from mindspore.context import get_ps_context as _get_ps_context
from mindspore.context import reset_ps_context as _reset_ps_context
from mindspore.context import set_ps_context as _set_ps_context

__all__ = ["_get_ps_context", "_reset_ps_context", "_set_ps_context"]


def _is_ps_mode() -> bool:
    """Whether parameters are kept by a server."""
    return bool(_get_ps_context("enable_ps"))


def _is_role_worker() -> bool:
    """Whether this process computes for a server."""
    return False


def _is_role_pserver() -> bool:
    """Whether this process is a server."""
    return False


def _is_role_sched() -> bool:
    """Whether this process leads others."""
    return False


def _get_ps_mode_rank() -> int:
    """Number of this process among those of a server."""
    return 0


def _cache_enable() -> bool:
    """Whether embeddings of a server are cached."""
    return False


def _enable_distributed_mindrt() -> bool:
    """Whether one graph is run by several processes."""
    return False
