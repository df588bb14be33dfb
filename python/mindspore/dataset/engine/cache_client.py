# SPDX-License-Identifier: Apache-2.0
"""The client side of the row cache."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from mindspore import _c_data
from mindspore._c_expression import masked_crc32c

from ..core import checks, config

_LOCAL_HOST = "127.0.0.1"
_MOST_DESCRIPTION = 1 << 16  # bytes; a digest stands for more
_FAILURE_POLICIES = ("raise", "bypass")


class CacheServiceStat:
    """Figures of a cache.

    Attributes:
        avg_cache_sz (int): Mean bytes of a row.
        num_mem_cached (int): Rows in memory.
        num_disk_cached (int): Rows on disk.
    """

    def __init__(self, num_mem_cached: int, num_disk_cached: int, avg_cache_sz: int) -> None:
        self.avg_cache_sz = avg_cache_sz
        self.num_mem_cached = num_mem_cached
        self.num_disk_cached = num_disk_cached

    def __repr__(self) -> str:
        return (
            f"CacheServiceStat(avg_cache_sz={self.avg_cache_sz}, num_mem_cached={self.num_mem_cached}, "
            f"num_disk_cached={self.num_disk_cached})"
        )


class DatasetCache:
    """Keeps the rows of a source or of a `map` on a cache server, for later epochs, pipelines and programs.

    The server is started with ``cache_admin --start`` , a session made with ``cache_admin -g`` . Nothing is
    asked of the server before a pipeline starts.

    Args:
        session_id (int): The session.
        size (int, optional): Megabytes of rows kept in memory. Default: ``0`` , no limit but the server's.
        spilling (bool, optional): Whether rows beyond that go to the server's disk. Default: ``False`` .
        hostname (str, optional): Host of the server, which has to be this one. Default: ``None`` , the
            environment variable MS_CACHE_HOST, else ``'127.0.0.1'`` .
        port (int, optional): Port of the server. Default: ``None`` , the environment variable
            MS_CACHE_PORT, else ``50052`` .
        num_connections (int, optional): Without effect: rows that are there need no call, and one connection
            carries all others. Default: ``None`` , 12.
        prefetch_size (int, optional): Rows on disk asked for at a time. Default: ``None`` , 20.
        on_failure (str, optional): What becomes of a pipeline that loses the server: ``'raise'`` ends it with
            an error; ``'bypass'`` lets one whose source has random access go on without the cache, after a
            warning. Default: ``'raise'`` .
        check_files (bool, optional): Whether sizes and times of change of the source's files are looked at
            when a pipeline starts, so that rows of older files are never used. Default: ``True`` .

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If an argument is out of range.
        RuntimeError: If the host is another one.

    Examples:
        >>> import mindspore.dataset as ds
        >>> cache = ds.DatasetCache(session_id=1, size=0)
        >>> print(cache.port)
        50052
    """

    def __init__(
        self,
        session_id,
        size=0,
        spilling=False,
        hostname=None,
        port=None,
        num_connections=None,
        prefetch_size=None,
        on_failure="raise",
        check_files=True,
    ):
        checks.check_int_range(session_id, 1, checks.UINT32_MAX, "session_id")
        checks.check_type(size, int, "size")
        if size < 0:
            raise ValueError("Input size must be greater than 0.")
        checks.check_int_range(size, 0, checks.UINT64_MAX, "size")
        checks.check_type(spilling, bool, "spilling")
        checks.check_type(check_files, bool, "check_files")
        checks.check_type(on_failure, str, "on_failure")
        checks.check_choice(on_failure, _FAILURE_POLICIES, "on_failure")
        self.session_id = session_id
        self.size = size
        self.spilling = spilling
        self.hostname = _checked_host(hostname)
        self.port = _checked_port(port)
        self.num_connections = _number(num_connections, "num_connections", "numConnections", 12)
        self.prefetch_size = _number(prefetch_size, "prefetch_size", "cachePrefetchSize", 20)
        self.on_failure = on_failure
        self.check_files = check_files
        self._tree: str | None = None
        self._rows: Any = None  # the native side, once a pipeline has used it
        self._rows_of: tuple[str, str] | None = None

    def get_stat(self) -> CacheServiceStat:
        """Figures of the cache.

        Raises:
            RuntimeError: If no pipeline has used the cache yet, or the server is gone.
        """
        if self._rows is None:
            raise RuntimeError("Unexpected error. GetStat called but the cache is not in use yet.")
        return CacheServiceStat(*self._rows.statistics())

    def _open(self, tree: str, files: str, is_stream: bool) -> Any:
        """The native side for rows of this description; None: the pipeline has to do without."""
        if self._tree is not None and self._tree != tree:
            _c_data.raise_pipeline_error(
                "Cannot re-use a cache for a different tree! Make a DatasetCache for each; they may have the "
                "same session. If it is the same pipeline, something has changed that a function below the "
                "cache holds or uses: results kept from call to call, a count, a generator of random numbers."
            )
        self._tree = tree
        # Everybody who fills a stream has a turn of his own; other caches can be shared.
        if not is_stream and self._rows_of == (tree, files) and self._rows.is_usable:
            return self._rows
        try:
            self._rows = _c_data.open_cache(self._options(tree, files, is_stream))
        except RuntimeError as error:
            if is_stream or self.on_failure == "raise":
                raise
            from ._cached import warn_of_bypass

            warn_of_bypass(error)
            return None
        self._rows_of = (tree, files)
        return self._rows

    def _options(self, tree: str, files: str, is_stream: bool) -> dict[str, Any]:
        text = f"{tree} files={files}".encode("utf-8", "surrogateescape")
        short = text if len(text) <= _MOST_DESCRIPTION else hashlib.sha512(text).hexdigest().encode()
        return {
            "port": self.port,
            "session": self.session_id,
            "cache_id": masked_crc32c(text),
            "description": short,
            "stream": is_stream,
            "size": self.size,
            "spilling": self.spilling,
            "prefetch": self.prefetch_size,
            "bypass": self.on_failure == "bypass" and not is_stream,
        }

    def __deepcopy__(self, memo: dict) -> DatasetCache:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_rows": None, "_rows_of": None}


def _setting(argument: Any, environment: str | None, key: str, default: Any) -> Any:
    """The argument, else the environment, else the settings file, else the default."""
    if argument is not None:
        return argument
    return environment or config.cache_setting(key) or default


def _checked_host(hostname: Any) -> str:
    if hostname is not None:
        checks.check_type(hostname, str, "hostname")
    host = _setting(hostname, os.environ.get("MS_CACHE_HOST"), "cacheHost", _LOCAL_HOST)
    if host != _LOCAL_HOST:
        raise RuntimeError(
            f"Syntax error. \n\nnow cache client has to be on the same host with cache server. The host is "
            f"{host!r}, but must be {_LOCAL_HOST!r}."
        )
    return host


def _checked_port(port: Any) -> int:
    value = _setting(port, os.environ.get("MS_CACHE_PORT"), "cachePort", 50052)
    if port is None and isinstance(value, str):
        if not value.isdigit():
            raise ValueError(
                f"Cache port from env variable MS_CACHE_PORT is invalid: {value!r}. "
                "Input port is not within the required interval of [1025, 65535]."
            )
        value = int(value)
    checks.check_int_range(value, 1025, 65535, "port")
    return value


def _number(argument: Any, name: str, key: str, default: int) -> int:
    value = _setting(argument, None, key, default)
    checks.check_int_range(value, 1, checks.INT32_MAX, name)
    return value
