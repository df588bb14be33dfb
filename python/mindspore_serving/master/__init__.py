# SPDX-License-Identifier: Apache-2.0
"""The names that MindSpore Serving 1.1 and 1.2 had for the ports of `mindspore_serving.server`."""

from mindspore_serving import server
from mindspore_serving._arguments import check_int, check_str
from mindspore_serving.server import stop
from mindspore_serving.server.master import context

__all__ = ["start_grpc_server", "start_restful_server", "start_master_server", "stop", "context"]


def _address(ip, port):
    check_str("ip", ip)
    check_int("port", port, 1, 65535)
    return f"{ip}:{port}"


def start_grpc_server(ip="0.0.0.0", grpc_port=5500, max_msg_mb_size=100):
    """Opens a port for gRPC.

    Args:
        ip (str, optional): Where to listen. Default: ``"0.0.0.0"``.
        grpc_port (int, optional): The port. Default: ``5500``.
        max_msg_mb_size (int, optional): Megabytes of the largest message. Default: ``100``.
    """
    server.start_grpc_server(_address(ip, grpc_port), max_msg_mb_size)


def start_restful_server(ip="0.0.0.0", restful_port=5900, max_msg_mb_size=100):
    """Opens a port for REST.

    Args:
        ip (str, optional): Where to listen. Default: ``"0.0.0.0"``.
        restful_port (int, optional): The port. Default: ``5900``.
        max_msg_mb_size (int, optional): Megabytes of the largest body. Default: ``100``.
    """
    server.start_restful_server(_address(ip, restful_port), max_msg_mb_size)


def start_master_server(ip="127.0.0.1", master_port=6100):
    """Was where workers of other processes registered.

    Args:
        ip (str, optional): Where to listen. Default: ``"127.0.0.1"``.
        master_port (int, optional): The port. Default: ``6100``.

    Raises:
        RuntimeError: There is no such deployment any more.
    """
    raise RuntimeError(
        f"master.start_master_server({ip}:{master_port}): workers of other processes are not supported; "
        "use worker.start_servable_in_master, or server.start_servables"
    )
