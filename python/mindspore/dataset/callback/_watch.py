# SPDX-License-Identifier: Apache-2.0
"""Stages around a map that report its rows to callbacks."""

from __future__ import annotations

from typing import Any


def watch(stage: Any, callbacks: list) -> Any:
    """Reports the begin of everything."""
    for callback in callbacks:
        callback.create_runtime_obj()
    return stage


def watch_ends(stage: Any, callbacks: list) -> Any:
    """Reports the end of everything."""
    return stage
