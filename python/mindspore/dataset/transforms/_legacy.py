# SPDX-License-Identifier: Apache-2.0
"""The older modules of transforms, one implementation each: made from the present classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore import log as logger
from mindspore.dataset.transforms._operation import Implementation, TensorOperation, is_pillow
from mindspore.dataset.transforms._row_random import row_stream


class _Legacy:
    """Says so when it is made, and never follows its neighbours."""

    _legacy = True
    _way: Implementation

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        logger.warning(
            "'%s.%s' is deprecated from version 1.8 and will be removed in a future version. Use the class "
            "of the same name in the parent module.",
            type(self).__module__,
            type(self).__name__,
        )
        super().__init__(*args, **kwargs)
        self.implementation = self._way

    def _choices(self) -> tuple[Implementation, ...]:
        return (self._way,)


class NativeLegacy(_Legacy):
    """Of a `c_transforms` module: a Pillow image is taken as its pixels, and pixels come back."""

    _way = Implementation.C

    def __call__(self, *input_tensor_list: Any) -> Any:
        return self._call(input_tensor_list, row_stream())

    def _call(self, inputs: Sequence[Any], stream: int) -> Any:
        return super()._call([np.array(one) if is_pillow(one) else one for one in inputs], stream)


class PythonLegacy(_Legacy):
    """Of a `py_transforms` module."""

    _way = Implementation.PY

    def _native(self) -> Any:
        return None


def legacy_class(present: type[TensorOperation], kind: type, module: str) -> type:
    """The older class of the same name and signature."""
    members = {"__module__": module, "__doc__": present.__doc__, "__qualname__": present.__name__}
    signature = getattr(present, "__signature__", None)
    if signature is not None:
        members["__signature__"] = signature
    return type(present.__name__, (kind, present), members)
