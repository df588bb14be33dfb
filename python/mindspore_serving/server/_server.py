# SPDX-License-Identifier: Apache-2.0
"""The server of this process: it runs from the first start function until stop(), SIGINT or SIGTERM."""

import atexit
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor

from mindspore_serving import log as logger
from mindspore_serving._arguments import check_bool, check_int, check_str
from mindspore_serving._c_serving import Server
from mindspore_serving.server import _description
from mindspore_serving.server._plan import first_log_file, version_plan
from mindspore_serving.server._servable_local import ServableStartConfig, merge_config
from mindspore_serving.server._signals import take_signals
from mindspore_serving.server._ssl import SSLConfig
from mindspore_serving.server._watcher import Watcher

_MOST_MESSAGE_MB = 512
_STOP_PATIENCE_MS = 30_000
_LOOK_EVERY_MS = 500
_LOADS_AT_ONCE = 8

_lock = threading.RLock()  # of what follows
_ending = threading.RLock()  # one thread at a time ends a server
_server = None
_most_requests = 10_000


def _running_server():
    global _server
    with _lock:
        if _server is None:
            _server = Server()
            _server.set_most_requests(_most_requests)
        return _server


def _stays_until_stopped(server, watcher):
    """The process lives as long as the server, also behind the end of the script."""
    while not server.wait(_LOOK_EVERY_MS):
        watcher.look()
    _end(server)


def _end(server):
    global _server
    with _ending:
        with _lock:
            if _server is server:
                _server = None
        server.stop(_STOP_PATIENCE_MS)


def stop():
    """Ends ports and workers. What has been asked already is answered before."""
    server = _server
    if server is not None:
        _end(server)


def _forget():
    """In a copy of the process, which has none of the server's threads."""
    global _server, _lock, _ending
    _server, _lock, _ending = None, threading.RLock(), threading.RLock()


atexit.register(stop)
os.register_at_fork(after_in_child=_forget)


def _started(start):
    """Does it; when it fails, nothing of the server stays."""
    try:
        start()
    except BaseException as error:
        if isinstance(error, RuntimeError):
            logger.error("%s", error)
        stop()
        raise


def start_servables(servable_configs, enable_lite=False):
    """Starts servables; returns when every worker process is ready.

    Args:
        servable_configs (Union[ServableStartConfig, list[ServableStartConfig], tuple[ServableStartConfig]]):
            Which.
        enable_lite (bool, optional): Has no effect: there is one way models are run. Default: ``False``.

    Raises:
        RuntimeError: Something could not be started; nothing stays of what was.
    """
    check_bool("enable_lite", enable_lite)
    if isinstance(servable_configs, ServableStartConfig):
        servable_configs = (servable_configs,)
    if not isinstance(servable_configs, (list, tuple)) or not servable_configs:
        raise RuntimeError(
            "Parameter 'servable_configs' should be ServableStartConfig or tuple/list of it, but "
            f"actually {type(servable_configs)}"
        )
    for config in servable_configs:
        if not isinstance(config, ServableStartConfig):
            raise RuntimeError(
                "The item of parameter 'servable_configs' should be ServableStartConfig, but actually "
                f"{type(config)}"
            )
    if enable_lite:
        logger.warning("'enable_lite' has no effect")
    _started(lambda: _start(servable_configs))


def _start(servable_configs):
    configs = merge_config(servable_configs)
    plans = _plans(configs)
    server = _running_server()
    take_signals(stop)
    with ThreadPoolExecutor(_LOADS_AT_ONCE) as pool:
        for done in [pool.submit(server.load, json.dumps(plan)) for plan in plans]:
            done.result()
    watcher = _watcher_for(server, servable_configs, configs)
    threading.Thread(target=_stays_until_stopped, args=(server, watcher), name="serving").start()


def _watcher_for(server, servable_configs, merged):
    """Of the servables that were started without a version."""
    asked = {(config.servable_name, config.version_number) for config in servable_configs}
    watcher = Watcher(server, lambda config: _plans([config])[0])
    for name in {name for name, version in asked if version == 0}:
        newest = max(
            (config for config in merged if config.servable_name == name), key=lambda one: one.version_number
        )
        watcher.add(newest, (name, newest.version_number) in asked)
    return watcher


def plans_for(servable_configs):
    """What the server is told to load."""
    return _plans(merge_config(servable_configs))


def _plans(configs):
    descriptions = {}
    plans = []
    for config in configs:
        name = config.servable_name
        if name not in descriptions:
            try:
                descriptions[name] = _description.describe(
                    config.servable_directory, name, first_log_file(config)
                )
            except RuntimeError as error:
                raise RuntimeError(f"Fail to start workers: {error}") from None
        plans.append(version_plan(config, descriptions[name]))
    return plans


def _listening(address, max_msg_mb_size, ssl_config):
    check_str("address", address)
    check_int("max_msg_mb_size", max_msg_mb_size, 1, _MOST_MESSAGE_MB)
    if ssl_config is not None and not isinstance(ssl_config, SSLConfig):
        raise RuntimeError("The type of ssl_config should be type of SSLConfig")
    return {
        "address": address,
        "max_msg_mb_size": max_msg_mb_size,
        "tls": ssl_config.description() if ssl_config is not None else None,
    }


def start_grpc_server(address, max_msg_mb_size=100, ssl_config=None):
    """Opens a port for gRPC: MindSpore Serving's protocol and KServe's (Open Inference Protocol).

    Args:
        address (str): ``"ip:port"`` or ``"unix:path"``.
        max_msg_mb_size (int, optional): Megabytes of the largest message, 1 to 512. Default: ``100``.
        ssl_config (SSLConfig, optional): TLS; ``None``: none. Default: ``None``.

    Raises:
        RuntimeError: The address is none or is taken, or there is a port already.
    """
    options = _listening(address, max_msg_mb_size, ssl_config)
    _started(lambda: _running_server().start_grpc(json.dumps(options)))


def start_restful_server(address, max_msg_mb_size=100, ssl_config=None, *, http_status_codes=False):
    """Opens a port for REST: MindSpore Serving's protocol and KServe's (Open Inference Protocol).

    Args:
        address (str): ``"ip:port"``.
        max_msg_mb_size (int, optional): Megabytes of the largest body, 1 to 512. Default: ``100``.
        ssl_config (SSLConfig, optional): TLS; ``None``: none. Default: ``None``.
        http_status_codes (bool, optional): Errors in MindSpore Serving's protocol have statuses of their own
            instead of 200. Default: ``False``.

    Raises:
        RuntimeError: The address is none or is taken, or there is a port already.
    """
    options = _listening(address, max_msg_mb_size, ssl_config)
    check_bool("http_status_codes", http_status_codes)
    options["http_status_codes"] = http_status_codes
    _started(lambda: _running_server().start_rest(json.dumps(options)))


def set_max_enqueued_requests(max_enqueued_requests):
    """How many requests may wait and run at a time; more are refused at once.

    Args:
        max_enqueued_requests (int): At least 1.
    """
    global _most_requests
    check_int("max_enqueued_requests", max_enqueued_requests, 1)
    _most_requests = max_enqueued_requests
    with _lock:
        if _server is not None:
            _server.set_most_requests(max_enqueued_requests)
