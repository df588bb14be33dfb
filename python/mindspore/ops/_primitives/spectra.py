# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms as a primitive."""

from __future__ import annotations

from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["FFTWithSize"]


class FFTWithSize(Primitive):
    """Transforms along the last axes.

    Args:
        signal_ndim (int): Number of axes, 1 to 3.
        inverse (bool): Whether the inverse transform is meant.
        real (bool): Whether the values are real.
        norm (str): ``"backward"``, ``"forward"`` or ``"ortho"``. Default: ``"backward"``.
        onesided (bool): Whether half of a real transform is given or returned. Default: ``True``.
        signal_sizes (tuple): Lengths of real values, for their inverse. Default: ``()``.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, signal_ndim, inverse, real, norm="backward", onesided=True, signal_sizes=()):
        if isinstance(signal_ndim, bool) or not isinstance(signal_ndim, int):
            raise TypeError(f"For 'FFTWithSize', the 'signal_ndim' must be an int, but got {signal_ndim}.")
        if not 1 <= signal_ndim <= 3:
            raise ValueError(
                f"For 'FFTWithSize', the 'signal_ndim' must be in [1, 3], but got {signal_ndim}."
            )
        if norm not in ("backward", "forward", "ortho"):
            raise ValueError(
                f"For 'FFTWithSize', the 'norm' must be backward, forward or ortho, but got {norm}."
            )

    def __call__(self, x):
        from mindspore import ops

        axes = tuple(range(-self.signal_ndim, 0))
        norm, others = self.norm, axes[:-1]
        if not self.real:
            return (ops.ifftn if self.inverse else ops.fftn)(x, None, axes, norm)
        if not self.inverse:
            if not self.onesided:
                return ops.fftn(x, None, axes, norm)
            half = ops.rfft(x, None, -1, norm)
            return ops.fftn(half, None, others, norm) if others else half
        sizes = tuple(self.signal_sizes) or None
        if not self.onesided:
            return ops.real(ops.ifftn(x, sizes, axes, norm))
        if others:
            x = ops.ifftn(x, None if sizes is None else sizes[:-1], others, norm)
        return ops.irfft(x, None if sizes is None else sizes[-1], -1, norm)
