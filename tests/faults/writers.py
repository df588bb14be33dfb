# SPDX-License-Identifier: Apache-2.0
"""Every way to write a file of weights or of a model, in versions that can be told apart."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn
from mindspore.experimental import MapParameter
from mindspore.tools.convert import convert
from mindspore.train._mindir import export_files
from mindspore.train._onnx import files as onnx_files
from mindspore.train._onnx.importer import load_onnx

ARRAYS = 6
KEY = b"0123456789abcdef"


class Writer(NamedTuple):
    """One way to write; a test can ask which version a file holds."""

    file: str  # the file that decides
    prepared: Callable[[dict[str, np.ndarray]], Callable[[str], None]]  # from arrays to what writes them
    read: Callable[[str], dict[str, np.ndarray]]
    # What lies in the folder when it is done, as patterns of the paths below it.
    leaves: tuple[str, ...]
    makes_folders: bool = False

    def write(self, path: str, arrays: dict[str, np.ndarray]) -> None:
        """Writes a version."""
        self.prepared(arrays)(path)


def content(version: int, mib: float) -> dict[str, np.ndarray]:
    """What a version holds: numbers that tell the version and the place."""
    size = max(4, int(mib * (1 << 20)) // 4 // ARRAYS)
    return {f"p{place}": np.full(size, 100 * version + place, np.float32) for place in range(ARRAYS)}


def version_in(writer: Writer, path: str, mib: float) -> int:
    """The version a file holds; every number of it is looked at."""
    found = writer.read(path)
    version = int(found["p0"][0]) // 100
    expected = content(version, mib)
    assert sorted(found) == sorted(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, name)
    return version


def _entries(arrays: dict[str, np.ndarray]) -> list[dict]:
    return [{"name": name, "data": Tensor(values)} for name, values in arrays.items()]


def _plain(parameters: dict) -> dict[str, np.ndarray]:
    return {name: value.asnumpy() for name, value in parameters.items()}


def _checkpoint(ending: str, read_options=None, **options) -> Writer:
    def prepared(arrays: dict[str, np.ndarray]):
        entries = _entries(arrays)
        return lambda path: ms.save_checkpoint(entries, path, **options)

    return Writer(
        f"net.{ending}",
        prepared,
        lambda path: _plain(ms.load_checkpoint(path, **(read_options or {}))),
        (rf"net\.{ending}",),
    )


def _maps() -> Writer:
    """A checkpoint of map parameters, each with one row."""

    def prepared(arrays: dict[str, np.ndarray]):
        key = Tensor([7], ms.int32)
        entries = [
            MapParameter(name=name, key_tensor=key, value_tensor=Tensor(values[None]))
            for name, values in arrays.items()
        ]
        return lambda path: ms.save_checkpoint(entries, path, crc_check=True)

    return Writer(
        "net.ckpt",
        prepared,
        lambda path: {
            name: rows[0] for name, (_, rows, _) in ms.load_checkpoint(path, crc_check=True).items()
        },
        (r"net\.ckpt",),
    )


def _converted(ending: str) -> Writer:
    def prepared(arrays: dict[str, np.ndarray]):
        source = os.path.join(_sources(), "source.npz")
        np.savez(source, **arrays)
        return lambda path: convert(source, path)

    return Writer(
        f"net.{ending}", prepared, lambda path: _plain(ms.load_checkpoint(path)), (rf"net\.{ending}",)
    )


@functools.cache
def _sources() -> str:
    """A folder for what is converted, which anybody may read."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    return folder


class _Sum(nn.Cell):
    """Adds all its parameters."""

    def __init__(self, arrays: dict[str, np.ndarray]):
        super().__init__()
        for name, values in arrays.items():
            setattr(self, name, Parameter(Tensor(values), name=name))

    def construct(self, x):
        """The sum."""
        for parameter in self.get_parameters():
            x = x + parameter
        return x


@contextlib.contextmanager
def _limited(module, most: int):
    before, module.LARGEST_IN_ONE_FILE = module.LARGEST_IN_ONE_FILE, most
    try:
        yield
    finally:
        module.LARGEST_IN_ONE_FILE = before


def _export(kind: str, module, is_split: bool, **options):
    def prepared(arrays: dict[str, np.ndarray]):
        net, given = _Sum(arrays), Tensor(next(iter(arrays.values())))

        def write(path: str) -> None:
            name = path.replace("_graph.mindir", ".mindir")
            with _limited(module, 0 if is_split else 1 << 40):
                ms.export(net, given, file_name=name, file_format=kind, **options)

        return write

    return prepared


def _parameters_of(net) -> dict[str, np.ndarray]:
    return {parameter.name: parameter.asnumpy() for parameter in net.get_parameters()}


def _mindir(path: str, **options) -> dict[str, np.ndarray]:
    return _parameters_of(nn.GraphCell(ms.load(path, **options)))


def _onnx(path: str) -> dict[str, np.ndarray]:
    return _parameters_of(load_onnx(path))


WRITERS = {
    "ckpt": _checkpoint("ckpt", {"crc_check": True}, crc_check=True),
    "encrypted ckpt": _checkpoint("ckpt", {"dec_key": KEY}, enc_key=KEY),
    "ckpt of map parameters": _maps(),
    "safetensors": _checkpoint("safetensors", {"crc_check": True}, crc_check=True),
    "convert to npz": _converted("npz"),
    "convert to ckpt": _converted("ckpt"),
    "MindIR": Writer("net.mindir", _export("MINDIR", export_files, False), _mindir, (r"net\.mindir",), True),
    "encrypted MindIR": Writer(
        "net.mindir",
        _export("MINDIR", export_files, False, enc_key=KEY),
        functools.partial(_mindir, dec_key=KEY),
        (r"net\.mindir",),
        True,
    ),
    "MindIR in parts": Writer(
        "net_graph.mindir",
        _export("MINDIR", export_files, True),
        _mindir,
        (r"net_graph\.mindir", r"net_variables/data_\d+"),
        True,
    ),
    "ONNX": Writer("net.onnx", _export("ONNX", onnx_files, False), _onnx, (r"net\.onnx",), True),
    "ONNX in parts": Writer(
        "net.onnx",
        _export("ONNX", onnx_files, True),
        _onnx,
        (r"net\.onnx", r"net\.onnx(\.\d+)?\.data"),
        True,
    ),
}
