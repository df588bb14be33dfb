# SPDX-License-Identifier: Apache-2.0
"""The end of a pipeline whose rows go to a training loop's queue instead of an iterator."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from mindspore.common import dtype as mstype

from ..core import checks
from ._dataset import Dataset


class TransferDataset(Dataset):
    """The result of `Dataset.device_que`: on the host the queue is the read-ahead of the pipeline itself."""

    _of_this_process = {"_iterator": None}

    def __init__(self, input_dataset, send_epoch_end=True, create_data_info_queue=False, queue_name=""):
        checks.check_type(send_epoch_end, bool, "send_epoch_end")
        checks.check_type(create_data_info_queue, bool, "create_data_info_queue")
        super().__init__(input_dataset)
        self.queue_name = queue_name
        self._send_epoch_end = send_epoch_end
        self._create_data_info_queue = create_data_info_queue
        self.column_name = input_dataset.get_col_names()
        self._iterator: Any = None
        self._times: deque = deque(maxlen=10)

    def _stage(self, build, children):
        return children[0]

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=True):
        raise RuntimeError("TransferDataset is not iterable.")

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=True):
        raise RuntimeError("TransferDataset is not iterable.")

    def __iter__(self):
        raise RuntimeError("TransferDataset is not iterable.")

    def output_shapes(self, estimate=False):
        raise RuntimeError("TransferDataset does not support obtaining output_shapes.")

    def output_types(self):
        raise RuntimeError("TransferDataset does not support obtaining output_types.")

    def send(self, num_epochs=-1):
        """Starts the pipeline."""
        from .iterators import TupleIterator

        if self._iterator is not None:
            self._iterator.stop()
        self._iterator = TupleIterator(self, num_epochs)

    def next_row(self) -> list:
        """The next row as Tensors; StopIteration at the end of an epoch."""
        if self._iterator is None:
            raise RuntimeError("No row was sent: call send() first.")
        row = next(self._iterator)
        self._times.append(time.time())
        return row

    def stop_send(self):
        """Ends the pipeline."""
        if self._iterator is not None:
            self._iterator.stop()

    def continue_send(self):
        """Kept for old scripts: rows go on as long as somebody takes them."""

    def get_data_info(self):
        """Types and shapes of a row."""
        child = self.children[0]
        types = [mstype.pytype_to_dtype(one) for one in child.output_types()]
        return types, child.output_shapes()

    def get_mbuf_queue_size(self):
        """Rows that are ready."""
        return 0 if self._iterator is None or self._iterator._stream is None else self._iterator._stream.ready

    def get_send_info(self):
        """Times of the last rows taken: [[rows before, time], ...]."""
        return [[number, moment] for number, moment in enumerate(self._times)]

    def release(self):
        """Ends the pipeline and lets its memory go."""
        self.stop_send()
        self._iterator = None
