# SPDX-License-Identifier: Apache-2.0
"""Data sets, samplers, iterators."""

from mindspore._later import shown_names as _shown_names
from mindspore._later import star_names as _star_names

from ..core import text_tensor as _text_tensor
from .cache_client import DatasetCache
from .datasets import (
    BatchInfo,
    Dataset,
    MappableDataset,
    Schema,
    Shuffle,
    SourceDataset,
    zip,
)
from .datasets_audio import *  # noqa: F403
from .datasets_generated import *  # noqa: F403
from .datasets_mindrecord import MindDataset
from .datasets_standard_format import *  # noqa: F403
from .datasets_text import *  # noqa: F403
from .datasets_user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from .datasets_vision import *  # noqa: F403
from .iterators import resume
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

__all__ = _star_names(_shown_names(globals()))
