# SPDX-License-Identifier: Apache-2.0
"""The client side of the row cache."""

from __future__ import annotations

from typing import Any

from mindspore import log as logger

from ..core import checks


class DatasetCache:
    """Names a session of the cache server. Until the server is there, pipelines run without it."""

    def __init__(
        self,
        session_id,
        size=0,
        spilling=False,
        hostname=None,
        port=None,
        num_connections=None,
        prefetch_size=None,
    ):
        checks.check_int_range(session_id, 0, checks.UINT32_MAX, "session_id")
        checks.check_type(size, int, "size")
        if size < 0:
            raise ValueError(f"Input size={size} must be a positive number or 0.")
        checks.check_type(spilling, bool, "spilling")
        if hostname is not None:
            checks.check_type(hostname, str, "hostname")
        if port is not None:
            checks.check_int_range(port, 1025, 65535, "port")
        self.session_id = session_id
        self.size = size
        self.spilling = spilling
        self.hostname = hostname
        self.port = port
        self.num_connections = num_connections
        self.prefetch_size = prefetch_size
        logger.warning("The cache server is not there yet: the pipeline runs without a cache.")

    def get_stat(self) -> Any:
        """Figures of the session."""
        raise RuntimeError("There is no cache server to ask for figures.")

    def __deepcopy__(self, memo: dict) -> DatasetCache:
        return self
