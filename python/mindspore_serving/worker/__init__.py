# SPDX-License-Identifier: Apache-2.0
"""The names that MindSpore Serving 1.1 and 1.2 had for what `mindspore_serving.server` does now."""

from mindspore_serving._arguments import check_int
from mindspore_serving.server import ServableStartConfig, distributed, register, start_servables, stop

__all__ = ["start_servable", "start_servable_in_master", "stop", "register", "distributed"]


def start_servable_in_master(
    servable_directory, servable_name, version_number=0, device_type=None, device_id=0
):
    """Starts a servable whose ports are opened in this process.

    Args:
        servable_directory (str): Folder that has the servable's.
        servable_name (str): Name of the servable.
        version_number (int, optional): ``0``: the newest. Default: ``0``.
        device_type (str, optional): "Ascend", "GPU", "CPU", "Davinci"; ``None``: what there is. Default:
            ``None``.
        device_id (int, optional): Which device. Default: ``0``.
    """
    check_int("device_id", device_id, 0)
    start_servables(
        ServableStartConfig(servable_directory, servable_name, device_id, version_number, device_type)
    )


def start_servable(
    servable_directory,
    servable_name,
    version_number=0,
    device_type=None,
    device_id=0,
    master_ip="0.0.0.0",
    master_port=6100,
    worker_ip="0.0.0.0",
    worker_port=6200,
):
    """Started a servable for a master in another process or on another machine.

    Args:
        servable_directory (str): Folder that has the servable's.
        servable_name (str): Name of the servable.
        version_number (int, optional): ``0``: the newest. Default: ``0``.
        device_type (str, optional): Kind of device. Default: ``None``.
        device_id (int, optional): Which device. Default: ``0``.
        master_ip (str, optional): Where the master listens. Default: ``"0.0.0.0"``.
        master_port (int, optional): Its port. Default: ``6100``.
        worker_ip (str, optional): Where the worker listens. Default: ``"0.0.0.0"``.
        worker_port (int, optional): Its port. Default: ``6200``.

    Raises:
        RuntimeError: There is no such deployment any more.
    """
    raise RuntimeError(
        f"worker.start_servable: servables of another process ({master_ip}:{master_port}) are not "
        "supported; start servable and ports in one process with worker.start_servable_in_master, or "
        "with server.start_servables, whose worker processes are its own"
    )
