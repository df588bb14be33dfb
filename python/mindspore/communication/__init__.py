# SPDX-License-Identifier: Apache-2.0
"""Processes that train together."""

from mindspore.communication.management import (
    GlobalComm,
    get_group_size,
    get_local_rank,
    get_local_rank_size,
    get_rank,
    init,
    release,
)

__all__ = [
    "GlobalComm",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_rank",
    "init",
    "release",
]
