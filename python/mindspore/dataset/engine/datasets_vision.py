# SPDX-License-Identifier: Apache-2.0
"""Pictures. The classes are in modules by the form of their files."""

from . import _vision_annotated, _vision_folders, _vision_matlab, _vision_packed
from ._vision_annotated import *  # noqa: F403
from ._vision_folders import *  # noqa: F403
from ._vision_matlab import *  # noqa: F403
from ._vision_packed import *  # noqa: F403

_MODULES = (_vision_annotated, _vision_folders, _vision_matlab, _vision_packed)
__all__ = [name for module in _MODULES for name in module.__all__]  # noqa: PLE0604
