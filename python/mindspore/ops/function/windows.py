# SPDX-License-Identifier: Apache-2.0
"""Maxima of windows whose places are computed: adaptive and fractional pooling, and their inverse."""

from __future__ import annotations

import numpy as np

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.ops._registry import op
from mindspore.ops.function.volumes import pooled_maxima

__all__ = [
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

_MOST_PARTS = 1 << 16  # of one axis


def _sizes(name: str, label: str, value, axes: int, none_allowed: bool = False) -> list:
    """One number for every axis, from one or as many."""
    numbers = list(value) if isinstance(value, (tuple, list)) else [value] * axes
    for number in numbers:
        if none_allowed and number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"For '{name}', the '{label}' must be int or a tuple of ints, but got {value}.")
    if len(numbers) != axes:
        raise ValueError(f"For '{name}', the '{label}' must have {axes} numbers, but got {value}.")
    return numbers


def _require_rank(name: str, x, axes: int) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"For '{name}', the input must be a Tensor, but got {type(x)}.")
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"For '{name}', the input must have {axes + 1} or {axes + 2} axes, but got shape {x.shape}."
        )


# ---- windows -----------------------------------------------------------------------------------


def _window_index(lengths, places: list, leading: tuple) -> Tensor:
    """Cells of every window in row-major order of the volume: (leading, windows, cells of one).

    `places` has, for every axis, the positions (leading, windows, cells) along it.
    """
    axes, index = len(lengths), None
    for i, place in enumerate(places):
        parts, cells = place.shape[-2:]
        shape = [1] * (2 * axes)
        shape[i], shape[axes + i] = parts, cells
        step = int(np.prod(lengths[i + 1 :]))
        term = op.reshape(op.mul(place, step), (*leading, *shape))
        index = term if index is None else op.add(index, term)
    windows = int(np.prod([place.shape[-2] for place in places]))
    return op.reshape(index, (*leading, windows, -1))


def _maxima(x, places: list) -> tuple:
    """Largest elements of windows over the last axes of (N, C, ...), and their places in the volume."""
    axes = len(places)
    leading, lengths = tuple(x.shape[:-axes]), x.shape[-axes:]
    shape = (*leading, *(place.shape[-2] for place in places))
    flat = op.reshape(x, (*leading, -1))
    is_common = places[0].ndim == 2
    index = _window_index(lengths, places, () if is_common else leading)
    count, cells = index.shape[-2:]
    if is_common:
        windows = op.gather(flat, op.reshape(index, (-1,)), len(leading))
    else:
        windows = op.gather_elements(flat, len(leading), op.reshape(index, (*leading, -1)))
    windows = op.reshape(windows, (*leading, count, cells))
    which, values = op.argmax_with_value(windows, -1, False)
    which = op.cast(which, _c.int64)
    if is_common:
        which = op.add(which, op.mul(op.arange(0, count, 1), cells))
        where = op.gather(op.reshape(index, (-1,)), which, 0)
    else:
        where = op.squeeze(op.gather_elements(index, len(leading) + 1, op.expand_dims(which, -1)), -1)
    return op.reshape(values, shape), op.reshape(where, shape)


# ---- adaptive ----------------------------------------------------------------------------------


def _even_parts(name: str, length: int, parts: int) -> Tensor:
    """Positions of the windows that cover an axis evenly; a shorter one repeats its last cell."""
    if not 0 < parts <= _MOST_PARTS:
        raise ValueError(
            f"For '{name}', the 'output_size' must be in [1, {_MOST_PARTS}] on every axis, but got {parts}."
        )
    begins = np.arange(parts, dtype=np.int64) * length // parts
    ends = -(-(np.arange(1, parts + 1, dtype=np.int64) * length) // parts)
    cells = begins[:, None] + np.arange((ends - begins).max())
    return Tensor(np.minimum(cells, ends[:, None] - 1))


def _adaptive_maxima(name: str, x, output_size, axes: int) -> tuple:
    _require_rank(name, x, axes)
    lengths = x.shape[-axes:]
    given = _sizes(name, "output_size", output_size, axes, none_allowed=True)
    sizes = [
        length if size is None or size == -1 else size for size, length in zip(given, lengths, strict=True)
    ]
    if all(
        size > 0 and length % size == 0 and length > 0 for size, length in zip(sizes, lengths, strict=True)
    ):
        return _regular_maxima(x, [length // size for size, length in zip(sizes, lengths, strict=True)])
    return _maxima(x, [_even_parts(name, length, size) for size, length in zip(sizes, lengths, strict=True)])


def _regular_maxima(x, kernel: list) -> tuple:
    """Windows that lie side by side."""
    axes = len(kernel)
    kernel = [1] * (3 - axes) + kernel
    volume = op.reshape(x, (1, -1, *(1,) * (3 - axes), *x.shape[-axes:]))
    values, where = pooled_maxima(volume, kernel, kernel, (0,) * 6, (1, 1, 1), False)
    shape = (*x.shape[:-axes], *values.shape[-axes:])
    return op.reshape(values, shape), op.cast(op.reshape(where, shape), _c.int64)


def adaptive_max_pool1d(input, output_size) -> Tensor:
    """Largest elements of `output_size` equal parts of the last axis.

    Args:
        input (Tensor): (N, C, L) or (C, L).
        output_size (int): Length of the output.

    Returns:
        Tensor.
    """
    return _adaptive_maxima("adaptive_max_pool1d", input, output_size, 1)[0]


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Largest elements of equal parts of the plane, with their places in it if asked.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W).
        output_size (Union[int, tuple]): Height and width of the output; None keeps a length.
        return_indices (bool): Whether places are returned as well. Default: ``False``.

    Returns:
        Tensor, or a tuple of two.
    """
    results = _adaptive_maxima("adaptive_max_pool2d", input, output_size, 2)
    return results if return_indices else results[0]


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Largest elements of equal parts of the volume, with their places in it if asked.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W).
        output_size (Union[int, tuple]): Depth, height and width of the output; None keeps a length.
        return_indices (bool): Whether places are returned as well. Default: ``False``.

    Returns:
        Tensor, or a tuple of two.
    """
    values, where = _adaptive_maxima("adaptive_max_pool3d", input, output_size, 3)
    return (values, op.cast(where, _c.int32)) if return_indices else values


# ---- fractional --------------------------------------------------------------------------------


def _fractional_size(name: str, lengths, output_size, output_ratio) -> list[int]:
    if output_size is None and output_ratio is None:
        raise ValueError(
            f"For {name}, 'output_size' and 'output_ratio' can not be None at the same time, but got None."
        )
    if output_size is not None:
        return _sizes(name, "output_size", output_size, len(lengths))
    ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * len(lengths)
    for ratio in ratios:
        if not isinstance(ratio, float):
            raise TypeError(f"For '{name}', the 'output_ratio' must be float, but got {output_ratio}.")
    if len(ratios) != len(lengths) or any(not 0 < ratio < 1 for ratio in ratios):
        raise ValueError(f"For '{name}', the 'output_ratio' must be in (0, 1), but got {output_ratio}.")
    return [int(length * ratio) for length, ratio in zip(lengths, ratios, strict=True)]


def _spread_parts(sample, length: int, kernel: int, parts: int) -> Tensor:
    """Positions (N, C, parts, kernel) of windows of one size, spread over an axis by random numbers."""
    numbers = op.arange(0, parts, 1)
    step = (length - kernel) / (parts - 1) if parts > 1 else 0.0
    sample = op.cast(op.expand_dims(sample, -1), _c.float64)
    begins = op.sub(
        op.floor(op.mul(op.add(op.cast(numbers, _c.float64), sample), step)), op.floor(op.mul(sample, step))
    )
    begins = op.where(op.equal(numbers, parts - 1), length - kernel, op.cast(begins, _c.int64))
    begins = op.minimum(op.maximum(begins, 0), length - kernel)
    return op.add(op.expand_dims(begins, -1), op.arange(0, kernel, 1))


def fractional_maxima(name: str, x, kernel_size, output_size, output_ratio, samples, order: tuple) -> tuple:
    """Both results of fractional pooling; `order` says which random number belongs to which axis."""
    axes = len(order)
    _require_rank(name, x, axes)
    kernel = _sizes(name, "kernel_size", kernel_size, axes)
    lengths = x.shape[-axes:]
    sizes = _fractional_size(name, lengths, output_size, output_ratio)
    for length, window, size in zip(lengths, kernel, sizes, strict=True):
        if window < 1 or size < 1 or size + window - 1 > length:
            raise ValueError(
                f"For '{name}', the 'kernel_size' and the output size must be positive and fit into the "
                f"input, but got kernel {kernel_size}, output {tuple(sizes)} and input {x.shape}."
            )
    single = x.ndim == axes + 1
    batch = op.expand_dims(x, 0) if single else x
    if samples is None:
        samples = op.random_uniform((*batch.shape[:2], axes), 0.0, 1.0)
    elif samples.ndim != 3 or tuple(samples.shape) != (*batch.shape[:2], axes):
        raise ValueError(
            f"For '{name}', the '_random_samples' must have shape {(*batch.shape[:2], axes)}, but got "
            f"{samples.shape}."
        )
    numbers = op.unstack(samples, 2)
    places = [_spread_parts(numbers[order[i]], lengths[i], kernel[i], sizes[i]) for i in range(axes)]
    values, where = _maxima(batch, places)
    return (op.squeeze(values, 0), op.squeeze(where, 0)) if single else (values, where)


def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Largest elements of windows that are spread at random so that the output has a given size.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W).
        kernel_size (Union[int, tuple[int]]): Height and width of a window.
        output_size (Union[int, tuple[int]]): Height and width of the output. Default: ``None``.
        output_ratio (Union[float, tuple[float]]): The same as a share of the input. Default: ``None``.
        return_indices (bool): Whether places in the plane are returned as well. Default: ``False``.
        _random_samples (Tensor): (N, C, 2), random numbers in [0, 1); None draws them. Default: ``None``.

    Returns:
        Tensor, or a tuple of two.
    """
    results = fractional_maxima(
        "fractional_max_pool2d", input, kernel_size, output_size, output_ratio, _random_samples, (1, 0)
    )
    return results if return_indices else results[0]


def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Largest elements of windows of a volume that are spread at random.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W).
        kernel_size (Union[int, tuple[int]]): Depth, height and width of a window.
        output_size (Union[int, tuple[int]]): Lengths of the output. Default: ``None``.
        output_ratio (Union[float, tuple[float]]): The same as a share of the input. Default: ``None``.
        return_indices (bool): Whether places in the volume are returned as well. Default: ``False``.
        _random_samples (Tensor): (N, C, 3), random numbers in [0, 1); None draws them. Default: ``None``.

    Returns:
        Tensor, or a tuple of two.
    """
    results = fractional_maxima(
        "fractional_max_pool3d", input, kernel_size, output_size, output_ratio, _random_samples, (0, 1, 2)
    )
    return results if return_indices else results[0]


# ---- inverse -----------------------------------------------------------------------------------


def _unpooled_size(name: str, x, kernel_size, stride, padding, output_size, axes: int) -> list[int]:
    kernel = _sizes(name, "kernel_size", kernel_size, axes)
    steps = kernel if stride is None else _sizes(name, "stride", stride, axes)
    steps = [window if step == 0 else step for step, window in zip(steps, kernel, strict=True)]
    edges = _sizes(name, "padding", padding, axes)
    if min(kernel) < 1 or min(steps) < 1 or min(edges) < 0:
        raise ValueError(
            f"For '{name}', 'kernel_size' and 'stride' must be positive and 'padding' not negative, but got "
            f"{kernel_size}, {stride} and {padding}."
        )
    usual = [
        (length - 1) * step - 2 * edge + window
        for length, step, edge, window in zip(x.shape[-axes:], steps, edges, kernel, strict=True)
    ]
    if output_size is None or output_size == ():
        return usual
    if not isinstance(output_size, tuple):
        raise ValueError(f"For {name}, output_size must be tuple, but got type {type(output_size)}.")
    if len(output_size) not in (axes, x.ndim):
        raise ValueError(
            f"For {name}, output_size must have {axes} or {x.ndim} numbers, but got {output_size}."
        )
    wanted = list(output_size[-axes:])
    for size, length, step in zip(wanted, usual, steps, strict=True):
        if not length - step < size < length + step:
            raise ValueError(
                f"For {name}, 'output_size' must be out of {tuple(usual)} by less than the stride, but got "
                f"{output_size}."
            )
    return wanted


def unpooled(name: str, x, indices, kernel_size, stride, padding, output_size, axes: int) -> Tensor:
    """Puts pooled values back where they came from; zeros elsewhere."""
    _require_rank(name, x, axes)
    if not isinstance(indices, Tensor):
        raise TypeError(f"For '{name}', the 'indices' must be a Tensor, but got {type(indices)}.")
    if tuple(x.shape) != tuple(indices.shape):
        raise ValueError(
            f"For {name}, the x shape and indices shape must be equal, but got input shape {x.shape} and "
            f"indices shape {indices.shape}."
        )
    sizes = _unpooled_size(name, x, kernel_size, stride, padding, output_size, axes)
    leading = tuple(x.shape[:-axes])
    cells = 1
    for size in sizes:
        if size < 1:
            raise ValueError(f"For '{name}', the output size must be positive, but got {tuple(sizes)}.")
        cells *= size
    zeros = op.fill(x.dtype, (*leading, cells), 0)
    flat_x, flat_indices = op.reshape(x, (*leading, -1)), op.reshape(indices, (*leading, -1))
    flat = op.tensor_scatter_elements(zeros, op.cast(flat_indices, _c.int64), flat_x, len(leading))
    return op.reshape(flat, (*leading, *sizes))


def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Inverse of max_pool1d: values at their places, zeros elsewhere.

    Args:
        x (Tensor): (N, C, L) or (C, L).
        indices (Tensor): Places along the output; shape of `x`.
        kernel_size (int): Length of a window.
        stride (int): Step; None: the size of a window. Default: ``None``.
        padding (int): Cells around the pooled input. Default: ``0``.
        output_size (tuple[int]): Length of the output, if several could be. Default: ``None``.

    Returns:
        Tensor.
    """
    return unpooled("max_unpool1d", x, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Inverse of max_pool2d; see :func:`max_unpool1d`."""
    return unpooled("max_unpool2d", x, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(x, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Inverse of max_pool3d; see :func:`max_unpool1d`."""
    return unpooled("max_unpool3d", x, indices, kernel_size, stride, padding, output_size, 3)
