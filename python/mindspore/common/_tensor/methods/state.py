# SPDX-License-Identifier: Apache-2.0
"""What a tensor is, besides its elements."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common._tensor.methods._named import named_methods
from mindspore.ops._registry import op


def value(self) -> Tensor:
    """The tensor itself."""
    return self


def stride(self, dim=None):
    """Elements from one element to the next, by axis."""
    return self._strides() if dim is None else self._strides()[dim]


def contiguous(self) -> Tensor:
    """The tensor itself when its elements lie in row-major order, a copy otherwise."""
    return self if self.is_contiguous() else op.copy(self)


def numel(self) -> int:
    """Number of elements."""
    return self.size


def ndimension(self) -> int:
    """Number of axes."""
    return self.ndim


def assign_value(self, value) -> Tensor:
    """Takes over the elements of another tensor, in place."""
    if not self._has_data() or self.shape != value.shape or self.dtype is not value.dtype:
        self._share(op.copy(value))
        return self
    op.assign(self, value)
    return self


def set_const_arg(self, const_arg=True) -> Tensor:
    """Whether graphs treat the tensor as a constant."""
    if not isinstance(const_arg, bool):
        raise TypeError(
            "For 'set_const_arg', the type of 'const_arg' should be 'bool', but got type "
            f"'{type(const_arg).__name__}'."
        )
    if const_arg:
        self.const_arg = True
    else:
        self.__dict__.pop("const_arg", None)  # an ordinary argument of compiled functions again
    return self


def flush_from_cache(self) -> None:
    """Accepted for scripts that use remote tables; there is nothing to flush."""


def move_to(self, to, blocking=True) -> Tensor:
    """The tensor on another device.

    Args:
        to (str): 'CPU' or the name of a device.
        blocking (bool): Whether to wait for the copy. Default: ``True``.
    """
    return _c.copy_to_device(self, to)


def positive(self) -> Tensor:
    """The tensor itself."""
    from mindspore.ops.function.values import positive as check

    return check(self)


def _requires_grad(self) -> bool:
    """Whether a gradient that is being recorded reaches the tensor."""
    return self.__dict__.get("_requires_grad", _c.is_tracked(self))


def _set_requires_grad(self, flag: bool) -> None:
    self.__dict__["_requires_grad"] = flag


def is_persistent_data(self) -> bool:
    """Whether the tensor is kept outside of memory; never the case."""
    return False


def slice_num_of_persistent_data(self) -> int:
    """Parts kept outside of memory."""
    return 0


def slice_shape_of_persistent_data(self) -> tuple:
    """Shape of one part kept outside of memory."""
    return self.shape


def asnumpy_of_slice_persistent_data(self, param_key: int, slice_index: int):
    """One part kept outside of memory, as an array."""
    return self.asnumpy()


METHODS = {
    **named_methods(globals()),
    "dim": ndimension,
    "nelement": numel,
    "requires_grad": property(_requires_grad, _set_requires_grad),
}
