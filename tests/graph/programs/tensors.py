# SPDX-License-Identifier: Apache-2.0
"""Tensor methods, indexing, masks, shapes decided by values."""

from __future__ import annotations

import numpy as np

import mindspore as ms
from mindspore import Tensor, ops
from programs import f32, i32, program, ramp, script


@program((ramp(4),))
def write_one_element(x):
    y = x * 1
    y[1] = 5.0
    return y * 2


@program((ramp(3, 4),))
def write_a_row(x):
    y = x * 1
    y[1] = y[0] * 2
    y[:, 0] = 7
    return y


@program((ramp(3, 4), f32(5.0)))
def write_a_tensor(x, value):
    y = x * 1
    y[0, 1:3] = value
    return y


@program((ramp(4), i32(2)), (ramp(4), i32(0)))
def write_at_a_tensor_index(x, k):
    y = x * 1
    y[k] = 9.0
    return y


@program((ramp(4),), gradient=False)
def write_augmented(x):
    y = x * 1
    y[0] += 3
    y[1:3] *= x[0]
    return y


@program((ramp(4),), (-ramp(4),))
def write_by_a_mask(x):
    y = x * 1
    y[y > 0] = 0.0
    return y


@program((ramp(4),))
def write_into_zeros(x):
    y = ops.zeros((4,), ms.float32)
    for k in range(4):
        y[k] = x[3 - k]
    return y


@program((ramp(4),))
def write_into_a_constant(x):
    y = Tensor([1.0, 2.0, 3.0])
    y[0] = 4.0
    return y, y * x[0]


@program((ramp(4),), (-ramp(4),))
def write_in_a_branch(x):
    y = x * 1
    if x[0] > 0:
        y[0] = 1.0
    else:
        y[1] = x[0]
    return y


@program((ramp(4),))
def write_does_not_reach_a_copy(x):
    y = x.copy()
    z = y.copy()
    z[0] = 100.0
    return y, z


@program((ramp(3, 4),))
def read_with_slices(x):
    return x[1], x[-1, 2], x[:, 1:3], x[::2], x[..., -1], x[None].shape, x[1:, :-1]


@program((ramp(3, 4),))
def read_backwards(x):
    return x[::-1], x[:, ::-2]


@program((ramp(5), i32(1), i32(3)), (ramp(5), i32(0), i32(5)))
def slice_with_tensor_bounds(x, a, b):
    return x[a:b] * 2


@program((ramp(5), i32(1), i32(3)), (ramp(5), i32(0), i32(4)))
def slice_with_number_bounds(x, a, b):
    return x[int(a) : int(b)].sum()


@program((ramp(5), i32([0, 2])), (ramp(5), i32([4, 4])))
def read_with_a_tensor(x, index):
    return x[index] * 2


@program((ramp(5), i32(2)), (ramp(5), i32(4)))
def read_with_a_scalar_tensor(x, k):
    return x[k] + 1


@program((ramp(5),))
def read_with_a_list(x):
    return x[[0, 3]], x[[True, False, True, False, True]]


@program((ramp(5),), (-ramp(5),))
def read_with_a_mask(x):
    return x[x > 0] * 2


@program((ramp(5),), (-ramp(5),))
def mask_and_its_shape(x):
    positive = x[x > 0]
    if positive.shape[0] > 2:
        return positive.sum()
    return positive


@program((i32([1, 0, 2, 0]),), (i32([0, 0, 2, 0]),), gradient=False)
def nonzero(x):
    return ops.nonzero(x)


@program((i32([1, 3, 1, 2]),), (i32([1, 1, 1, 1]),), gradient=False)
def unique(x):
    values, index = ops.unique(x)
    return values * 2, index


@program((ramp(4),), (-ramp(4),))
def masked_select(x):
    return ops.masked_select(x, x > 0.2).sum()


@program((ramp(6),))
def methods(x):
    return x.reshape((2, 3)).sum(axis=1), x.mean(), x.max(), x.astype(ms.int32), x.view(3, 2).T, x.abs().log()


@program((ramp(6),))
def method_chain(x):
    return x.reshape(2, 3).transpose(1, 0).expand_dims(0).squeeze(0).flatten().tile((2,))


@program((ramp(6),))
def operators(x):
    y = x.reshape(2, 3)
    return y @ y.T, x**2, 2**x, 1 / (x * x + 1), 3 - x, x // 2, x % 2, -x, abs(x)


@program((i32([5, 3]), i32([2, 6])), gradient=False)
def integer_operators(x, y):
    return x & y, x | y, x ^ y, x // y, x % y, x / y, x**2


@program((ramp(2, 3),))
def attributes(x):
    return x.shape, x.ndim, x.size, x.dtype, x.itemsize, x.nbytes, len(x)


@program((ramp(2, 3),))
def splitting(x):
    a, b, c = ops.split(x, 1, axis=1)
    return a * b + c, [part.shape for part in ops.chunk(x, 2, 0)], ops.unstack(x, 0)


@program((ramp(2, 3),), (ramp(3, 2),), (ramp(1, 2),))
def another_shape_each_time(x):
    return x.reshape(-1).sum() * x.shape[0]


@program((f32(1.0, 2.0),), (i32([1, 2]),))
def another_type_each_time(x):
    return x * 2, x.dtype


@program((ramp(2, 3),))
def views_are_values(x):
    y = x * 1
    row = y[0]
    y = y + 1
    return row, y


@program((ramp(3),))
def type_promotion(x):
    return (
        x + 1,
        x + 1.5,
        x * True,
        x.astype(ms.float16) + x,
        x.astype(ms.int32) * 1.5,
        x.astype(ms.int32) + 1,
    )


@program((ramp(3),))
def item_and_tolist(x):
    return [k * 2 for k in x.tolist()], x[0].item()


@program((ramp(3, 3),))
def diagonal_loop(x):
    y = ops.zeros_like(x)
    for k in range(3):
        y[k, k] = x[k, 2 - k]
    return y


@program((ramp(3), i32(1)), (ramp(3), i32(2)))
def one_hot(x, k):
    return ops.one_hot(k, 3, Tensor(1.0), Tensor(0.0)) * x


@program((ramp(4), i32(2)), (ramp(4), i32(3)))
def top_of_a_tensor_count(x, k):
    values, _ = ops.topk(x, int(k))
    return values


@program((i32(3),), (i32(5),), gradient=False)
def arange_of_a_tensor(n):
    return ops.arange(int(n)) * 2


@program((ramp(6), i32(2)), (ramp(6), i32(3)))
def reshape_by_a_value(x, n):
    return x.reshape((int(n), -1)).sum(0)


@program((ramp(4),))
def in_place_functions(x):
    y = x * 1
    return y.fill(3.0), y


@program((ramp(2, 2),))
def iteration_and_membership(x):
    rows = [row for row in x]
    return rows[0] * rows[1], 100 in x


@program((ramp(4),), (f32(float("nan"), 1.0, 2.0, 3.0),), gradient=False)
def not_a_number(x):
    if ops.isnan(x).any():
        return ops.nan_to_num(x)
    return x


@program((f32(0.0),), (f32(-0.0),), gradient=False)
def signed_zero(x):
    return 1 / x, float(x) == 0


@program((ramp(4),))
def nested_indexing(x):
    y = x.reshape(2, 2)
    return y[0][1], y[1][Tensor([0, 1])], (y, x)[0][0, 0]


@program((ramp(2, 3, 4),))
def einsum_like(x):
    return ops.matmul(x, x.transpose(0, 2, 1)).sum(axis=(1, 2)), ops.concat([x, x], -1).mean(-1)


@program((ramp(5),))
def cumulative(x):
    return ops.cumsum(x, 0), x.cumsum(0)[-1], ops.flip(x, (0,))


@program((ramp(5),))
def ordering(x):
    values, index = ops.sort(-x)
    return values, index, x.argmax(), ops.argsort(x)


@program((ramp(2, 3, 4), i32(0)), (ramp(2, 3, 4), i32(1)), (ramp(2, 3, 4), i32(-1)))
def index_that_is_computed(x, i):
    i = i * 1
    return x[i], x[i, :, 1], x[:, i], x[..., i, None], x[i][i], x[0, i, ::2], x[[0, 1], i]


@program((ramp(2, 3, 4), i32(0)), (ramp(2, 3, 4), i32(1)), (ramp(2, 3, 4), i32(-1)))
def writes_at_an_index_that_is_computed(x, i):
    x = x * 1
    x[i] = x[0] * 3
    x[i, 1:, ::2] = 4.0
    x[:, i] += 2.0
    x[1:, i, 1] = x[0, 0, 0]
    return x


@program((ramp(3, 4), i32([0, 2])), (ramp(3, 4), i32([1, 1])))
def writes_rows_and_a_slice(x, rows):
    x, made = x * 1, ops.zeros((3, 4))
    x[rows, 1:] = 5.0
    made[rows, ::2] = x[0, 0]
    return x, made


@script
def many_positions_are_one_way(compiled):
    table = Tensor(ramp(64))
    run = compiled(lambda x, i: x * table[i])
    return [run(Tensor(2.0), Tensor(i, ms.int32)) for i in range(64)]


@program((f32(2.0),), (f32(-3.0),))
def rows_of_a_new_tensor_are_written(x):
    made = ops.zeros((3, 2))
    for i in range(3):
        made[i][1] = x * i
    row = made[0]
    row[0] = x
    return made, row


@script
def values_where_a_mask_says_so(compiled):
    def limited(x):
        x, made = x * 1, ops.zeros((4, 3))
        x[x > 1] = 1
        x[x[:, 0] < 0] = x[0, 0] * 0
        made[x > 0] = x.max()
        return x, made

    run, gradient = compiled(limited), compiled(ms.grad(lambda x: (limited(x)[0] ** 2).sum()))
    inputs = [Tensor((np.arange(12) - k).reshape(4, 3), ms.float32) for k in range(40)]
    return [(run(x), gradient(x)) for x in inputs]


@program((f32(2.0),), (f32(-3.0),), gradient=False)
def parts_of_a_new_tensor_are_exchanged(x):
    made = ops.zeros((3, 2))
    y = made[1] + x
    made[2, 0] = made[0, 0]
    made[0] = x
    return made, y
