# SPDX-License-Identifier: Apache-2.0
"""Files of PyTorch, written by either and read by the other; one line of JSON is printed for each file.

python torch_files.py torch_writes folder
python torch_files.py package_reads folder
python torch_files.py package_writes folder
python torch_files.py torch_reads folder
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np

FILES = {
    "zip.pth": {},
    "legacy.pth": {"_use_new_zipfile_serialization": False},
    "protocol4.pt": {"pickle_protocol": 4},
    "nested.bin": {},
}


def tensors() -> OrderedDict:
    """Every type, views of one storage, two names of one tensor, nothing and a single number."""
    import torch

    values = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    found = OrderedDict((str(kind).rpartition(".")[2], values.to(kind)) for kind in _kinds(torch))
    found["turned"], found["stepped"], found["tied"] = values.T, values[::2, 1::3], values
    found["repeated"] = values[:1].expand(3, 6)
    found["empty"], found["scalar"] = torch.zeros(0, 3), torch.tensor(2.5)
    found["parameter"] = torch.nn.Parameter(values.clone())
    return found


def _kinds(torch) -> list:
    names = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64"
    return [getattr(torch, name) for name in names.split()]


def torch_writes(folder: Path) -> None:
    """Writes all files, and the values."""
    import torch

    found = tensors()
    for name, options in FILES.items():
        content = {"epoch": 3, "state_dict": found} if name.startswith("nested") else found
        torch.save(content, folder / name, **options)
    plain = {}
    for name, value in found.items():
        value = value.detach()
        plain[name] = (value.float() if value.dtype is torch.bfloat16 else value).numpy()
    np.savez(folder / "expected.npz", **plain)


def package_reads(folder: Path) -> None:
    """Compares all files with the values."""
    import mindspore as ms

    with np.load(folder / "expected.npz") as file:
        expected = dict(file)
    for name in FILES:
        try:
            found = ms.load_checkpoint(str(folder / name))
            assert sorted(found) == sorted(expected), (sorted(found), sorted(expected))
            for key, value in found.items():
                plain = value.astype(ms.float32) if value.dtype == ms.bfloat16 else value
                np.testing.assert_array_equal(plain.asnumpy(), expected[key], key)
            print(json.dumps({"case": name, "runs": len(found), "difference": 0.0}))
        except Exception as failure:
            print(json.dumps({"case": name, "failure": f"{type(failure).__name__}: {failure}"[:600]}))


def arrays() -> dict[str, np.ndarray]:
    """What this package writes."""
    values = np.arange(24).reshape(4, 6)
    kinds = "float64 float32 float16 int64 int32 int16 int8 uint8 bool complex64 complex128"
    found = {kind: values.astype(kind) for kind in kinds.split()}
    return {**found, "empty": np.zeros((3, 0, 2), np.float32), "scalar": np.float32(2.5), "ü.名": values / 7}


def package_writes(folder: Path) -> None:
    """Writes a file as `mindspore.tools.convert` does."""
    import mindspore as ms
    from mindspore.tools._weights import write_weights

    weights = {name: ms.Tensor(value) for name, value in arrays().items()}
    write_weights(str(folder / "net.pth"), {**weights, "half": ms.Tensor([1.5, -2.0], ms.bfloat16)})


def torch_reads(folder: Path) -> None:
    """Compares it."""
    import torch

    try:
        found = torch.load(folder / "net.pth", weights_only=True)
        assert found.pop("half").float().tolist() == [1.5, -2.0]
        expected = arrays()
        assert list(found) == list(expected)
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name].numpy(), value, name)
            assert found[name].numpy().dtype == value.dtype and found[name].is_contiguous()
        print(json.dumps({"case": "net.pth", "runs": len(found), "difference": 0.0}))
    except Exception as failure:
        print(json.dumps({"case": "net.pth", "failure": f"{type(failure).__name__}: {failure}"[:600]}))


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
