# SPDX-License-Identifier: Apache-2.0
"""Data sets, samplers, iterators."""

from mindspore._spelling import explains_missing_names as _explains_missing_names

from ..callback import DSCallback, WaitedDSCallback
from ..core import config
from ..core import text_tensor as _text_tensor
from . import datasets_audio, datasets_generated, datasets_standard_format, datasets_text, datasets_vision
from ._obs import sync_wait_for_dataset
from .cache_client import DatasetCache
from .datasets import *  # noqa: F403
from .datasets import Schema, zip
from .datasets_audio import *  # noqa: F403
from .datasets_generated import *  # noqa: F403
from .datasets_mindrecord import MindDataset
from .datasets_standard_format import *  # noqa: F403
from .datasets_text import *  # noqa: F403
from .datasets_user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from .datasets_vision import *  # noqa: F403
from .iterators import DictIterator, Iterator, TupleIterator, resume
from .samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from .serializer_deserializer import compare, deserialize, serialize, show

_SOURCES = (datasets_audio, datasets_generated, datasets_standard_format, datasets_text, datasets_vision)
__all__ = [  # noqa: PLE0604
    *{name for module in _SOURCES for name in module.__all__},
    "DSCallback",
    "DatasetCache",
    "DistributedSampler",
    "GeneratorDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "RandomSampler",
    "Schema",
    "SequentialSampler",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "compare",
    "deserialize",
    "serialize",
    "show",
    "sync_wait_for_dataset",
    "zip",
]
__getattr__ = _explains_missing_names(globals())
