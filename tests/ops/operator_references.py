# SPDX-License-Identifier: Apache-2.0
"""NumPy references of operators whose formula does not fit into one expression.

Written as plainly as possible: loops over windows and indices, nothing shared with the kernels.
Every function takes the operator's inputs and attributes by name.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

REFERENCES = {}


def reference(*names: str):
    """Registers the function below as the reference of these operators."""

    def register(function):
        for name in names:
            REFERENCES[name] = function
        return function

    return register


# ---- elementwise -------------------------------------------------------------------------------


def _each(function, input):
    """A function of Python numbers, element by element, in the type of the input."""
    return np.vectorize(function, otypes=[np.float64])(input).astype(input.dtype)


@reference("cumprod")
def _cumprod(x, axis, exclusive, reverse):
    x = np.flip(x, axis) if reverse else x
    y = np.cumprod(x, axis).reshape(x.shape)
    if exclusive:
        y = np.moveaxis(y, axis, 0) if y.ndim else y.reshape(1)
        y = np.concatenate([np.ones_like(y[:1]), y[:-1]])[: len(y)]
        y = np.moveaxis(y, 0, axis) if x.ndim else y.reshape(())
    return np.flip(y, axis) if reverse else y


@reference("erf")
def erf(input):
    return _each(math.erf, input)


@reference("erfc")
def _erfc(input):
    return _each(math.erfc, input)


@reference("lgamma")
def _lgamma(input):
    return _each(lambda x: math.inf if x == 0 else math.lgamma(x), input)


@reference("gelu_erf")
def _gelu_erf(input):
    return input * 0.5 * (1 + erf(input / math.sqrt(2)))


@reference("gelu")
def _gelu(input, approximate):
    if approximate == "none":
        return _gelu_erf(input)
    return 0.5 * input * (1 + np.tanh(math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)))


@reference("addcdiv_scaled")
def _addcdiv(input, tensor1, tensor2, value):
    return input + (1 if value is None else value) * tensor1 / tensor2


@reference("addcmul_scaled")
def _addcmul(input, tensor1, tensor2, value):
    return input + (1 if value is None else value) * tensor1 * tensor2


@reference("addn")
def _addn(x):
    return sum(x[1:], x[0])


@reference("clamp")
def _clamp(input, min, max):
    low = input if min is None else np.maximum(input, min)
    return low if max is None else np.minimum(low, max)


@reference("clip_by_value")
def _clip(x, clip_value_min, clip_value_max):
    return _clamp(x, clip_value_min, clip_value_max)


@reference("div_rounded")
def _div(input, other, rounding_mode):
    quotient = input / other
    return {None: lambda x: x, "floor": np.floor, "trunc": np.trunc}[rounding_mode](quotient)


@reference("prelu")
def _prelu(x, weight):
    shape = [1] * x.ndim
    if x.ndim > 1:
        shape[1] = weight.size
    return np.where(x > 0, x, x * weight.reshape(shape if x.ndim else ()))


@reference("bias_add")
def _bias_add(input_x, bias, data_format="NCHW"):
    last = data_format == "NHWC" or input_x.ndim == 2
    return input_x + (bias if last else bias.reshape((-1,) + (1,) * (input_x.ndim - 2)))


# ---- joining, splitting, indexing --------------------------------------------------------------


@reference("split")
def _split(tensor, split_size_or_sections, axis):
    sizes = split_size_or_sections
    if isinstance(sizes, tuple) and len(sizes) > 1:
        return tuple(np.split(tensor, np.cumsum(sizes)[:-1], axis))
    size = sizes[0] if isinstance(sizes, tuple) else sizes
    return tuple(np.split(tensor, range(size, tensor.shape[axis], size), axis))


@reference("chunk")
def _chunk(input, chunks, axis):
    if input.shape[axis] == 0:
        return (input,)
    size = -(-input.shape[axis] // chunks)
    return tuple(np.split(input, range(size, input.shape[axis], size), axis))


@reference("diagonal_fill")
def _diagonal_fill(input, shape, offset, dim1, dim2):
    output = np.zeros(shape, input.dtype)
    moved = np.moveaxis(output, (dim1, dim2), (-2, -1))
    rows = np.arange(input.shape[-1]) + max(0, -offset)
    moved[..., rows, rows + offset] = input
    return output


@reference("masked_scatter")
def _masked_scatter(x, mask, updates):
    x, mask = (np.array(part) for part in np.broadcast_arrays(x, mask))
    x[mask] = updates.reshape(-1)[: np.count_nonzero(mask)]
    return x


@reference("masked_collect")
def _masked_collect(input, mask, shape):
    input, mask = np.broadcast_arrays(input, mask)
    output = np.zeros(shape, input.dtype)
    output[: np.count_nonzero(mask)] = input[mask]
    return output


@reference("unique")
def _unique(input):
    flat = input.reshape(-1)
    values = list(dict.fromkeys(flat.tolist()))
    return np.array(values, input.dtype), np.array([values.index(v) for v in flat.tolist()]).reshape(
        input.shape
    )


@reference("index_fill", "index_fill_axis")
def _index_fill(x, index, value, axis):
    output = x.copy()
    np.moveaxis(output, axis, 0)[index.reshape(-1)] = value
    return output


@reference("index_add")
def _index_add(x, indices, y, axis, **_):
    output = x.copy()
    np.add.at(np.moveaxis(output, axis, 0), indices, np.moveaxis(y, axis, 0))
    return output


@reference("gather")
def _gather(input_params, input_indices, axis, batch_dims):
    if not batch_dims:
        return np.take(input_params, input_indices, axis)
    axis %= input_params.ndim
    shape = input_params.shape[:axis] + input_indices.shape[batch_dims:] + input_params.shape[axis + 1 :]
    output = np.empty(shape, input_params.dtype)
    for place in np.ndindex(input_indices.shape[:batch_dims]):
        output[place] = np.take(input_params[place], input_indices[place], axis - batch_dims)
    return output


@reference("embedding_lookup")
def _embedding_lookup(input_params, input_indices, offset):
    output = np.zeros(input_indices.shape + input_params.shape[1:], input_params.dtype)
    for place in np.ndindex(input_indices.shape):
        if 0 <= input_indices[place] - offset < len(input_params):
            output[place] = input_params[input_indices[place] - offset]
    return output


@reference("in_top_k")
def _in_top_k(x1, x2, k):
    return np.array(
        [
            0 <= target < row.size and np.sum(row > row[target]) < k
            for row, target in zip(x1, x2, strict=True)
        ],
        bool,
    )


@reference("gather_gradient")
def _gather_gradient(updates, indices, shape, axis, batch_dims):
    output = np.zeros(shape, updates.dtype)
    axis %= len(shape)
    if batch_dims:
        for part, chosen, target in zip(updates, indices, output, strict=True):
            target += _gather_gradient(part, chosen, target.shape, axis - 1, batch_dims - 1)
        return output
    moved = np.moveaxis(output, axis, 0)
    for place in np.ndindex(indices.shape):
        moved[indices[place]] += updates[(slice(None),) * axis + place]
    return output


@reference("scatter_add_axis")
def _scatter_add_axis(input, indices, updates, axis):
    return input + _gather_gradient(updates, indices, input.shape, axis, 0)


@reference("embedding_lookup_gradient")
def _embedding_gradient(updates, indices, shape, offset):
    output = np.zeros(shape, updates.dtype)
    for place in np.ndindex(indices.shape):
        row = indices[place] - offset
        if 0 <= row < shape[0]:
            output[row] += updates[place]
    return output


def _along(output, index, updates, axis, combine):
    for place in np.ndindex(index.shape):
        target = list(place)
        target[axis] = index[place]
        output[tuple(target)] = combine(output[tuple(target)], updates[place])
    return output


@reference("scatter")
def _scatter(input, index, src, axis):
    return _along(input.copy(), index, np.broadcast_to(src, index.shape), axis, lambda old, new: new)


@reference("tensor_scatter_elements")
def _scatter_elements(input_x, indices, updates, axis, reduction):
    combine = (lambda old, new: old + new) if reduction == "add" else (lambda old, new: new)
    return _along(input_x.copy(), indices, updates, axis, combine)


@reference("scatter_along")
def _scatter_along(index, updates, axis, length):
    shape = list(updates.shape)
    shape[axis] = length
    return _along(np.zeros(shape, updates.dtype), index, updates, axis, lambda old, new: old + new)


COMBINATIONS = {
    "add": lambda old, new: old + new,
    "sub": lambda old, new: old - new,
    "mul": lambda old, new: old * new,
    "div": lambda old, new: old / new,
    "max": np.maximum,
    "min": np.minimum,
    "update": lambda old, new: new,
}


def _combine_rows(name):
    def rows(input_x, indices, updates, **_):
        output = input_x.copy()
        for place in np.ndindex(indices.shape):
            output[indices[place]] = COMBINATIONS[name](output[indices[place]], updates[place])
        return output

    return rows


def _combine_tuples(name):
    def tuples(input_x, indices, updates=None, update=None, **_):
        output, updates = input_x.copy(), updates if update is None else update
        for place in np.ndindex(indices.shape[:-1]):
            target = tuple(indices[place])
            output[target] = COMBINATIONS[name](output[target], updates[place])
        return output

    return tuples


for _name in COMBINATIONS:
    REFERENCES[f"scatter_{_name}"] = _combine_rows(_name)
    REFERENCES[f"scatter_nd_{_name}"] = REFERENCES[f"tensor_scatter_{_name}"] = _combine_tuples(_name)


@reference("scatter_nd")
def _scatter_nd(indices, updates, shape):
    return _combine_tuples("add")(np.zeros(shape, updates.dtype), indices, updates)


@reference("unsorted_segment_sum")
def _segment_sum(input_x, segment_ids, num_segments):
    output = np.zeros((num_segments,) + input_x.shape[segment_ids.ndim :], input_x.dtype)
    for place in np.ndindex(segment_ids.shape):
        if segment_ids[place] >= 0:
            output[segment_ids[place]] += input_x[place]
    return output


@reference("linear_recurrence")
def _linear_recurrence(input, factor, axis, reverse):
    x, a = (np.flip(part, axis) if reverse else part for part in (input, factor))
    x, a = np.moveaxis(x, axis, 0), np.moveaxis(a, axis, 0)
    y = x.copy()
    for k in range(1, len(y)):
        y[k] = x[k] + a[k] * y[k - 1]
    y = np.moveaxis(y, 0, axis)
    return np.flip(y, axis) if reverse else y


@reference("index_put")
def _index_put(input, value, indices, axes, accumulate, **_):
    output = input.copy()
    given = dict(zip(axes, indices, strict=True))
    places = tuple(given.get(axis, slice(None)) for axis in range(input.ndim))
    if accumulate:
        np.add.at(output, places, value)
    else:
        output[places] = value
    return output


# ---- windows -----------------------------------------------------------------------------------


@reference("conv2d")
def _conv2d(input, weight, bias, pad, stride, dilation, groups):
    padded = np.pad(input, ((0, 0), (0, 0), tuple(pad[:2]), tuple(pad[2:])))
    per_group, spread = (
        weight.shape[1],
        [(k - 1) * d + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)],
    )
    size = [(n - k) // s + 1 for n, k, s in zip(padded.shape[2:], spread, stride, strict=True)]
    output = np.zeros((input.shape[0], weight.shape[0], *size), input.dtype)
    for channel, y, x in itertools.product(range(weight.shape[0]), range(size[0]), range(size[1])):
        first = channel // (weight.shape[0] // groups) * per_group
        top, left = y * stride[0], x * stride[1]
        window = padded[
            :,
            first : first + per_group,
            top : top + spread[0] : dilation[0],
            left : left + spread[1] : dilation[1],
        ]
        output[:, channel, y, x] = (window * weight[channel]).sum((1, 2, 3))
    return output if bias is None else output + bias.reshape(1, -1, 1, 1)


def _depth_places(depth, kernel_size, pad, stride, dilation):
    """Layers of every window; those outside lie in the padding."""
    reach = (kernel_size - 1) * dilation + 1
    begins = range(0, depth + sum(pad) - reach + 1, stride)
    return [[begin + k * dilation - pad[0] for k in range(kernel_size)] for begin in begins]


@reference("depth_windows")
def _depth_windows(input, kernel_size, pad, stride, dilation):
    n, c, d, h, w = input.shape
    places = _depth_places(d, kernel_size, pad, stride, dilation)
    output = np.zeros((n, len(places), c, kernel_size, h, w), input.dtype)
    for i, window in enumerate(places):
        for k, layer in enumerate(window):
            if 0 <= layer < d:
                output[:, i, :, k] = input[:, :, layer]
    return output.reshape(n * len(places), c * kernel_size, h, w)


@reference("depth_windows_sum")
def _depth_windows_sum(input, depth, kernel_size, pad, stride, dilation):
    places = _depth_places(depth, kernel_size, pad, stride, dilation)
    n, c, h, w = input.shape
    windows = input.reshape(n // len(places), len(places), c // kernel_size, kernel_size, h, w)
    output = np.zeros((windows.shape[0], windows.shape[2], depth, h, w), input.dtype)
    for i, window in enumerate(places):
        for k, layer in enumerate(window):
            if 0 <= layer < depth:
                output[:, :, layer] += windows[:, i, :, k]
    return output


def _window_count(length, before, after, window, step, ceil_mode):
    room = length + before + after - window
    if not ceil_mode:
        return room // step + 1
    count = -(-room // step) + 1
    return count - 1 if (count - 1) * step >= length + before else count  # it must begin inside


@reference("max_pool2d")
def _max_pool2d(input, kernel_size, stride, pad, dilation, ceil_mode):
    height, width = input.shape[2:]
    spread = [(k - 1) * d + 1 for k, d in zip(kernel_size, dilation, strict=True)]
    rows = _window_count(height, pad[0], pad[1], spread[0], stride[0], ceil_mode)
    columns = _window_count(width, pad[2], pad[3], spread[1], stride[1], ceil_mode)
    values = np.empty((*input.shape[:2], rows, columns), input.dtype)
    places = np.empty(values.shape, np.int64)
    for n, c, y, x in np.ndindex(values.shape):
        cells = [
            (i, j)
            for i in range(y * stride[0] - pad[0], y * stride[0] - pad[0] + spread[0], dilation[0])
            for j in range(x * stride[1] - pad[2], x * stride[1] - pad[2] + spread[1], dilation[1])
            if 0 <= i < height and 0 <= j < width
        ]
        best = max(cells, key=lambda cell: input[n, c, cell[0], cell[1]])
        values[n, c, y, x], places[n, c, y, x] = input[n, c, best[0], best[1]], best[0] * width + best[1]
    return values, places


# ---- normalisation and losses ------------------------------------------------------------------


def _channels(vector, rank):
    return vector.reshape((1, -1) + (1,) * (rank - 2))


@reference("batch_norm_inference")
def _batch_norm(input, scale, bias, mean, variance, epsilon):
    result = (input - _channels(mean, input.ndim)) / np.sqrt(_channels(variance, input.ndim) + epsilon)
    result = result if scale is None else result * _channels(scale, input.ndim)
    return result if bias is None else result + _channels(bias, input.ndim)


@reference("batch_norm_training")
def _batch_norm_training(input, scale, bias, epsilon):
    axes = (0, *range(2, input.ndim))
    mean, variance = input.mean(axes), input.var(axes)
    return _batch_norm(input, scale, bias, mean, variance, epsilon), mean, variance


@reference("layer_norm_function")
def _layer_norm(input, weight, bias, normalized_shape, eps):
    axes = tuple(range(-len(normalized_shape), 0))
    result = (input - input.mean(axes, keepdims=True)) / np.sqrt(input.var(axes, keepdims=True) + eps)
    return result * (1 if weight is None else weight) + (0 if bias is None else bias)


@reference("group_norm")
def _group_norm(input, weight, bias, num_groups, eps):
    grouped = input.reshape(input.shape[0], num_groups, math.prod(input.shape[1:]) // num_groups)
    result = (grouped - grouped.mean(2, keepdims=True)) / np.sqrt(grouped.var(2, keepdims=True) + eps)
    result = result.reshape(input.shape) * (1 if weight is None else _channels(weight, input.ndim))
    return result + (0 if bias is None else _channels(bias, input.ndim))


REDUCTIONS = {"none": lambda x: x, "mean": np.mean, "sum": np.sum}


@reference("huber_loss")
def _huber(input, target, reduction, delta):
    size = np.abs(input - target)
    return REDUCTIONS[reduction](np.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta)))


@reference("smooth_l1_loss")
def _smooth_l1(input, target, beta, reduction):
    size = np.abs(input - target)
    return REDUCTIONS[reduction](np.where(size < beta, 0.5 * size**2 / beta, size - 0.5 * beta))


@reference("binary_cross_entropy")
def _binary_cross_entropy(logits, labels, weight, reduction):
    losses = -(labels * np.log(logits) + (1 - labels) * np.log(1 - logits))
    return REDUCTIONS[reduction](losses if weight is None else losses * weight)


# ---- optimizers --------------------------------------------------------------------------------


@reference("adam")
def _adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, use_nesterov, **_):
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    rate = lr * math.sqrt(1 - beta2_power) / (1 - beta1_power)
    step = beta1 * m + (1 - beta1) * gradient if use_nesterov else m
    return var - rate * step / (np.sqrt(v) + epsilon), m, v


@reference("apply_momentum")
def _momentum(variable, accumulation, learning_rate, gradient, momentum, use_nesterov, gradient_scale, **_):
    gradient = gradient * gradient_scale
    velocity = momentum * accumulation + gradient
    return variable - learning_rate * (gradient + momentum * velocity if use_nesterov else velocity)


@reference("apply_gradient_descent")
def _descent(var, alpha, delta):
    return var - alpha * delta


@reference("apply_adagrad")
def _adagrad(var, accum, lr, grad, update_slots):
    total = accum + grad**2 if update_slots else accum
    return var - lr * grad / np.sqrt(total), total


# ---- recurrent layers --------------------------------------------------------------------------


def _logistic(x):
    return 1 / (1 + np.exp(-x))


def _scan(input, states, seq_length, reverse, step):
    """Walks over time; `step` gives new states and what else is kept of a row. Ended rows stay."""
    steps, rows, _ = input.shape
    kept = None
    history = [np.zeros((steps, *state.shape), state.dtype) for state in states]
    states = [state.copy() for state in states]
    for t in reversed(range(steps)) if reverse else range(steps):
        for row in range(rows):
            if seq_length is None or t < seq_length[row]:
                new, values = step(input[t, row], *(state[row] for state in states))
                kept = np.zeros((steps, rows, len(values)), input.dtype) if kept is None else kept
                kept[t, row] = values
                for state, value in zip(states, new, strict=True):
                    state[row] = value
        for record, state in zip(history, states, strict=True):
            record[t] = state
    if kept is None:
        kept = np.zeros((steps, rows, 4 * states[0].shape[1]), input.dtype)
    return *history, kept


@reference("lstm_scan")
def _lstm_scan(input, hidden, cell, weight, seq_length, reverse):
    def step(x, h, c):
        i, f, g, o = np.split(x + weight @ h, 4)
        i, f, g, o = _logistic(i), _logistic(f), np.tanh(g), _logistic(o)
        c = f * c + i * g
        return (o * np.tanh(c), c), np.concatenate([i, f, g, o])

    return _scan(input, [hidden, cell], seq_length, reverse, step)


@reference("gru_scan")
def _gru_scan(input, hidden, weight, bias, seq_length, reverse):
    def step(x, h):
        u = weight @ h + (0 if bias is None else bias)
        (xr, xz, xn), (ur, uz, un) = np.split(x, 3), np.split(u, 3)
        r, z = _logistic(xr + ur), _logistic(xz + uz)
        n = np.tanh(xn + r * un)
        return ((1 - z) * n + z * h,), np.concatenate([r, z, n, un])

    return _scan(input, [hidden], seq_length, reverse, step)


@reference("simple_scan")
def _simple_scan(input, hidden, weight, seq_length, nonlinearity, reverse):
    def step(x, h):
        total = x + weight @ h
        new = np.tanh(total) if nonlinearity == "tanh" else np.maximum(total, 0)
        return (new,), new

    return _scan(input, [hidden], seq_length, reverse, step)[:1]
