# SPDX-License-Identifier: Apache-2.0
"""Iterators over a data set: each runs a pipeline of its own."""

from __future__ import annotations

import atexit
import os
import weakref
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore import log as logger

from ..core import checks, config
from ..core.text_tensor import leaves
from ._build import Build

# Weak references to the iterators that run.
ITERATORS_LIST: list[weakref.ref] = []
_END_SECONDS = 1.0  # for a function of the user's to come to its end, where nobody asked to wait for it
_END_OF_DATA = "EOF buffer encountered. User tries to fetch data beyond the specified number of epochs."


@atexit.register
def _cleanup() -> None:
    """Threads and processes must be gone before the interpreter is."""
    for reference in list(ITERATORS_LIST):
        iterator = reference()
        if iterator is not None:
            iterator.stop()
    ITERATORS_LIST.clear()
    while not _c_data.wait_for_dropped_streams(_END_SECONDS):
        pass


def _forget(reference: weakref.ref) -> None:
    if reference in ITERATORS_LIST:
        ITERATORS_LIST.remove(reference)


def check_epochs(num_epochs: Any) -> None:
    """The number of epochs an iterator may be asked for."""
    checks.check_type(num_epochs, int, "num_epochs")
    if not -1 <= num_epochs <= checks.INT32_MAX:
        raise ValueError(f"Input num_epochs is not within the required interval of [-1, {checks.INT32_MAX}].")
    if num_epochs == 0:
        raise RuntimeError(
            "Syntax error. \n\nnum_epochs should be either -1 or positive integer, num_epochs: 0"
        )


class StoppedError(RuntimeError, AttributeError):
    """The iterator was stopped. Scripts know this as an AttributeError."""


def _epochs_text(number: int) -> str:
    return "epochs without end" if number == -1 else f"{number} epochs"


class Iterator:
    """Rows of a running pipeline, epoch after epoch.

    The first error ends it: threads and processes are gone and memory is free by the time the error arrives.
    Whoever asks again is told again.
    """

    def __init__(
        self,
        dataset: Any,
        num_epochs: int = -1,
        output_numpy: bool = False,
        owner: Any = None,
        position: tuple[int, int] | None = None,
    ) -> None:
        check_epochs(num_epochs)
        self.dataset = dataset
        self.ori_dataset = dataset
        self._owner = dataset if owner is None else owner
        self._output_numpy = output_numpy
        self._build = Build()
        self._stream = None
        self._process = os.getpid()
        self._over = False
        self._failure: tuple[type[BaseException], tuple] | None = None
        epoch, row = self._first_position(dataset) if position is None else position
        try:
            self._stream = dataset._start(self._build, num_epochs, epoch, row)
            logger.info("Data begins to flow: %s, %s.", type(dataset).__name__, _epochs_text(num_epochs))
        except BaseException:
            self._build.close()
            raise
        self._columns = list(self._stream.columns)
        self._rows = row
        self._counted_from_start = row == 0
        ITERATORS_LIST.append(weakref.ref(self, _forget))

    @staticmethod
    def _first_position(dataset: Any) -> tuple[int, int]:
        step = dataset._init_step
        if not step:
            return 0, 0
        size = dataset.get_dataset_size()
        return (step // size, step % size) if size else (0, 0)

    def __iter__(self):
        return self

    def get_next(self) -> Any:
        """The next row, as `next` gives it."""
        return next(self)

    def _take(self) -> list:
        stream = self._stream
        if stream is None or self._over:
            raise self._why_over()
        try:
            row = stream.next(not self._output_numpy)
        except BaseException as error:
            # A Ctrl-C while a row was awaited leaves the pipeline as it is.
            if isinstance(error, Exception) or stream.failed:
                self._fail(error)
            raise
        if row is None or row is False:
            self._end_of_epoch(last=row is False)
            raise StopIteration
        self._rows += 1
        if self._output_numpy:
            for place, value in enumerate(row):
                if type(value) is dict:
                    row[place] = leaves(value, np.asarray)
        return row

    def _why_over(self) -> Exception:
        if self._failure is not None:
            kind, arguments = self._failure
            return kind(*arguments)
        if self._stream is not None:
            return RuntimeError(_END_OF_DATA)
        return StoppedError(
            f"Iterator does not have a running C++ pipeline. It was stopped: '{type(self).__name__}' "
            "object has no attribute '_runtime_context'."
        )

    def _fail(self, error: BaseException) -> None:
        if self._process != os.getpid():
            return
        # Not the error itself: its traceback holds the frames that hold this iterator.
        if isinstance(error, Exception):
            self._failure = (type(error), error.args)
        else:
            self._failure = (RuntimeError, (f"The iterator was ended by {type(error).__name__}.",))
        self._over = True
        self._close(_END_SECONDS)

    def _end_of_epoch(self, last: bool) -> None:
        if last and self._stream is None:
            return  # stopped by another thread in the meantime
        if self._rows == 0:
            logger.warning(
                "No records available. The pipeline gave no row in this epoch: check the source, "
                "filters, and "
                "whether 'drop_remainder' dropped everything."
            )
        if self._counted_from_start:
            self._owner._known_rows = self._rows
        self._rows = 0
        self._counted_from_start = True
        if last:
            self._over = True
            self.report_slow_stage()
            self._close()

    def report_slow_stage(self) -> None:
        """One warning when the reader waited most of the time, with the stage that was slowest."""
        from ._profile import warn_about_slow_stage

        warn_about_slow_stage(self._stream, self._owner, config)

    def stop(self) -> None:
        """Ends the pipeline; can be called any number of times, by any thread."""
        self._close()
        self._stream = None

    def _close(self, most: float | None = None) -> None:
        stream = self._stream
        if self._process != os.getpid():
            return  # a copy made by a fork: threads and processes are the parent's
        # First whatever the threads of the stream may be waiting for.
        self._build.close()
        if stream is None:
            return
        if most is None:
            stream.stop()
        else:
            stream.stop_within(most)

    def get_col_names(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    def release(self) -> None:
        """The same as `stop`, but a function of the user's is waited for a second at most."""
        self._close(_END_SECONDS)
        self._stream = None

    def __del__(self):
        if getattr(self, "_stream", None) is not None:
            self._close(_END_SECONDS)

    # Position of the iterator, to go on from it in another process.

    def state(self) -> dict[str, int]:
        """A small dict that says where the iterator is."""
        stream = self._stream
        epoch, rows = (0, 0) if stream is None else (stream.epoch, stream.rows_given)
        return {
            "epoch": epoch,
            "rows": rows * _shards(self._owner),
            "seed": config.get_seed(),
            "as_dict": int(isinstance(self, DictIterator)),
        }

    def __deepcopy__(self, memo: dict) -> Iterator:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            "An iterator of a dataset belongs to its process. Send the dataset and what 'state()' gives, and "
            "use 'mindspore.dataset.resume' there."
        )


def _shards(dataset: Any) -> int:
    """Processes that share the rows of a pipeline."""
    for node in dataset._walk():
        sampler = getattr(node, "sampler", None)
        while sampler is not None:
            if getattr(sampler, "num_shards", None):
                return sampler.num_shards
            sampler = sampler.get_child()
        if getattr(node, "num_shards", None):
            return node.num_shards
    return 1


def resume(
    dataset: Any,
    state: dict[str, int],
    num_epochs: int = -1,
    output_numpy: bool = False,
    as_dict: bool | None = None,
) -> Iterator:
    """An iterator that goes on where `state` was taken, also with another number of shards.

    Args:
        dataset (Dataset): The pipeline, made as the one that the state is of.
        state (dict): What `state()` of an iterator gave.
        num_epochs (int): Epochs in all, those before included. Default: ``-1`` , without end.
        output_numpy (bool): Rows are NumPy arrays. Default: ``False`` .
        as_dict (bool): Rows are dicts, not lists. Default: ``None`` , what they were.

    Raises:
        ValueError: The rows given so far cannot be divided among that many shards.
    """
    shards = _shards(dataset)
    if state["rows"] % shards:
        raise ValueError(
            f"The {state['rows']} rows that all shards together have given cannot be divided among {shards} "
            "shards."
        )
    config.set_seed(state["seed"])
    as_dict = state.get("as_dict", True) if as_dict is None else as_dict
    kind = DictIterator if as_dict else TupleIterator
    return kind(dataset, num_epochs, output_numpy, position=(state["epoch"], state["rows"] // shards))


class TupleIterator(Iterator):
    """Rows as lists."""

    def __next__(self) -> list:
        return self._take()


class DictIterator(Iterator):
    """Rows as dicts."""

    def __next__(self) -> dict:
        row = self._take()
        return dict(zip(self._columns, row, strict=True))


class DryRun:
    """One epoch on this thread, for getters: no processes, nothing ahead."""

    def __init__(self, dataset: Any) -> None:
        self._build = Build(dry=True)
        try:
            self._stream = dataset._start(self._build, 1)
        except BaseException:
            self._build.close()
            raise

    def __enter__(self) -> DryRun:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the run."""
        self._stream.stop()
        self._build.close()

    def __iter__(self):
        return self

    def __next__(self) -> list:
        row = self._stream.next(False)
        if not isinstance(row, list):
            self.close()
            raise StopIteration
        return row
