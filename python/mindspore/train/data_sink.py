# SPDX-License-Identifier: Apache-2.0
"""A function that runs over rows of a data set on its own."""

from __future__ import annotations

from mindspore.common.api import jit
from mindspore.train.dataset_helper import RowFeed, check_sink_size


def data_sink(fn, dataset, sink_size=1, jit_config=None, input_signature=None):
    """Makes a function without arguments that runs `fn` for the next rows of a data set.

    Args:
        fn (Function): Takes the columns of a row.
        dataset (Dataset): The data; it starts over when it ends.
        sink_size (int): Rows of one call. Default: ``1``.
        jit_config (JitConfig): Compiles `fn`, if given. Default: ``None``.
        input_signature (Union[Tensor, tuple]): Shapes and types of the columns, for compiling.
            Default: ``None``.

    Returns:
        Function; it returns what `fn` returned for the last row.

    Raises:
        TypeError: `sink_size` is not an int.
        ValueError: `sink_size` is not positive.

    Supported Platforms:
        ``CPU``
    """
    check_sink_size(sink_size)
    if sink_size < 1:
        raise ValueError(f"The 'sink_size' must be positive, but got sink_size {sink_size}.")
    runs = fn
    if jit_config is not None:
        runs = jit(fn, input_signature=input_signature, jit_config=jit_config)
    feed: list[RowFeed] = []

    def sink_process(*args, **kwargs):
        if not feed:
            feed.append(RowFeed(dataset, -1))
        result = None
        for _ in range(sink_size):
            result = runs(*feed[0].next_row(), *args, **kwargs)
        return result

    return sink_process
