# SPDX-License-Identifier: Apache-2.0
"""Buffers and DLPack capsules that are not what they seem."""

from __future__ import annotations

import array
import ctypes
import gc

import numpy as np
import pytest

from mindspore import _c_expression as _c

ERRORS = (TypeError, ValueError, RuntimeError, BufferError)


class Exporter:
    """An object whose `__dlpack__` gives whatever it is told."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def new_capsule(name: bytes):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    memory = ctypes.create_string_buffer(4096)
    capsule = make(ctypes.addressof(memory), name, None)
    return capsule, memory


@pytest.mark.parametrize("source", [None, 1, "text", b"bytes", [1.0], {}, object(), int, 2.5])
def test_objects_that_export_nothing(source):
    with pytest.raises(ERRORS):
        _c.from_dlpack(source)


def test_capsule_of_another_name():
    capsule, memory = new_capsule(b"something_else")
    with pytest.raises(ERRORS):
        _c.from_dlpack(capsule)
    with pytest.raises(ERRORS):
        _c.from_dlpack(Exporter(capsule))
    del memory


def test_used_capsule():
    exported = np.arange(6.0)
    capsule = exported.__dlpack__()
    assert _c.from_dlpack(Exporter(capsule)).shape == (6,)
    with pytest.raises(ERRORS):
        _c.from_dlpack(Exporter(capsule))


@pytest.mark.parametrize("failure", [ValueError("no"), KeyError("no"), RuntimeError("no")])
def test_export_that_fails(failure):
    with pytest.raises((type(failure), *ERRORS)):
        _c.from_dlpack(Exporter(failure))


@pytest.mark.parametrize("answer", [None, 5, "capsule"])
def test_export_that_is_no_capsule(answer):
    with pytest.raises(ERRORS):
        _c.from_dlpack(Exporter(answer))


def test_round_trip_keeps_the_memory_alive():
    source = np.arange(12, dtype=np.float32).reshape(3, 4)
    tensor = _c.from_dlpack(source)
    back = np.from_dlpack(_Wrapped(tensor))
    del source, tensor
    gc.collect()
    assert back.tolist() == np.arange(12.0).reshape(3, 4).tolist()


class _Wrapped:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **_):
        exported = _c.to_dlpack(self.tensor)
        return exported.__dlpack__() if hasattr(exported, "__dlpack__") else exported

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3)])
def test_odd_shapes_cross(shape):
    tensor = _c.from_dlpack(np.ones(shape, np.float32))
    assert tensor.shape == shape and tensor.asnumpy().sum() == np.prod(shape)


def test_strided_arrays_cross():
    source = np.arange(24.0).reshape(4, 6)
    assert _c.from_dlpack(source[::2, 1::2]).asnumpy().tolist() == source[::2, 1::2].tolist()
    assert _c.from_dlpack(source.T).asnumpy().tolist() == source.T.tolist()


def test_reversed_arrays_are_refused_or_right():
    source = np.arange(5.0)[::-1]
    try:
        tensor = _c.from_dlpack(source)
    except ERRORS:
        return
    assert tensor.asnumpy().tolist() == source.tolist()


@pytest.mark.parametrize(
    "buffer",
    [
        np.array(["a", "b"]),
        np.array([object()]),
        np.zeros(2, "M8[s]"),
        np.zeros(2, "i4,f4"),
        np.zeros(2, ">f4"),
        np.zeros(2, "S3"),
        np.zeros(2, np.longdouble),
    ],
    ids=lambda value: str(value.dtype),
)
def test_buffers_of_other_elements(buffer):
    for convert in (_c.from_numpy, _c.copy_numpy):
        with pytest.raises(ERRORS):
            convert(buffer)


@pytest.mark.parametrize("source", [None, 3, [1, 2], "text", object()])
def test_no_buffer_at_all(source):
    with pytest.raises(ERRORS):
        _c.from_numpy(source)


def test_buffers_of_other_libraries():
    assert _c.copy_numpy(array.array("f", [1, 2, 3])).asnumpy().tolist() == [1, 2, 3]
    assert _c.copy_numpy(bytearray(b"abc")).asnumpy().tolist() == [97, 98, 99]
    assert _c.copy_numpy(memoryview(b"abcd").cast("I")).shape == (1,)


def test_read_only_memory_is_not_written():
    source = np.arange(4.0)
    source.flags.writeable = False
    try:
        tensor = _c.from_numpy(source)
    except ERRORS:
        return
    tensor[0] = 9.0
    assert source[0] == 0


def test_lent_memory_cannot_be_resized():
    source = bytearray(b"abcd")
    tensor = _c.from_numpy(source)
    with pytest.raises(BufferError):
        source.extend(b"e")
    del tensor
    gc.collect()
    source.extend(b"e")
