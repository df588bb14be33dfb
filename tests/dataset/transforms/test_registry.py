# SPDX-License-Identifier: Apache-2.0
"""What holds for every native transform: run over the samples of the schemas."""

import inspect
import pickle

import numpy as np
import pytest

from mindspore import _c_data
from mindspore.dataset import transforms, vision

NAMES = _c_data.transform_names()
SAMPLES = [(name, sample) for name in NAMES for sample in _c_data.transform_schema(name)["samples"]]


def input_of(dtype, shape):
    """Numbers that any transform can take; two-class boxes stay inside the picture."""
    values = np.random.default_rng(7).integers(0, 256, shape)
    return values.astype(dtype)


def columns_of(name, value):
    """What the transform takes: the value, and labels where its layout asks for them."""
    if _c_data.transform_schema(name)["layout"] != "labelled_batch":
        return [value]
    return [value, np.eye(len(value), dtype=np.int32)]


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_complete(name):
    schema = _c_data.transform_schema(name)
    assert schema["doc"] and schema["module"] in ("vision", "transforms")
    assert schema["samples"] or schema["layout"] == "encoded"
    for parameter in schema["parameters"]:
        assert parameter["doc"], parameter["name"]
    public = getattr({"vision": vision, "transforms": transforms}[schema["module"]], name)
    names = [p for p in inspect.signature(public).parameters if p != "to_pil"]
    assert names == [parameter["name"] for parameter in schema["parameters"]]
    assert public.__doc__ and public.random == schema["is_random"]


@pytest.mark.parametrize(("name", "sample"), SAMPLES)
def test_sample_runs_and_repeats(name, sample):
    arguments, dtype, shape = sample
    native = _c_data.make_transform(name, arguments)
    value = input_of(dtype, shape)
    before = value.copy()
    for stream in range(5):
        first = native.apply(columns_of(name, value), 11, stream)
        second = native.apply(columns_of(name, value), 11, stream)
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(value, before)


@pytest.mark.parametrize(("name", "sample"), SAMPLES)
def test_sample_takes_strided_and_read_only_input(name, sample):
    arguments, dtype, shape = sample
    if not shape:
        return
    native = _c_data.make_transform(name, arguments)
    value = input_of(dtype, shape)
    wide = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)
    wide[..., ::2] = value
    strided = wide[..., ::2]
    strided.flags.writeable = False
    dense, spread = (native.apply(columns_of(name, array), 3, 1) for array in (value, strided))
    for one, other in zip(dense, spread, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", NAMES)
def test_range_is_checked_natively(name):
    for parameter in _c_data.transform_schema(name)["parameters"]:
        if parameter["kind"] in ("integer", "real") and np.isfinite(parameter["low"]):
            samples = _c_data.transform_schema(name)["samples"]
            arguments = dict(samples[0][0]) if samples else {"size": [4, 4]}
            arguments[parameter["name"]] = (int if parameter["kind"] == "integer" else float)(
                parameter["low"] - 1
            )
            with pytest.raises(ValueError, match="required interval"):
                _c_data.make_transform(name, arguments)


def test_random_transforms_vary():
    native = _c_data.make_transform("RandomCrop", {"size": [4, 4]})
    value = input_of("uint8", (40, 40, 3))
    results = {native.apply([value], 5, stream)[0].tobytes() for stream in range(20)}
    assert len(results) > 15


def test_transform_pickles_without_its_native_part():
    resize = vision.Resize((3, 4))
    value = input_of("uint8", (8, 9, 3))
    expected = resize(value)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(resize))(value), expected)
