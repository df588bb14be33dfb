# SPDX-License-Identifier: Apache-2.0
"""Instances that are rows of one run of a model."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore_serving.client import Client


@pytest.fixture
def serve(servables):
    """Starts the servable "model" of a network, whose method "run" is the network."""

    def start(network, inputs, **declared) -> Client:
        file = servables.folder / "exported"
        ms.export(network, *map(Tensor, inputs), file_name=str(file), file_format="MINDIR")
        names = ", ".join(f"x{i}" for i in range(len(inputs)))
        servables.write(
            f"""
            model = register.declare_model("model.mindir", "MindIR", **{declared})

            @register.register_method(output_names=["y"])
            def run({names}):
                return register.add_stage(model, {names}, outputs_count=1)
            """,
            name="model",
            files=(),
        )
        file.with_suffix(".mindir").rename(servables.folder / "model" / "1" / "model.mindir")
        servables.start(servables.config("model", device_ids=0))
        return servables.client("run", "model")

    return start


class Pick(nn.Cell):
    """Rows of a table; an index that is none is an error."""

    def __init__(self):
        super().__init__()
        self.table = ms.Parameter(np.arange(12, dtype=np.float32).reshape(4, 3), name="table")

    def construct(self, index):
        return ops.gather(self.table, index, 0)


def test_what_is_wrong_with_one_row_is_not_wrong_with_others(serve):
    client = serve(Pick(), [np.zeros((4,), np.int32)])
    answers = client.infer([{"x0": np.int32(i)} for i in (1, 99, 3)])
    assert "error" in answers[1]
    assert [answer["y"].tolist() for answer in (answers[0], answers[2])] == [[3, 4, 5], [9, 10, 11]]


class Scale(nn.Cell):
    def construct(self, x, factor):
        return x * factor


def test_rows_share_a_run_only_with_those_of_the_same_shared_value(serve):
    inputs = [np.ones((4, 2), np.float32), np.ones((1,), np.float32)]
    client = serve(Scale(), inputs, without_batch_dim_inputs=[1])
    factors = [2, 2, 5, 2, 7]
    answers = client.infer(
        [{"x0": inputs[0][0] * i, "x1": inputs[1] * factor} for i, factor in enumerate(factors)]
    )
    assert [float(answer["y"][0]) for answer in answers] == [i * f for i, f in enumerate(factors)]
