# SPDX-License-Identifier: Apache-2.0
"""Data pipelines: sources, operations on rows, iterators.

data = MnistDataset("folder").map(vision.Rescale(1 / 255, 0), "image").batch(32)
for image, label in data.create_tuple_iterator(num_epochs=1):
    ...
"""

import sys as _sys

from mindspore._later import imported_later as _imported_later
from mindspore._later import star_names as _star_names
from mindspore.dataset import audio, debug, text, transforms, utils, vision
from mindspore.dataset.core import config
from mindspore.dataset.engine import *  # noqa: F403
from mindspore.dataset.engine import DictIterator, Iterator, TupleIterator, resume, samplers
from mindspore.dataset.engine.datasets import *  # noqa: F403
from mindspore.dataset.engine.samplers import BuiltinSampler, IterSampler, Sampler

LineReader = utils.LineReader
# Scripts of the first releases look for it there.
transforms.vision = _sys.modules[f"{__name__}.transforms.vision"] = vision
ds = _sys.modules[__name__]  # `from mindspore.dataset import ds`

_MODULES = "audio callback config debug engine samplers text transforms utils vision"
__getattr__, __dir__ = _imported_later(globals(), {"mindspore": "context"}, _MODULES.split())
__all__ = _star_names(__dir__(), [*_MODULES.split(), "context"])
