# SPDX-License-Identifier: Apache-2.0
"""Transforms of images."""

from mindspore._later import imported_later as _imported_later
from mindspore._later import star_names as _star_names
from mindspore.dataset.transforms._operation import not_random
from mindspore.dataset.vision.transforms import *  # noqa: F403
from mindspore.dataset.vision.utils import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    ImageReadMode,
    Inter,
    SliceMode,
    encode_jpeg,
    encode_png,
    get_image_num_channels,
    get_image_size,
    read_file,
    read_image,
    read_video,
    read_video_timestamps,
    write_file,
    write_jpeg,
    write_png,
)

_MODULES = "c_transforms py_transforms py_transforms_util transforms utils"
__getattr__, __dir__ = _imported_later(globals(), modules=_MODULES.split())
__all__ = _star_names(__dir__(), _MODULES.split())
