# SPDX-License-Identifier: Apache-2.0
"""ONNX files that are damaged, contradict themselves or want what they must not have."""

from __future__ import annotations

import numpy as np
import pytest
from onnx_wire import encode, model, node, value

from mindspore import Tensor
from mindspore.train._onnx.importer import load_onnx

WEIGHT = {
    "dims": [3],
    "data_type": 1,
    "name": "w",
    "raw_data": np.arange(3, dtype=np.float32).tobytes(),
}
ADD = node("Add", ["x", "w"], ["y"])


def load(folder, content: bytes):
    path = folder / "model.onnx"
    path.write_bytes(content)
    return load_onnx(str(path))


def adding(weight=None, nodes=(ADD,), outputs=("y",), **more) -> bytes:
    kept = [{**WEIGHT, **(weight or {})}]
    return model(list(nodes), [value("x", (3,))], [value(name) for name in outputs], kept, **more)


def elsewhere(location, **more) -> dict:
    entries = {"location": location, **more}
    described = [{"key": key, "value": item} for key, item in entries.items()]
    return {"name": "w", "dims": [3], "data_type": 1, "data_location": 1, "external_data": described}


def with_file(entry: dict) -> bytes:
    return model([ADD], [value("x", (3,))], [value("y")], [entry])


def test_truncated_files(tmp_path):
    whole = adding()
    for length in range(len(whole)):
        try:
            load(tmp_path, whole[:length])
        except (ValueError, NotImplementedError) as error:
            assert str(error)


def test_changed_bytes_never_crash(tmp_path):
    whole = bytearray(adding())
    rng = np.random.default_rng(9)
    for _ in range(300):
        changed = bytearray(whole)
        for place in rng.integers(0, len(whole), 3):
            changed[place] = rng.integers(0, 256)
        try:
            load(tmp_path, bytes(changed))(Tensor(np.ones(3, np.float32)))
        except (ValueError, TypeError, NotImplementedError, RuntimeError) as error:
            assert str(error)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "holds no graph"),
        (b"\xff" * 40, "cannot be read"),
        (b"PK\x03\x04 not a model", "cannot be read"),
        (encode({"ir_version": 8, "graph": {"name": "g"}}), "does not say which version"),
        (adding({"dims": [4]}), "needs 16 bytes by its shape, but has 12"),
        (adding({"dims": [1 << 62, 1 << 62]}), "tensor 'w' needs .* bytes"),
        (adding({"dims": [-3]}), "impossible shape"),
        (adding({"dims": [1] * 100}), "impossible shape"),
        (adding({"data_type": 99}), "elements of type 99"),
        (adding({"data_type": 8}), "elements of type 8"),
        (
            adding(nodes=[node("Add", ["x", "lost"], ["y"])]),
            "'lost', which node 'Add y' reads, is defined nowhere",
        ),
        (adding(nodes=[ADD], outputs=["z"]), "nothing computes the output 'z'"),
        (adding(nodes=[ADD, node("Exp", ["x"], ["y"])]), "two nodes compute the value 'y'"),
        (
            adding(nodes=[node("Add", ["x", "b"], ["a"]), node("Add", ["x", "a"], ["b"])], outputs=["b"]),
            "form a cycle or are not in order",
        ),
        (adding(nodes=[node("Exp", ["y"], ["y"])]), "form a cycle"),
        (adding(nodes=[node("If", ["x"], ["y"])]), "has no 'then_branch'"),
        (
            adding(nodes=[{**ADD, "attribute": [{"name": "a", "type": 4}]}]),
            "attribute 'a' of node 'Add y' is empty",
        ),
        (model([ADD], [value("x"), value("x")], [value("y")], [WEIGHT]), "has no name or that of another"),
    ],
    ids=lambda item: item[:30] if isinstance(item, str) else "",
)
def test_damaged_files(tmp_path, content, text):
    with pytest.raises(ValueError, match=text):
        load(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (adding(nodes=[node("Riddle", ["x", "w"], ["y"])]), r"uses 'Riddle' \(node 'Riddle y'\)"),
        (adding(nodes=[node("Add", ["x", "w"], ["y"], domain="com.other")]), "'com.other.Add'"),
        (adding(opset=6), "this one has version 6"),
        (adding(opset=999), "this one has version 999"),
    ],
)
def test_what_is_not_supported(tmp_path, content, text):
    with pytest.raises(NotImplementedError, match=text):
        load(tmp_path, content)


@pytest.mark.parametrize(
    "location",
    ["../secret.bin", "/etc/hostname", "a/../../secret.bin", "", "link.bin", "folder/secret.bin", "a\0b"],
)
def test_tensors_stay_in_the_folder(tmp_path, location):
    inside = tmp_path / "inside"
    (inside / "a").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(b"\0" * 12)
    (inside / "link.bin").symlink_to(tmp_path / "secret.bin")
    (inside / "folder").symlink_to(tmp_path)
    with pytest.raises(ValueError, match="outside the model's folder|not beside the model"):
        load(inside, with_file(elsewhere(location)))


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (elsewhere("lost.bin"), "does not exist"),
        (elsewhere("data.bin", offset="8"), "reaches over the end"),
        (elsewhere("data.bin", offset="-4"), "reaches over the end"),
        (elsewhere("data.bin", offset="many"), "not a number"),
        (elsewhere("data.bin", length="4"), "its file gives it 4"),
        ({**elsewhere("data.bin"), "dims": [1 << 60]}, "reaches over the end"),
    ],
)
def test_places_in_other_files(tmp_path, entry, text):
    (tmp_path / "data.bin").write_bytes(b"\0" * 12)
    with pytest.raises(ValueError, match=text):
        load(tmp_path, with_file(entry))


def test_nesting_has_an_end(tmp_path):
    inner = {"node": [node("Exp", ["x"], ["deep"])], "output": [value("deep")]}
    for level in range(60):
        branch = node(
            "If", ["x"], [f"b{level}"], then_branch=inner, else_branch=inner if level < 1 else {"output": []}
        )
        inner = {"node": [branch], "output": [value(f"b{level}")]}
    with pytest.raises(ValueError, match="nested too deeply"):
        load(tmp_path, adding(nodes=inner["node"], outputs=["b59"]))


def test_function_that_calls_itself(tmp_path):
    endless = {
        "name": "F",
        "domain": "own",
        "input": ["a"],
        "output": ["b"],
        "node": [node("F", ["a"], ["b"], domain="own")],
    }
    with pytest.raises(ValueError, match="nested too deeply"):
        load(tmp_path, adding(nodes=[node("F", ["x"], ["y"], domain="own")], functions=[endless]))


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([node("Shape", ["x"], ["s"]), node("Reshape", ["x", "s", "w", "w", "w"], ["y"])], "Reshape"),
        ([node("Add", ["x"], ["y"])], "Add"),
        ([node("Concat", ["x", "w"], ["y"])], "no attribute 'axis'"),
        ([node("Exp", ["x"], ["y", "z"])], "gives 1 values, but 2 are expected"),
        ([node("ConstantOfShape", ["huge"], ["y"])], "impossible shape"),
        ([node("Conv", ["x", "w"], ["y"])], "Conv"),
    ],
)
def test_nodes_that_cannot_run_are_named(tmp_path, nodes, text):
    huge = {"dims": [2], "data_type": 7, "name": "huge", "int64_data": [1 << 40, 1 << 40]}
    content = model(nodes, [value("x", (3,))], [value("y")], [WEIGHT, huge])
    with pytest.raises((TypeError, ValueError, IndexError, NotImplementedError), match=text):
        load(tmp_path, content)(Tensor(np.ones(3, np.float32)))


@pytest.mark.parametrize("path", ["lost.onnx", ""])
def test_files_that_are_not_there(path):
    with pytest.raises(ValueError, match="does not exist"):
        load_onnx(path)


def test_path_of_another_type():
    with pytest.raises(TypeError, match="'path' must be a path"):
        load_onnx(3)
