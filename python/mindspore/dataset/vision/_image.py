# SPDX-License-Identifier: Apache-2.0
"""Bases of the image transforms: which implementation runs, and what a call accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore.dataset.core.checks import check_choice, check_type
from mindspore.dataset.transforms._operation import Implementation, PyTensorOperation, is_pillow
from mindspore.dataset.transforms._schema import SchemaOperation
from mindspore.dataset.vision.utils import Inter

_NATIVE_ONLY = (Inter.AREA, Inter.PILCUBIC)
_NUMPY_REFUSED = "Current Interpolation is not supported with NumPy input."


def pillow_module() -> Any:
    """What Pillow does; imported when it is first needed."""
    from mindspore.dataset.vision import _pillow

    return _pillow


class ImageTensorOperation(SchemaOperation):
    """A native image transform; a Pillow image is taken as its pixels."""

    def device(self, device_target: str = "CPU") -> ImageTensorOperation:
        """Chooses where the transform runs.

        Args:
            device_target (str, optional): ``"CPU"``. Default: ``"CPU"``.

        Returns:
            The transform itself.

        Raises:
            TypeError: If `device_target` is not a str.
            ValueError: If there is no such device.
            RuntimeError: If the device is not available.
        """
        check_type(device_target, str, "device_target")
        check_choice(device_target, ["CPU", "Ascend"], "device_target")
        if device_target == "Ascend":
            raise RuntimeError("The device 'Ascend' is not available; transforms run on 'CPU'.")
        return self

    def _value(self, value: Any) -> np.ndarray:
        if is_pillow(value):
            return np.array(value)
        if not isinstance(value, np.ndarray):
            raise TypeError(f"Input should be NumPy or PIL image, got {type(value)}.")
        return value


class PillowOrNative(ImageTensorOperation):
    """An image transform that Pillow images keep as such: `_pillow` does it."""

    antialias_error = _NUMPY_REFUSED

    def _pillow(self, img: Any) -> Any:
        raise NotImplementedError

    def _execute_py(self, img: Any) -> Any:
        """What classes of users that extend a transform define anew."""
        return self._pillow(img)

    def _mode(self) -> Inter | None:
        """The interpolation, where the transform has one."""
        return getattr(self, "interpolation", getattr(self, "resample", None))

    def _choices(self) -> tuple[Implementation, ...]:
        if self._mode() is Inter.ANTIALIAS:
            return (Implementation.PY,)
        if self._mode() in _NATIVE_ONLY:
            return (Implementation.C,)
        return (Implementation.C, Implementation.PY)

    def _call(self, inputs: Sequence[Any], stream: int) -> Any:
        if inputs and is_pillow(inputs[0]):
            if self._mode() in _NATIVE_ONLY:
                raise TypeError("Current Interpolation is not supported with PIL input.")
            return self._execute_py(*inputs)
        if self._mode() is Inter.ANTIALIAS and inputs and isinstance(inputs[0], np.ndarray):
            raise TypeError(self.antialias_error.format(type(inputs[0])))
        return super()._call(inputs, stream)

    def _native(self) -> Any:
        return None if self._mode() is Inter.ANTIALIAS else super()._native()


class PillowOperation(PyTensorOperation):
    """An image transform that only Pillow or NumPy can do."""
