# SPDX-License-Identifier: Apache-2.0
"""Starts servables and the ports they are asked at."""

from mindspore_serving.server import distributed, master, register
from mindspore_serving.server._servable_local import ServableStartConfig
from mindspore_serving.server._server import (
    set_max_enqueued_requests,
    start_grpc_server,
    start_restful_server,
    start_servables,
    stop,
)
from mindspore_serving.server._ssl import SSLConfig

__all__ = [
    "start_grpc_server",
    "start_restful_server",
    "start_servables",
    "stop",
    "ServableStartConfig",
    "SSLConfig",
    "set_max_enqueued_requests",
]
