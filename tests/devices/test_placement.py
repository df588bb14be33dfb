# SPDX-License-Identifier: Apache-2.0
"""Where tensors are and operators run when the context names another device than the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore import _c_expression as _c


@pytest.fixture(autouse=True)
def device():
    """The simulated device, for the time of a test."""
    _c.load_plugin("libmindspore_backend_simulated.so")
    ms.set_context(device_target="Simulated", device_id=0)
    yield "Simulated"
    ms.hal.synchronize()
    ms.set_context(device_target="CPU", device_id=0)


def ramp(*shape):
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


def test_tensors_leave_the_host_when_they_are_first_used():
    x = ramp(2, 3)
    row = x[1]
    assert _c.device_of(x) == "Simulated"  # an index is an operator
    y = x + 1
    assert [_c.device_of(each) for each in (row, y)] == ["Simulated"] * 2
    np.testing.assert_array_equal((row * 2).asnumpy(), [6, 8, 10])


def test_writes_reach_views_that_were_made_before():
    x = ramp(2, 3)
    row = x[0]
    row[...] = 7
    np.testing.assert_array_equal(x.asnumpy(), [[7, 7, 7], [3, 4, 5]])


def test_an_array_keeps_what_it_showed():
    x = ramp(3)
    array = x.asnumpy()
    x += 1
    np.testing.assert_array_equal(array, [0, 1, 2])
    np.testing.assert_array_equal(x.asnumpy(), [1, 2, 3])


def test_a_device_that_is_not_there():
    with pytest.raises(RuntimeError, match="there is no device 7 of Simulated"):
        ms.set_context(device_id=7)


def test_tensors_of_two_devices_do_not_meet_by_themselves():
    x = ramp(3) + 0
    ms.set_context(device_id=1)
    y = ramp(3) * 2
    assert ms.hal.device_count() == 2
    with pytest.raises(RuntimeError, match="all inputs must be on one device"):
        x + y


def test_a_compiled_function_belongs_to_a_device():
    weight = Parameter(ramp(3), name="weight")

    @ms.jit
    def step(x):
        ops.assign_add(weight, x)
        return weight * 2

    for count in range(1, 6):
        found = step(ramp(3))
        assert _c.device_of(found) == "Simulated"
        np.testing.assert_array_equal(found.asnumpy(), (count + 1) * 2 * ramp(3).asnumpy())
    double = ms.jit(lambda x: x * 2)
    for target in ("Simulated", "CPU", "Simulated"):
        ms.set_context(device_target=target)
        found = double(ramp(3))
        assert _c.device_of(found) == target
        np.testing.assert_array_equal(found.asnumpy(), [0, 2, 4])


def test_results_do_not_depend_on_the_device():
    def trained(target):
        ms.set_context(device_target=target)
        ms.set_seed(1)
        np.random.seed(1)
        network = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dropout(p=0.5), nn.Dense(8, 1))
        network.set_train()
        optimizer = nn.Adam(network.trainable_params(), 0.01)
        gradients = ms.value_and_grad(lambda x: (network(x) ** 2).mean(), None, optimizer.parameters)

        @ms.jit
        def step(x):
            loss, found = gradients(x)
            optimizer(found)
            return loss

        return [float(step(ramp(5, 4) / (k + 1))) for k in range(8)]

    assert trained("Simulated") == trained("CPU")


def test_checkpoints_read_and_write_through_the_device(tmp_path):
    network, other = nn.Dense(3, 2), nn.Dense(3, 2)
    wanted = network(ramp(4, 3)).asnumpy()
    other(ramp(4, 3))
    path = str(tmp_path / "network.ckpt")
    ms.save_checkpoint(network, path)
    ms.load_param_into_net(other, ms.load_checkpoint(path))
    np.testing.assert_array_equal(other(ramp(4, 3)).asnumpy(), wanted)
    assert _c.device_of(other.weight) == "Simulated"


def test_events_order_streams_and_tell_the_time():
    first, second = ms.hal.Stream(), ms.hal.Stream()
    begin, end = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
    x = ramp(1000)
    with ms.hal.StreamCtx(first):
        begin.record()
        y = x * 2
        end.record()
    assert not first.query() and not end.query()
    second.wait_event(end)
    with ms.hal.StreamCtx(second):
        z = y + 1
    second.synchronize()
    assert end.query() and float(z[999].asnumpy()) == 1999
    assert begin.elapsed_time(end) >= 0
    assert ms.hal.current_stream() == ms.hal.default_stream()


def test_memory_is_counted_and_limited():
    free, total = _c.memory_information("Simulated", 0)
    assert 0 < free <= total
    before = ms.hal.memory_allocated()
    x = ops.zeros((1 << 20,), ms.float32)
    assert ms.hal.memory_allocated() == before + x.nbytes
    del x
    ms.hal.synchronize()
    assert ms.hal.memory_allocated() == before
