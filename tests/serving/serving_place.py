# SPDX-License-Identifier: Apache-2.0
"""Folders of servables for tests, and the server that has them."""

from __future__ import annotations

import socket
import textwrap
from pathlib import Path

from mindspore_serving import server
from mindspore_serving.client import Client

IMPORTS = """
import numpy as np
from mindspore_serving.server import register
"""
ADD = """
model = register.declare_model(model_file="add.mindir", model_format="MindIR", with_batch_dim=False)

@register.register_method(output_names=["y"])
def add(x1, x2):
    return register.add_stage(model, x1, x2, outputs_count=1)
"""


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


class Servables:
    """A folder of servables, and the server that has them."""

    def __init__(self, folder: Path, model: bytes):
        self.folder = folder
        self._model = model
        self._clients: list[Client] = []
        self.rest = self.grpc = ""

    def write(self, config: str, name="add", versions=(1,), files=("add.mindir",)):
        for version in versions:
            place = self.folder / name / str(version)
            place.mkdir(parents=True, exist_ok=True)
            for file in files:
                (place / file).write_bytes(self._model)
        (self.folder / name).mkdir(exist_ok=True)
        (self.folder / name / "servable_config.py").write_text(IMPORTS + textwrap.dedent(config))
        return self

    def config(self, name="add", **options):
        return server.ServableStartConfig(str(self.folder), name, **options)

    def start(self, *configs, rest=False, grpc=True):
        server.start_servables(configs or [self.config(device_ids=0)])
        if grpc:
            self.grpc = free_address()
            server.start_grpc_server(self.grpc)
        if rest:
            self.rest = free_address()
            server.start_restful_server(self.rest)
        return self

    def client(self, method="add", name="add", version=0, **options):
        made = Client(self.grpc, name, method, version, **options)
        self._clients.append(made)
        return made

    def close(self):
        for client in self._clients:
            client.close()
        server.stop()
