# SPDX-License-Identifier: Apache-2.0
"""Callbacks of a map: which events come, with which numbers, and in which order."""

from __future__ import annotations

import time

import pytest

import mindspore.dataset as ds


class Recorder(ds.DSCallback):
    """Notes every event."""

    def __init__(self, step_size=1):
        super().__init__(step_size)
        self.events = []

    def note(self, name, context):
        self.events.append((name, context.cur_epoch_num, context.cur_step_num_in_epoch, context.cur_step_num))

    def ds_begin(self, ds_run_context):
        self.note("begin", ds_run_context)

    def ds_epoch_begin(self, ds_run_context):
        self.note("epoch_begin", ds_run_context)

    def ds_epoch_end(self, ds_run_context):
        self.note("epoch_end", ds_run_context)

    def ds_step_begin(self, ds_run_context):
        self.note("step_begin", ds_run_context)

    def ds_step_end(self, ds_run_context):
        self.note("step_end", ds_run_context)


def expected_events(epochs, steps, step_size):
    events = [("begin", 0, 0, 0)]
    for epoch in range(epochs):
        events.append(("epoch_begin", epoch + 1, 0, epoch * steps))
        for step in range(0, steps, step_size):
            numbers = (epoch + 1, step + 1, epoch * steps + step + 1)
            events += [("step_begin", *numbers), ("step_end", *numbers)]
        events.append(("epoch_end", epoch + 1, steps, (epoch + 1) * steps))
    return events


def run_epochs(data, epochs):
    iterator = data.create_tuple_iterator(num_epochs=epochs)
    for _ in range(epochs):
        for _ in iterator:
            pass


@pytest.mark.parametrize(
    ("epochs", "rows", "repeat", "step_size"),
    [(1, 1, 1, 1), (3, 4, 1, 1), (2, 3, 1, 2), (2, 2, 3, 1), (3, 2, 4, 3)],
)
def test_callback_sees_every_event(epochs, rows, repeat, step_size):
    callback = Recorder(step_size)
    data = ds.NumpySlicesDataset(list(range(rows)), shuffle=False).map(lambda x: x, callbacks=callback)
    run_epochs(data.repeat(repeat) if repeat > 1 else data, epochs)
    events = callback.events
    assert sorted(events) == sorted(expected_events(epochs, rows * repeat, step_size))
    assert events[0][0] == "begin"
    for kind in ("epoch", "step"):
        # Begins may run ahead of ends, but each comes in order, and before its end.
        begins = [event[1:] for event in events if event[0] == f"{kind}_begin"]
        assert begins == sorted(begins)
    for number, event in enumerate(events):
        if event[0] == "step_end":
            assert events.index(("step_begin", *event[1:])) < number
    epochs_seen = [event[:2] for event in events if event[0].startswith("epoch")]
    assert epochs_seen == [(name, e + 1) for e in range(epochs) for name in ("epoch_begin", "epoch_end")]


def test_callbacks_of_several_maps_and_lists():
    first, second, third = Recorder(), Recorder(), Recorder()
    data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False)
    data = data.map(lambda x: x, callbacks=[first, second]).map(lambda x: x, callbacks=third)
    run_epochs(data, 2)
    for callback in (first, second, third):
        assert sorted(callback.events) == sorted(expected_events(2, 3, 1))


def test_callback_is_not_called_by_getters():
    callback = Recorder()
    data = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).map(lambda x: x, callbacks=callback)
    assert data.get_dataset_size() == 4
    assert data.output_shapes() == [[]]
    assert callback.events == []


def test_callback_of_wrong_kind_is_refused():
    data = ds.NumpySlicesDataset([1, 2], shuffle=False)
    with pytest.raises(TypeError, match="Argument callbacks with value 0 is not of type"):
        data.map(lambda x: x, callbacks=0)
    with pytest.raises(TypeError, match=r"Argument callbacks\[1\] with value 0 is not of type"):
        data.map(lambda x: x, callbacks=[Recorder(), 0])
    with pytest.raises(ValueError, match="Input step_size is not within the required interval of"):
        ds.DSCallback(0)
    with pytest.raises(TypeError, match="Argument step_size with value True is not of type"):
        ds.DSCallback(True)


@pytest.mark.parametrize("base", [ds.DSCallback, ds.WaitedDSCallback])
def test_callback_without_methods_is_refused(base):
    data = ds.NumpySlicesDataset([1, 2], shuffle=False).map(
        lambda x: x, callbacks=type("Empty", (base,), {})()
    )
    with pytest.raises(AttributeError, match="Inheriting Callback class without overriding any methods"):
        data.create_tuple_iterator()


@pytest.mark.parametrize(
    "event", ["ds_begin", "ds_epoch_begin", "ds_step_begin", "ds_step_end", "ds_epoch_end"]
)
def test_callback_error_ends_the_iteration(event):
    def fail(self, ds_run_context):
        raise ValueError(f"bad {event}")

    callback = type("Bad", (ds.DSCallback,), {event: fail})()
    data = ds.NumpySlicesDataset([1, 2], shuffle=False).map(lambda x: x, callbacks=callback)
    with pytest.raises(RuntimeError, match=f"ValueError: bad {event}"):
        list(data.create_tuple_iterator(num_epochs=1))


class Follower(ds.WaitedDSCallback):
    """Notes when it may go on."""

    def __init__(self, step_size=1):
        super().__init__(step_size)
        self.events = []

    def sync_epoch_begin(self, train_run_context, ds_run_context):
        self.events.append(("data epoch", ds_run_context.cur_epoch_num, ds_run_context.cur_step_num))

    def sync_step_begin(self, train_run_context, ds_run_context):
        self.events.append(("data step", train_run_context, ds_run_context.cur_step_num))


@pytest.mark.parametrize("batch_size", [1, 2])
def test_waited_callback_follows_training(batch_size):
    follower = Follower(batch_size)
    data = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).map(lambda x: x, callbacks=follower)
    data = data.batch(batch_size)
    iterator = data.create_tuple_iterator(num_epochs=2)
    trained = 0
    for epoch in range(2):
        for _ in iterator:
            time.sleep(0.02)
            trained += 1
            follower.events.append(("train step", trained))
            follower.step_end(trained)
        follower.events.append(("train epoch", epoch + 1))
        follower.epoch_end(None)
    steps = 4 // batch_size
    expected = []
    for epoch in range(2):
        if epoch:
            expected.append(("data epoch", 2, 4))
        for step in range(epoch * steps, (epoch + 1) * steps):
            if step:
                context = step if step != steps else None  # the epoch's end was reported last
                expected.append(("data step", context, step * batch_size + 1))
            expected.append(("train step", step + 1))
        expected.append(("train epoch", epoch + 1))
    assert follower.events == expected


def test_waited_callback_gives_up():
    ds.config.set_callback_timeout(1)
    try:
        follower = Follower()
        data = ds.NumpySlicesDataset([1, 2], shuffle=False).map(lambda x: x, callbacks=follower)
        with pytest.raises(RuntimeError, match=r"RuntimeError: ds_step_begin timed out after 1 second\(s\)"):
            list(data.create_tuple_iterator(num_epochs=1))
    finally:
        ds.config.set_callback_timeout(60)


def test_waited_callback_does_not_hold_up_the_end():
    follower = Follower()
    data = ds.NumpySlicesDataset([1, 2], shuffle=False).map(lambda x: x, callbacks=follower)
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    time.sleep(0.1)
    begin = time.monotonic()
    iterator.stop()
    assert time.monotonic() - begin < 2
