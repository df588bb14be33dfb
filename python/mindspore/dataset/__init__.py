# SPDX-License-Identifier: Apache-2.0
"""Data pipelines: sources, operations on rows, iterators.

data = MnistDataset("folder").map(vision.Rescale(1 / 255, 0), "image").batch(32)
for image, label in data.create_tuple_iterator(num_epochs=1):
    ...
"""

import os as _os

from mindspore._later import imported_later as _imported_later
from mindspore._later import star_names as _star_names
from mindspore.dataset import audio, debug, text, transforms, utils, vision
from mindspore.dataset.callback import DSCallback, WaitedDSCallback
from mindspore.dataset.core import config
from mindspore.dataset.engine import *  # noqa: F403
from mindspore.dataset.engine import samplers

LineReader = utils.LineReader
transforms.vision = vision  # old scripts look for it there


def sync_wait_for_dataset(rank_id, rank_size, current_epoch):
    """Waits until all processes have prepared their data; a single process need not wait."""
    if rank_size > 1:
        raise RuntimeError("Waiting for the data of other processes needs the distributed package.")
    return _os.getpid()


_MODULES = "audio callback config debug engine samplers text transforms utils vision"
__getattr__, __dir__ = _imported_later(globals(), modules=_MODULES.split())
__all__ = _star_names(__dir__(), _MODULES.split())
