# SPDX-License-Identifier: Apache-2.0
"""The landscape of the loss around the way that training took."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np

from mindspore import log as logger
from mindspore.common.tensor import Tensor
from mindspore.train import _protobuf as pb
from mindspore.train.serialization import load_checkpoint, save_checkpoint
from mindspore.train.summary._summary_adapter import tensor_message
from mindspore.train.summary.enums import PluginEnum
from mindspore.train.summary.summary_record import SummaryRecord, made_folder

_CHECKPOINT_FOLDER = "ckpt_dir"
_FACTS_FILE = "train_metadata.json"
_MARGIN = 0.2  # how far the landscape goes beyond the way, in parts of its extent


class LandscapeCheckpoints:
    """Saves the parameters at the steps or epochs for which a landscape is wanted.

    Args:
        summary_dir (str): Folder of the summary; the files go into a folder in it.
        settings (dict): "landscape_size", "unit", "num_samples", "create_landscape" and "intervals".
    """

    def __init__(self, summary_dir: str, settings: dict):
        self._folder = os.path.join(summary_dir, _CHECKPOINT_FOLDER)
        self._settings = settings
        self._wanted = {number for interval in settings.get("intervals", ()) for number in interval}
        self._files: dict[str, str] = {}

    def step_end(self, params) -> None:
        """Saves the parameters if the step is one of those."""
        unit, number = self._settings.get("unit", "step"), params.cur_step_num
        steps = params.get("batch_num") or 1
        if unit == "epoch":
            if number % steps:
                return
            number //= steps
        if number not in self._wanted:
            return
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        network = params.get("network") or params.train_network
        path = os.path.join(self._folder, f"{type(network).__name__}_{number}_{unit}.ckpt")
        save_checkpoint(network, path)
        self._files[str(number)] = path

    def end(self, params) -> None:
        """Writes down which files there are."""
        if not self._files:
            return
        facts = {
            "epoch_group": dict(enumerate(self._settings.get("intervals", []), 1)),
            "model_params_file_map": self._files,
            "step_per_epoch": params.get("batch_num") or 1,
            "unit": self._settings.get("unit", "step"),
            "num_samples": self._settings.get("num_samples", 2048),
            "landscape_size": self._settings.get("landscape_size", 40),
            "create_landscape": self._settings.get("create_landscape", {"train": True, "result": True}),
        }
        path = os.path.join(self._folder, _FACTS_FILE)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(facts, file)
        os.chmod(path, 0o600)


def _point(x, y, z=None) -> bytes:
    parts = [(1, x), (2, y)] + ([(3, z)] if z is not None else [])
    return b"".join(pb.block(field, tensor_message(np.asarray(value))) for field, value in parts)


class _Plane:
    """The plane through the last of some points on which the others are as far apart as they can be."""

    def __init__(self, points: np.ndarray):
        self._end = points[-1]
        offsets = points - self._end
        _, _, directions = np.linalg.svd(offsets, full_matrices=False)
        self._axes = np.zeros((2, points.shape[1]))
        self._axes[: min(2, len(directions))] = directions[:2]
        self.places = offsets @ self._axes.T

    def range_of(self, axis: int, size: int) -> np.ndarray:
        low, high = self.places[:, axis].min(), self.places[:, axis].max()
        margin = _MARGIN * (high - low) or 1.0
        return np.linspace(low - margin, high + margin, size)

    def at(self, x: float, y: float) -> np.ndarray:
        return self._end + x * self._axes[0] + y * self._axes[1]


class SummaryLandscape:
    """Computes the landscape of the loss from what a `SummaryCollector` has saved.

    Args:
        summary_dir (str): The folder of the collector.

    Raises:
        TypeError: It is not a string.
        ValueError: It is blank.
    """

    def __init__(self, summary_dir):
        self._summary_dir = made_folder(summary_dir, "summary_dir")
        self._folder = os.path.join(self._summary_dir, _CHECKPOINT_FOLDER)

    def gen_landscapes_with_multi_process(
        self, callback_fn, collect_landscape=None, device_ids=None, output=None
    ):
        """Computes the landscapes and records them as event files.

        Args:
            callback_fn (Callable): Gives the model, the network, the dataset and the metrics, of which one
                must be the loss.
            collect_landscape (dict): Changes what the collector was told: "landscape_size", "unit",
                "num_samples", "create_landscape", "intervals". Default: ``None``.
            device_ids (List[int]): Accepted for compatibility; one process computes. Default: ``None``.
            output (str): Folder of the files. Default: ``None``, that of the collector.

        Raises:
            ValueError: There are no checkpoints, or no metric is a loss.
        """
        from mindspore.train.callback._summary_settings import check_landscape

        check_landscape(collect_landscape)
        facts = self._facts(collect_landscape or {})
        model, network, dataset, metrics = callback_fn()
        name = next((key for key, metric in metrics.items() if type(metric).__name__ == "Loss"), None)
        if name is None:
            raise ValueError("For 'SummaryLandscape', one of the metrics must be the loss.")

        def loss_at(weights) -> float:
            self._put(network, weights)
            return float(model.eval(dataset)[name])

        groups = self._groups(facts)
        messages = [
            (f"landscape_{sorted({group[0], group[-1]})}", self._landscape(facts, group, loss_at))
            for group in groups
        ]
        with SummaryRecord(output or self._summary_dir) as record:
            for tag, message in messages:
                record.add_value(PluginEnum.LANDSCAPE.value, tag, message)
            record.record(0)

    def clean_ckpt(self):
        """Deletes the checkpoints of the collector."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _facts(self, changes: dict) -> dict:
        path = os.path.join(self._folder, _FACTS_FILE)
        if not os.path.isfile(path):
            raise ValueError(
                f"For 'SummaryLandscape', {path} does not exist: run a training with a SummaryCollector that "
                "collects a landscape first."
            )
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        if "intervals" in changes:
            facts["epoch_group"] = dict(enumerate(changes["intervals"], 1))
        facts.update({key: value for key, value in changes.items() if key != "intervals"})
        return facts

    @staticmethod
    def _groups(facts: dict) -> list[list[int]]:
        """The intervals whose checkpoints are all there; the whole way stands for the result."""
        known = facts["model_params_file_map"]
        intervals = [
            [number for number in interval if str(number) in known]
            for interval in facts["epoch_group"].values()
        ]
        groups = [interval for interval in intervals if len(interval) > 1]
        if not facts["create_landscape"].get("train", True):
            groups = []
        if facts["create_landscape"].get("result", True) and known:
            groups.append([max(int(number) for number in known)])
        if not groups:
            logger.warning("There are no checkpoints for a landscape.")
        return groups

    def _landscape(self, facts: dict, group: list[int], loss_at) -> bytes:
        files = facts["model_params_file_map"]
        numbers = group if len(group) > 1 else sorted(int(number) for number in files)
        points = np.stack([self._weights(load_checkpoint(files[str(number)])) for number in numbers])
        plane, size = _Plane(points), facts["landscape_size"]
        x, y = plane.range_of(0, size), plane.range_of(1, size)
        z = np.array([[loss_at(plane.at(a, b)) for a in x] for b in y])
        ends = [loss_at(point) for point in points]
        path = pb.block(2, _point(plane.places[:, 0], plane.places[:, 1], ends))
        path = b"".join(pb.integer(1, number) for number in numbers) + path
        about = pb.block(1, "PCA") + pb.block(2, facts["unit"]) + pb.integer(3, facts["step_per_epoch"])
        landscape = pb.block(1, _point(x, y, z))
        if len(group) > 1:
            return landscape + pb.block(2, path) + pb.block(3, about)
        return landscape + pb.block(3, about) + pb.block(4, _point([0.0], [0.0], [ends[-1]]))

    @staticmethod
    def _weights(parameters: dict) -> np.ndarray:
        arrays = [value.asnumpy() for value in parameters.values() if isinstance(value, Tensor)]
        return np.concatenate([array.reshape(-1).astype(np.float64) for array in arrays])

    @staticmethod
    def _put(network, weights: np.ndarray) -> None:
        at = 0
        for parameter in network.get_parameters():
            part = weights[at : at + parameter.size].reshape(parameter.shape)
            parameter.set_data(Tensor(part, parameter.dtype))
            at += parameter.size
