# SPDX-License-Identifier: Apache-2.0
"""Event files: what is recorded is read again, byte by byte as the format says."""

import io
import json
import os
import struct
import zlib

import numpy as np
import pytest
from small_training import model, rows

import mindspore as ms
from mindspore import SummaryCollector, SummaryLandscape, SummaryRecord, Tensor, nn, ops
from mindspore._c_expression import masked_crc32c
from mindspore.train import Loss, Model
from mindspore.train._protobuf import fields_of
from mindspore.train.summary_pb2 import Event


def payloads(path):
    """The events of a file, checksums and all."""
    with open(path, "rb") as file:
        content = file.read()
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        event = content[12 : 12 + length]
        assert struct.unpack("<I", content[8:12])[0] == masked_crc32c(content[:8])
        assert struct.unpack("<I", content[12 + length : 16 + length])[0] == masked_crc32c(event)
        yield event
        content = content[16 + length :]


def events(folder, suffix="_MS"):
    (name,) = [name for name in os.listdir(folder) if name.endswith(suffix)]
    found = [Event.FromString(payload) for payload in payloads(os.path.join(folder, name))]
    assert found[0].version == "MindSpore.Event:1"
    return found[1:]


def values(folder):
    return {(event.step, value.tag): value for event in events(folder) for value in event.summary.value}


def pixels(png):
    """The picture that a PNG file of the kind we write holds."""
    stream = io.BytesIO(png)
    assert stream.read(8) == b"\x89PNG\r\n\x1a\n"
    chunks = {}
    while head := stream.read(8):
        length, kind = struct.unpack(">I4s", head)
        data = stream.read(length)
        assert struct.unpack(">I", stream.read(4))[0] == zlib.crc32(kind + data)
        chunks[kind] = data
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)


def test_values(tmp_path):
    rng = np.random.default_rng(1)
    tensor, many = rng.standard_normal((2, 3)).astype(np.float32), rng.standard_normal(2000)
    many[:3] = np.nan, np.inf, -np.inf
    images = rng.random((9, 1, 2, 4)).astype(np.float32)
    with SummaryRecord(str(tmp_path)) as record:
        for step in (3, 7):
            record.add_value("scalar", "loss", Tensor(0.5 * step, ms.float32))
            record.add_value("tensor", "weights", Tensor(tensor))
            record.add_value("histogram", "many", Tensor(many))
            record.add_value("histogram", "equal", Tensor(np.ones(4, np.int32)))
            record.add_value("image", "pictures", Tensor(images))
            assert record.record(step)
        path = record.log_dir
    assert os.stat(path).st_mode & 0o777 == 0o400 and os.path.dirname(path) == str(tmp_path)
    found = values(tmp_path)
    assert found[3, "loss"].scalar_value == 1.5 and found[7, "loss"].scalar_value == 3.5
    weights = found[7, "weights"].tensor
    assert weights.dims == [2, 3] and weights.data_type == 11
    np.testing.assert_array_equal(np.float32(weights.float_data), tensor.ravel())
    histogram, finite = found[3, "many"].histogram, many[3:]
    assert (histogram.nan_count, histogram.pos_inf_count, histogram.neg_inf_count) == (1, 1, 1)
    assert (histogram.count, len(histogram.buckets)) == (2000, 90)
    assert (histogram.max, histogram.min) == (finite.max(), finite.min())
    assert sum(bucket.count for bucket in histogram.buckets) == finite.size
    assert [bucket.count for bucket in found[3, "equal"].histogram.buckets] == [0, 4]
    image = found[3, "pictures"].image
    grid = pixels(image.encoded_image)
    assert grid.shape == (image.height, image.width, 3) == (4, 32, 3)
    np.testing.assert_array_equal(grid[:2, :4, 0], (images[0, 0] * np.float32(255)).astype(np.uint8))
    np.testing.assert_array_equal(grid[2:, :4, 2], (images[8, 0] * np.float32(255)).astype(np.uint8))
    assert not grid[2:, 4:].any()


@pytest.mark.parametrize(
    "plugin, name, value, error",
    [
        ("sound", "a", Tensor(1.0), ValueError),
        ("scalar", "", Tensor(1.0), ValueError),
        ("scalar", "a", 1.0, TypeError),
        ("scalar", "a", Tensor([1.0, 2.0]), ValueError),
        ("tensor", "a", Tensor(1.0), ValueError),
        ("image", "a", Tensor(np.ones((2, 2))), ValueError),
    ],
)
def test_values_that_do_not_fit(tmp_path, plugin, name, value, error):
    with SummaryRecord(str(tmp_path)) as record, pytest.raises(error):
        record.add_value(plugin, name, value)


def test_one_record_at_a_time(tmp_path):
    with SummaryRecord(str(tmp_path)) as record:
        with pytest.raises(RuntimeError, match="only one instance is supported in a training process"):
            SummaryRecord(str(tmp_path))
        with pytest.raises(TypeError):
            record.record("1")
        with pytest.raises(ValueError):
            record.set_mode("test")
    assert not record.record(1)
    SummaryRecord(str(tmp_path)).close()


@pytest.mark.parametrize(
    "options, error",
    [
        ({"log_dir": 1}, TypeError),
        ({"log_dir": " "}, ValueError),
        ({"file_prefix": "a/b"}, ValueError),
        ({"file_suffix": 3}, TypeError),
        ({"max_file_size": "a"}, TypeError),
        ({"raise_exception": 1}, TypeError),
        ({"export_options": {"tensor_format": "npz"}}, ValueError),
    ],
)
def test_arguments(tmp_path, options, error):
    with pytest.raises(error):
        SummaryRecord(**{"log_dir": str(tmp_path), **options})


def test_limits_and_exports(tmp_path):
    with SummaryRecord(str(tmp_path), max_file_size=300, export_options={"tensor_format": "npy"}) as record:
        written = []
        for step in range(20):
            record.add_value("tensor", "a/b", Tensor(np.full(3, step, np.float32)))
            written.append(record.record(step))
        assert written[0] and not written[-1]
    assert os.path.getsize(record.log_dir) <= 300
    (folder,) = [name for name in os.listdir(tmp_path) if name.startswith("export_")]
    np.testing.assert_array_equal(np.load(tmp_path / folder / "tensor" / "a%2Fb_4.npy"), np.full(3, 4))


def test_operators_deliver_every_step(each_mode, tmp_path):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()

        def construct(self, x):
            self.tensor("input", x)
            y = x.sum()
            self.scalar("sum", y)
            return y

    net = Net()
    with SummaryRecord(str(tmp_path)) as record:
        for step in range(4):
            net(Tensor(np.full(3, step, np.float32)))
            record.record(step)
    assert {key: value.scalar_value for key, value in values(tmp_path).items() if key[1] == "sum"} == {
        (step, "sum"): 3.0 * step for step in range(4)
    }
    assert len(values(tmp_path)) == 8


class TestCollector:
    def test_a_training(self, each_mode, tmp_path):
        collector = SummaryCollector(
            str(tmp_path), collect_freq=2, custom_lineage_data={"run": 7, "why": "test"}
        )
        trained = model()
        trained.train(2, rows(), callbacks=collector)
        found = events(tmp_path)
        tags = {value.tag for event in found for value in event.summary.value}
        assert tags == {"loss/auto", "weight/auto", "bias/auto"}
        assert [event.step for event in found if event.summary.value] == [1, 2, 4, 6]
        graph = next(event.graph_def for event in found if event.graph_def.node)
        assert [parameter.name for parameter in graph.parameters][:2] == ["weight", "bias"]
        (name,) = [name for name in os.listdir(tmp_path) if name.endswith("_lineage")]
        kinds = [list(dict(fields_of(payload))) for payload in payloads(tmp_path / name)]
        assert kinds == [[1, 9], [1, 6], [1, 10]]  # pipeline, training, facts of the user's
        checkpoints = os.listdir(tmp_path / "ckpt_dir")
        assert sorted(checkpoints)[0] == "Dense_1_step.ckpt" and len(checkpoints) == 7
        facts = json.loads((tmp_path / "ckpt_dir" / "train_metadata.json").read_text())
        assert facts["unit"] == "step" and facts["step_per_epoch"] == 3

    def test_an_evaluation(self, tmp_path):
        model().eval(rows(), callbacks=SummaryCollector(str(tmp_path)))
        (name,) = os.listdir(tmp_path)
        (payload,) = payloads(tmp_path / name)
        metrics = dict(fields_of(dict(fields_of(payload))[7]))[2]
        assert list(json.loads(metrics)) == ["mae"]

    def test_only_what_was_asked_for(self, tmp_path):
        asked = {"collect_metric": True, "histogram_regular": "w.*"}
        collector = SummaryCollector(
            str(tmp_path), 1, collect_specified_data=asked, keep_default_action=False
        )
        model().train(1, rows(), callbacks=collector)
        assert len(os.listdir(tmp_path)) == 1
        assert {tag for _, tag in values(tmp_path)} == {"loss/auto", "weight/auto"}

    @pytest.mark.parametrize(
        "options, error, text",
        [
            ({"summary_dir": 3}, TypeError, "The summary_dir is invalid, the type should be string."),
            ({"summary_dir": ""}, ValueError, "it should be non-blank"),
            ({"collect_freq": 0}, ValueError, "`collect_freq` should be greater than 0, but got `0`"),
            ({"collect_freq": 0.5}, TypeError, "For `collect_freq` the type should be a valid type of"),
            ({"collect_specified_data": {"x": True}}, ValueError, "are unsupported"),
            ({"collect_specified_data": {"collect_graph": 1}}, TypeError, "but got int"),
            ({"collect_specified_data": {"histogram_regular": "*"}}, ValueError, "`histogram_regular`"),
            ({"collect_specified_data": {"collect_landscape": {"x": 1}}}, ValueError, "are unsupported"),
            ({"custom_lineage_data": {"a": None}}, TypeError, "the value of custom_lineage_data -> a"),
        ],
    )
    def test_arguments(self, tmp_path, options, error, text):
        with pytest.raises(error, match=text):
            SummaryCollector(**{"summary_dir": str(tmp_path), **options})


def test_landscape(tmp_path):
    wanted = {
        "landscape_size": 3,
        "intervals": [[1, 2, 3]],
        "create_landscape": {"train": True, "result": True},
    }
    asked = {"collect_landscape": wanted}
    collector = SummaryCollector(str(tmp_path), collect_specified_data=asked, keep_default_action=False)
    model().train(1, rows(), callbacks=collector)

    def parts():
        net, metrics = nn.Dense(2, 1), {"Loss": Loss()}
        return Model(net, nn.MSELoss(), metrics=metrics), net, rows(), metrics

    landscape = SummaryLandscape(str(tmp_path))
    landscape.gen_landscapes_with_multi_process(parts, output=str(tmp_path / "out"))
    found = values(tmp_path / "out")
    assert [tag for _, tag in found] == ["landscape_[1, 3]", "landscape_[3]"]
    way = found[0, "landscape_[1, 3]"].loss_landscape
    assert way.landscape.z.dims == [3, 3] and way.loss_path.intervals == [1, 2, 3]
    assert way.metadata.decomposition == "PCA" and all(np.isfinite(way.landscape.z.float_data))
    landscape.clean_ckpt()
    assert not (tmp_path / "ckpt_dir").exists()
    with pytest.raises(ValueError, match="does not exist"):
        landscape.gen_landscapes_with_multi_process(parts)
