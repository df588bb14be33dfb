# SPDX-License-Identifier: Apache-2.0
"""Rows for training with THOR."""

from __future__ import annotations

from mindspore.train import dataset_helper


class DatasetHelper(dataset_helper.DatasetHelper):
    """Hands the rows of a data set to a training loop.

    Args:
        dataset (Dataset): The data set.
        dataset_sink_mode (bool): Whether the loop runs many steps at once. Default: ``True``.
        sink_size (int): Steps of one call of the loop; -1: the whole data set. Default: ``-1``.
        epoch_num (int): Passes over the data set. Default: ``1``.
        iter_first_order (int): First-order steps between two second-order ones; accepted for compatibility.
            Default: ``1``.
    """

    def __init__(self, dataset, dataset_sink_mode=True, sink_size=-1, epoch_num=1, iter_first_order=1):
        super().__init__(dataset, dataset_sink_mode, sink_size, epoch_num)
        self.iter_first_order = iter_first_order
