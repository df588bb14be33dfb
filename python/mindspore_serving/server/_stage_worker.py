# SPDX-License-Identifier: Apache-2.0
"""`python -m mindspore_serving.server._stage_worker`: runs the Python stages of one servable for the server
that started it, over descriptor 3."""

import ctypes
import json
import os
import signal
import socket
import sys
import time
import traceback

import numpy as np

from mindspore_serving import log as logger
from mindspore_serving._c_serving import WorkerChannel
from mindspore_serving.server._config_module import import_config
from mindspore_serving.server.register import model
from mindspore_serving.server.register._values import sendable

_DESCRIPTOR = 3
_PR_SET_PDEATHSIG = 1
_UNCHANGED = np.empty(0, np.uint8)


def _load(text):
    folder = json.loads(text)["servable"]["folder"]
    return import_config(os.path.dirname(folder), os.path.basename(folder)).functions


def _one_result(result, stage):
    """A stage's result for one instance as a tuple of values that can be sent."""
    values = result if isinstance(result, (list, tuple)) else (result,)
    if len(values) != stage.outputs_count:
        raise RuntimeError(
            f"The outputs number {len(values)} of one instance returned by function "
            f"'{stage.function.__name__}' is not equal to the outputs number {stage.outputs_count} "
            "registered in method"
        )
    return tuple(sendable(value) for value in values)


def _contents(stage, instance):
    """Of the arrays that are used behind the stage, too: its function may write into them."""
    arrays = {place: instance[place] for place in stage.reused if isinstance(instance[place], np.ndarray)}
    return {place: array.tobytes() for place, array in arrays.items() if array.dtype.kind != "O"}


def _changes(instance, before):
    """The inputs, with nothing in the place of those that are as they were; () when all are."""
    changed = {place for place, content in before.items() if instance[place].tobytes() != content}
    if not changed:
        return ()
    return tuple(sendable(value) if i in changed else _UNCHANGED for i, value in enumerate(instance))


class _Run:
    """Instances for one stage, and what becomes of them: tuples of values, or texts that say why not."""

    def __init__(self, stage, tag, instances):
        self._stage = stage
        self._tag = tag
        self._instances = instances
        self._before = [_contents(stage, instance) for instance in instances]
        self.outcomes = []

    def by_one(self):
        for instance in self._instances:
            try:
                self._succeed(self._stage.function(*instance))
            except Exception as error:
                self._fail(error)

    def by_batches(self, size):
        end = 0
        while end < len(self._instances):
            end = min(end + max(size, 1), len(self._instances))
            while len(self.outcomes) < end:
                self._batch(tuple(self._instances[len(self.outcomes) : end]))

    def _batch(self, instances):
        """One call. Ends early when a result is an error: what comes after it is given again."""
        try:
            returned = self._stage.function(instances)
            results = iter(returned)
        except Exception as error:
            for _ in instances:
                self._fail(error)
            return
        for index in range(len(instances)):
            try:
                self._succeed(next(results))
            except StopIteration:
                missing = RuntimeError(
                    f"The number {index} of instances returned by function "
                    f"'{self._stage.function.__name__}' is not equal to the number "
                    f"{len(instances)} of instances provided to this function."
                )
                for _ in instances[index:]:
                    self._fail(missing)
                return
            except Exception as error:
                self._fail(error)
                if not hasattr(returned, "__len__"):
                    return  # a generator that has raised has ended

    def _succeed(self, result):
        place = len(self.outcomes)
        values = _one_result(result, self._stage)
        self.outcomes.append(values + _changes(self._instances[place], self._before[place]))

    def _fail(self, error):
        traceback.print_exception(type(error), error, error.__traceback__)
        sys.stderr.flush()
        self.outcomes.append(f"Call {self._tag}, {error}")


def _serve(channel):
    functions = []
    while (order := channel.read()) is not None:
        if order[0] == "load":
            try:
                functions = _load(order[1])
            except Exception as error:
                traceback.print_exc()
                channel.failed(str(error))
                return 1
            channel.ready()
            continue
        _, number, function, batch_size, tag, instances = order
        begin = time.perf_counter()
        stage = functions[function]
        run = _Run(stage, tag, instances)
        if stage.takes_batches:
            run.by_batches(batch_size)
        else:
            run.by_one()
        channel.answer(number, run.outcomes)
        if logger.is_enabled_for(20):
            logger.info(
                "WorkerRequestHandle Time Cost # %s, %d instances: %.3f ms",
                stage.function.__name__,
                len(instances),
                1000 * (time.perf_counter() - begin),
            )
        sys.stdout.flush()
    return 0


def main():
    try:
        end = socket.socket(fileno=os.dup(_DESCRIPTOR))
    except OSError:
        print("the worker of Python stages is started by a serving process, not by hand", file=sys.stderr)
        return 2
    os.set_inheritable(_DESCRIPTOR, False)
    # Without the server there is nothing to do, whatever is being computed.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    # What has come is still done; after that the socket reads as if the server were gone.
    def on_interrupt(*_):
        end.shutdown(socket.SHUT_RD)

    signal.signal(signal.SIGINT, on_interrupt)
    signal.signal(signal.SIGTERM, on_interrupt)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    channel = WorkerChannel(_DESCRIPTOR)
    model.set_channel(channel)
    return _serve(channel)


if __name__ == "__main__":
    sys.exit(main())
