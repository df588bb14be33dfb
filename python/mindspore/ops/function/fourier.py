# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis

__all__ = ["fft", "fft2", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift", "irfft", "rfft"]

_COMPLEX = (mstype.complex64, mstype.complex128)


def _complex(x: Tensor) -> Tensor:
    if x.dtype in _COMPLEX:
        return x
    real = x if x.dtype == mstype.float64 else op.cast(x, mstype.float32)
    return op.complex(real, op.zeros_like(real))


def _axis(name: str, x: Tensor, dim: int) -> int:
    return checked_axis(name, dim, x.ndim, "dim")


def _sized(name: str, x: Tensor, axis: int, length) -> Tensor:
    """Cut or filled with zeros to a length."""
    if length is None or length == x.shape[axis]:
        return x
    if isinstance(length, bool) or not isinstance(length, int):
        raise TypeError(f"For '{name}', a length must be an int, but got {type(length)}.")
    if length < 1:
        raise ValueError(f"For '{name}', a length must be positive, but got {length}.")
    if length < x.shape[axis]:
        return op.narrow(x, axis, 0, length)
    shape = tuple(length - n if i == axis else n for i, n in enumerate(x.shape))
    return op.concat((x, op.fill(x.dtype, shape, 0)), axis)


def _scale(name: str, norm, length: int, inverse: bool) -> float:
    kind = "backward" if norm is None else norm
    if kind not in ("backward", "ortho", "forward"):
        raise ValueError(f"For '{name}', the 'norm' must be backward, ortho or forward, but got {norm}.")
    if kind == "ortho":
        return length**-0.5
    return 1.0 / length if (kind == "backward") == inverse else 1.0


def _along(name: str, x: Tensor, axis: int, length, norm, inverse: bool) -> Tensor:
    x = _sized(name, x, axis, length)
    if x.shape[axis] == 0:
        raise ValueError(f"For '{name}', the axis {axis} must not be empty, but got shape {x.shape}.")
    scale = _scale(name, norm, x.shape[axis], inverse)
    result = op.fourier(x, axis, inverse)
    return result if scale == 1 else op.mul(result, scale)


def _transform(name: str, input, s, dim, norm, inverse: bool) -> Tensor:
    """Along several axes; without `dim` the last ones, or all."""
    x = _complex(input)
    if dim is None:
        dim = tuple(range(-len(s), 0)) if s is not None else tuple(range(x.ndim))
    axes = [_axis(name, x, d) for d in ((dim,) if isinstance(dim, int) else dim)]
    if len(set(axes)) != len(axes):
        raise ValueError(f"For '{name}', the 'dim' must not repeat an axis, but got {dim}.")
    sizes = [None] * len(axes) if s is None else ([s] if isinstance(s, int) else list(s))
    if len(sizes) != len(axes):
        raise ValueError(f"For '{name}', 's' and 'dim' must be equally long, but got {s} and {dim}.")
    for axis, length in zip(axes, sizes, strict=True):
        x = _along(name, x, axis, None if length == -1 else length, norm, inverse)
    return x


def fft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The transform along one axis.

    Args:
        input (Tensor): The values.
        n (int): Length the axis is cut or filled to. Default: ``None``.
        dim (int): The axis. Default: ``-1``.
        norm (str): ``"backward"`` (no scale), ``"ortho"`` or ``"forward"``. Default: ``None``: backward.

    Returns:
        Complex tensor.
    """
    return _transform("fft", input, None if n is None else (n,), dim, norm, False)


def ifft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The inverse transform along one axis; arguments as for `fft`."""
    return _transform("ifft", input, None if n is None else (n,), dim, norm, True)


def fft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The transform along two axes."""
    return _transform("fft2", input, s, dim, norm, False)


def ifft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The inverse transform along two axes."""
    return _transform("ifft2", input, s, dim, norm, True)


def fftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The transform along several axes; without `dim` along all."""
    return _transform("fftn", input, s, dim, norm, False)


def ifftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The inverse transform along several axes; without `dim` along all."""
    return _transform("ifftn", input, s, dim, norm, True)


def rfft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The half of the transform of real values that the other half follows from."""
    if input.dtype in _COMPLEX:
        raise TypeError(f"For 'rfft', the input must be real, but got {input.dtype}.")
    axis = _axis("rfft", input, dim)
    result = _transform("rfft", input, None if n is None else (n,), axis, norm, False)
    return op.narrow(result, axis, 0, result.shape[axis] // 2 + 1)


def irfft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The real values whose transform has the given half.

    Args:
        input (Tensor): Half of a transform.
        n (int): Length of the result; by default twice that of the half, less two. Default: ``None``.
        dim (int): The axis. Default: ``-1``.
        norm (str): Scale, as for `fft`. Default: ``None``.

    Returns:
        Real tensor.
    """
    x = _complex(input)
    axis = _axis("irfft", x, dim)
    length = 2 * (x.shape[axis] - 1) if n is None else n
    if length < 1:
        raise ValueError(f"For 'irfft', the length must be positive, but got {length}.")
    half = _sized("irfft", x, axis, length // 2 + 1)
    count = (length - 1) // 2
    if count:
        mirrored = op.conj(op.flip(op.narrow(half, axis, 1, count), (axis,)))
        half = op.concat((half, mirrored), axis)
    return op.real(_along("irfft", half, axis, None, norm, True))


def _shifted(name: str, input, dim, sign: int) -> Tensor:
    axes = range(input.ndim) if dim is None else ((dim,) if isinstance(dim, int) else dim)
    for axis in (_axis(name, input, d) for d in axes):
        length = input.shape[axis]
        first = (length + 1) // 2 if sign > 0 else length // 2
        if 0 < first < length:
            parts = op.narrow(input, axis, first, length - first), op.narrow(input, axis, 0, first)
            input = op.concat(parts, axis)
    return input


def fftshift(input, dim=None) -> Tensor:
    """The frequency 0 in the middle."""
    return _shifted("fftshift", input, dim, 1)


def ifftshift(input, dim=None) -> Tensor:
    """Undoes `fftshift`."""
    return _shifted("ifftshift", input, dim, -1)
