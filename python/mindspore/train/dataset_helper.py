# SPDX-License-Identifier: Apache-2.0
"""What stands between a data set and the loop that runs a network over it."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator

from mindspore import context
from mindspore import log as logger
from mindspore._capture.function import captured_cell
from mindspore.common import dtype as mstype
from mindspore.nn.cell import Cell


def check_sink_size(sink_size) -> None:
    """Raises an error for a number of steps nobody can sink."""
    if isinstance(sink_size, bool) or not isinstance(sink_size, int):
        raise TypeError(f"The 'sink_size' must be int, but got {type(sink_size).__name__}.")
    if sink_size < -1 or sink_size == 0:
        raise ValueError(f"The 'sink_size' must be -1 or positive, but got sink_size {sink_size}.")


def steps_done(dataset) -> int:
    """The step at which the next iterator of a data set starts."""
    asked = getattr(dataset, "get_init_step", None)
    return asked() if asked is not None else 0


class RowFeed:
    """Rows of a data set over a number of epochs, for Python loops and for the loop in C++."""

    def __init__(self, dataset, epochs: int):
        self._iterator = dataset.create_tuple_iterator(num_epochs=epochs, do_copy=False)
        # Scripts bring their own classes as data sets, whose iterators can do no more than iterate.
        names = getattr(self._iterator, "get_col_names", None)
        self._columns = names() if names is not None else None
        self._stream = None

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns; None where the data set does not tell."""
        return self._columns

    def epoch(self) -> Iterator[list]:
        """The rows up to the end of the epoch."""
        return iter(self._iterator)

    def sink(self, network: Cell, steps: int):
        """Runs a network for this many rows, over the ends of epochs, and returns its last outputs."""
        if self._stream is None:
            from mindspore import _c_data

            self._stream = _c_data.tensor_stream(self._iterator._stream)
        captured, done, empty, outputs = captured_cell(network), 0, 0, None
        while done < steps and empty < 2:  # the first empty answer may be the end of an epoch
            taken, result = captured.run_stream(self._stream, steps - done)
            empty = 0 if taken else empty + 1
            if taken:
                done, outputs = done + taken, result
        if not done:
            raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
        return outputs

    def next_row(self) -> list:
        """The next row, whatever epoch it belongs to."""
        for _ in range(2):
            row = next(self._iterator, None)
            if row is not None:
                return row
        raise ValueError("There is no valid data in dataset, please check dataset file firstly.")

    def close(self) -> None:
        """Ends the pipeline. A function of the user's that hangs does not hold up the end of a training."""
        self._stream = None
        end = getattr(self._iterator, "release", None) or getattr(self._iterator, "stop", None)
        if end is not None:
            end()


class DatasetHelper:
    """Goes over a data set as `Model.train` does, for loops written by hand.

    Without sinking the helper gives the rows of an epoch. With sinking it gives empty tuples, one per call
    of the network that :func:`mindspore.connect_network_with_dataset` returned: data goes to the
    network on its own.

    Args:
        dataset (Dataset): The data.
        dataset_sink_mode (bool): Whether the network pulls its data itself. Default: ``True``.
        sink_size (int): Steps of a sinking call, -1 for a whole epoch. Default: ``-1``.
        epoch_num (int): How often the helper will be gone over. Default: ``1``.

    Raises:
        TypeError: `dataset_sink_mode` is not a bool, or `sink_size` not an int.
        ValueError: `sink_size` is neither -1 nor positive.
    """

    def __init__(self, dataset, dataset_sink_mode=True, sink_size=-1, epoch_num=1):
        if not isinstance(dataset_sink_mode, bool):
            raise TypeError(
                f"The argument 'dataset_sink_mode' must be bool, but got {type(dataset_sink_mode).__name__}."
            )
        check_sink_size(sink_size)
        self._dataset = dataset
        self._sinks = dataset_sink_mode
        self._rows = dataset.get_dataset_size()
        self._sink_size = self._rows if sink_size == -1 else sink_size
        epochs, done = epoch_num, steps_done(dataset)
        if dataset_sink_mode and self._rows:
            steps = done - done % self._sink_size + epoch_num * self._sink_size
            epochs = -1 if epoch_num == -1 else math.ceil(steps / self._rows)
            if epoch_num != -1 and self._sink_size % self._rows and self._rows % self._sink_size:
                logger.info(
                    "The sink_size %d and the %d steps of the dataset do not divide each other: epochs of "
                    "the loop and of the data end at different steps.",
                    self._sink_size,
                    self._rows,
                )
        elif self._rows and epoch_num != -1:
            epochs += done // self._rows
        self._feed = RowFeed(dataset, epochs)
        self.iter = self
        self._network = None

    @property
    def feed(self) -> RowFeed:
        """The rows themselves."""
        return self._feed

    def __iter__(self):
        if not self._sinks:
            return self._feed.epoch()
        if self._network is None:
            raise ValueError(
                "The dataset is not connected to a network: call 'connect_network_with_dataset' before "
                "going over a sinking DatasetHelper."
            )
        calls = 1 if _sinks_whole() else self._sink_size
        return iter([()] * calls)

    def connect(self, network) -> None:
        """Says which network pulls the data."""
        self._network = weakref.ref(network)

    def connected(self):
        """The network that pulls the data, or None."""
        return None if self._network is None else self._network()

    @property
    def sinks(self) -> bool:
        """Whether the network pulls its data itself."""
        return self._sinks

    def sink_size(self):
        """Steps of one call of the connected network."""
        return self._sink_size if self._sinks and _sinks_whole() else 1

    def types_shapes(self):
        """Types and shapes of the columns."""
        types = [mstype.pytype_to_dtype(kind) for kind in self._dataset.output_types()]
        return types, self._dataset.output_shapes()

    def dynamic_min_max_shapes(self):
        """Smallest and largest shapes of the columns; the same when shapes do not change."""
        shapes = self._dataset.output_shapes()
        return shapes, shapes

    def get_data_info(self):
        """Types and shapes of the columns of the row that comes next."""
        return self.types_shapes()

    def get_mbuf_queue_size(self):
        """Rows that are ready and wait for the network."""
        return self._feed._iterator._stream.ready

    def get_send_info(self, run_context):
        """What was fed so far: (epoch, steps of it)."""
        stream = self._feed._iterator._stream
        return stream.epoch, stream.rows_given

    def position(self) -> dict | None:
        """Where the data is, to go on from there in another process; None where it cannot tell."""
        stream = getattr(self._feed._iterator, "_stream", None)
        if stream is None or not self._rows:
            return None
        from mindspore.dataset.core.config import UNSET_SEED, get_seed

        epoch, row = divmod(stream.epoch * self._rows + stream.rows_given, self._rows)
        seed = get_seed()
        return {"epoch": epoch, "row": row, "size": self._rows, "seed": seed, "repeats": seed != UNSET_SEED}

    def stop_send(self):
        """Ends the pipeline."""
        self._feed.close()

    def release(self):
        """Ends the pipeline."""
        self._feed.close()

    def continue_send(self):
        """Goes on after an epoch; the pipeline does so by itself."""


def _sinks_whole() -> bool:
    """Whether a sinking call runs all its steps at once: compiled networks do."""
    return context.get_context("mode") == context.GRAPH_MODE


class SinkingCell(Cell):
    """A network that pulls its rows from a helper instead of taking arguments."""

    def __init__(self, network: Cell, helper: DatasetHelper):
        super().__init__(auto_prefix=False, flags=network.get_flags())
        self.network = network
        object.__setattr__(self, "helper", helper)

    def __call__(self, *args, **kwargs):
        if _sinks_whole():
            return self.helper.feed.sink(self.network, self.helper.sink_size())
        return self.network(*self.helper.feed.next_row())

    def construct(self, *inputs):
        return self.network(*inputs)


def connect_network_with_dataset(network, dataset_helper):
    """A network that pulls its data from a sinking helper.

    Args:
        network (Cell): What is run for every row.
        dataset_helper (DatasetHelper): The data, with `dataset_sink_mode=True`.

    Returns:
        Cell, to be called without arguments for every element of the helper.

    Raises:
        RuntimeError: The helper does not sink.
        ValueError: The helper belongs to another network.
    """
    if not dataset_helper.sinks:
        raise RuntimeError(
            "The dataset has been connected to network in non-sink mode: 'connect_network_with_dataset' "
            "needs a DatasetHelper with dataset_sink_mode=True."
        )
    owner = dataset_helper.connected()
    if owner is not None and owner is not network:
        raise ValueError("The dataset has been connected to other network, please check the code.")
    dataset_helper.connect(network)
    return SinkingCell(network, dataset_helper)


__all__ = ["DatasetHelper", "connect_network_with_dataset"]
