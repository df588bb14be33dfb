# SPDX-License-Identifier: Apache-2.0
"""if, elif, else and conditional expressions on values of tensors."""

from __future__ import annotations

from mindspore import Tensor, ops
from programs import f32, i32, program, ramp


@program((f32(3.0), f32(0.0)), (f32(3.0), f32(2.0)))
def the_rule(loss, response):
    if response == 0:
        return loss
    return loss / response


@program((f32(1.0),), (f32(-1.0),))
def two_returns(x):
    if x > 0:
        return x * 2
    else:
        return x * 3


@program((f32(1.0),), (f32(-1.0),))
def one_sided_return(x):
    if x > 0:
        return x * 2
    return x - 7


@program((f32(5.0),), (f32(0.0),), (f32(-5.0),))
def three_ways(x):
    if x > 1:
        y = x * 2
    elif x < -1:
        y = x * 3
    else:
        y = x * 4
    return y + 1


@program((f32(1.0), f32(2.0)), (f32(2.0), f32(1.0)))
def assigns_several_names(x, y):
    if x > y:
        big, small = x, y
        text = "first"
    else:
        big, small = y, x
        text = "second"
    return big - small, text


@program((f32(1.0),), (f32(-1.0),))
def name_in_one_branch_only(x):
    y = x
    if x > 0:
        y = x * x
    return y


@program((f32(1.0),), (f32(-1.0),))
def missing_name(x):
    if x > 0:
        y = x * x
    return y


@program((f32(1.0),), (f32(-1.0),))
def types_differ(x):
    if x > 0:
        return x
    return 0


@program((f32(1.0),), (f32(-1.0),))
def dtypes_differ(x):
    if x > 0:
        return x
    return x.astype("float16")


@program((f32(1.0, 2.0),), (f32(-1.0, 2.0),))
def shapes_differ(x):
    if x[0] > 0:
        return x
    return ops.concat((x, x))


@program((f32(1.0, 2.0),), (f32(-1.0, 2.0),))
def structures_differ(x):
    if x[0] > 0:
        return x, x.sum()
    return {"x": x}


@program((f32(1.0),), (f32(-1.0),))
def none_or_tensor(x):
    if x > 0:
        return x
    return None


@program((f32(1.0, 2.0),), (f32(-4.0, 2.0),))
def condition_is_a_sum(x):
    if x.sum() > 0:
        x = x + 1
    return x.mean()


@program((f32(1.0), f32(1.0)), (f32(1.0), f32(-1.0)), (f32(-1.0), f32(1.0)), (f32(-1.0), f32(-1.0)))
def nested(x, y):
    if x > 0:
        if y > 0:
            z = x + y
        else:
            z = x - y
    else:
        if y > 0:
            z = x * y
        else:
            z = x / y
    return z


@program((f32(1.0), f32(1.0)), (f32(1.0), f32(-1.0)), (f32(-1.0), f32(-1.0)))
def one_after_another(x, y):
    z = x * y
    if x > 0:
        z = z + 1
    if y > 0:
        z = z * 2
    if z > 2:
        z = z - 5
    return z


@program((f32(2.0),), (f32(-2.0),))
def conditional_expression(x):
    return x * x if x > 0 else -x


@program((f32(2.0),), (f32(-2.0),), (f32(0.0),))
def chained_conditional_expression(x):
    return "positive" if x > 0 else "negative" if x < 0 else "zero"


@program((f32(2.0),), (f32(0.0),))
def truth_of_a_tensor(x):
    if x:
        return x + 1
    return x - 1


@program((i32(2),), (i32(0),))
def truth_of_an_integer(x):
    if not x:
        return x + 1
    return x - 1


@program((f32(2.0, 3.0),))
def truth_of_many(x):
    if x > 2:
        return x
    return x + 1


@program((f32([2.0]),), (f32([-2.0]),))
def truth_of_one_element(x):
    if x > 0:
        return x
    return x + 1


@program((f32(2.0, 3.0),), (f32(2.0, -3.0),))
def all_and_any(x):
    if (x > 0).all():
        return x.sum()
    if (x > 0).any():
        return x.prod()
    return x


@program((ramp(2, 3),), (ramp(3, 2),))
def condition_on_a_shape(x):
    if x.shape[0] > 2:
        return x.sum(0)
    return x.sum(1)


@program((f32(2.0), True), (f32(2.0), False))
def condition_on_an_argument(x, flag):
    if flag:
        return x * 2
    return x


@program((f32(2.0), "relu"), (f32(-2.0), "tanh"), (f32(-2.0), "relu"))
def condition_on_a_text(x, name):
    if name == "relu":
        return ops.relu(x)
    elif name == "tanh":
        return ops.tanh(x)
    raise ValueError(name)


@program((f32(2.0), None), (f32(2.0), f32(3.0)))
def optional_tensor(x, bias):
    y = x * 2
    if bias is not None:
        y = y + bias
    return y


@program((f32(1.0),), (f32(2.0),), (f32(3.0),))
def value_in_a_tuple(x):
    if x in (1, 2):
        return x * 10
    return x


@program((f32(1.0), f32(2.0)), (f32(2.0), f32(1.0)))
def early_return_deep_inside(x, y):
    for k in range(3):
        if x > y:
            if k == 1:
                return x * k
            x = x + 1
        else:
            y = y - 2
    return y


@program((f32(1.0), f32(2.0)), (f32(-1.0), f32(2.0)))
def both_branches_from_where(x, y):
    return ops.where(x > 0, x * y, x / y)


@program((f32(1.0),), (f32(-1.0),))
def tensor_made_in_a_branch(x):
    if x > 0:
        y = Tensor([1.0, 2.0]) * x
    else:
        y = ops.zeros((2,), x.dtype)
    return y


@program((f32(3.0),), (f32(-3.0),))
def function_chosen(x):
    f = ops.exp if x > 0 else ops.abs
    return f(x)


@program((f32(1.0),), (f32(-1.0),))
def pass_in_a_branch(x):
    if x > 0:
        pass
    else:
        x = -x
    return x


@program((f32(0.5),), (f32(-0.5),), (f32(1.5),))
def comparison_chain(x):
    if 0 < x < 1:
        return x * 100
    return x


@program((f32(0.5),), (f32(-0.5),))
def ternary_in_an_argument(x):
    return ops.pow(x, 2 if x > 0 else 3)


@program((f32(0.5),), (f32(-0.5),))
def index_by_a_condition(x):
    return (x, -x)[int(x > 0)]


@program((f32(0.5), f32(3.0)), (f32(-0.5), f32(-3.0)))
def condition_after_an_update(x, y):
    x = x + y
    if x > 0:
        x = x * y
    y = y - x
    if y > 0:
        return y
    return x + y
