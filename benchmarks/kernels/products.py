# SPDX-License-Identifier: Apache-2.0
"""Matrix products, convolutions and pooling."""

from __future__ import annotations

from cases import case, choose


def _square(n: int) -> None:
    @case(f"matmul {n}", "product", flops=2 * n**3, bytes=12 * n * n)
    def _(side):
        a, b = side.normal(n, n), side.normal(n, n)
        matmul = side.ops.matmul if side.name == "ours" else side.torch.matmul
        return lambda: matmul(a, b)


for _n in (128, 512, 1024, 2048):
    _square(_n)


@case("batched matmul 64x128x128", "product", flops=2 * 64 * 128**3, bytes=12 * 64 * 128 * 128)
def _(side):
    a, b = side.normal(64, 128, 128), side.normal(64, 128, 128)
    return choose(side, lambda: side.ops.bmm(a, b), lambda: side.torch.bmm(a, b))


@case("dense 256x1024 to 1024", "product", flops=2 * 256 * 1024 * 1024, bytes=4 * 3 * 1024 * 1024)
def _(side):
    x, weight, bias = side.normal(256, 1024), side.normal(1024, 1024), side.normal(1024)
    return choose(
        side,
        lambda: side.ops.dense(x, weight, bias),
        lambda: side.torch.nn.functional.linear(x, weight, bias),
    )


# name, batch, in, size, out, kernel, stride, pad, groups
CONVOLUTIONS = [
    ("3x3 64 to 64 at 56", 8, 64, 56, 64, 3, 1, 1, 1),
    ("1x1 256 to 64 at 56", 8, 256, 56, 64, 1, 1, 0, 1),
    ("3x3 512 to 512 at 7", 8, 512, 7, 512, 3, 1, 1, 1),
    ("7x7 3 to 64 at 224", 4, 3, 224, 64, 7, 2, 3, 1),
    ("depthwise 3x3 128 at 56", 8, 128, 56, 128, 3, 1, 1, 128),
]


def _convolution(label, batch, channels, size, filters, kernel, stride, pad, groups) -> None:
    out = (size + 2 * pad - kernel) // stride + 1
    work = 2 * batch * filters * out * out * (channels // groups) * kernel * kernel
    moved = 4 * (batch * channels * size * size + batch * filters * out * out)
    shape = (filters, channels // groups, kernel, kernel)
    ours = {
        "pad": (pad, pad, pad, pad),
        "stride": (stride, stride),
        "dilation": (1, 1),
        "groups": groups,
    }
    backward = ([stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups)

    @case(f"conv2d {label}", "convolution", flops=work, bytes=moved)
    def _(side):
        x, weight = side.normal(batch, channels, size, size), side.normal(*shape)
        if side.name == "ours":
            conv = side.operator("conv2d")
            return lambda: conv(x, weight, **ours)
        conv = side.torch.nn.functional.conv2d
        return lambda: conv(x, weight, None, stride, pad, 1, groups)

    @case(f"conv2d input gradient {label}", "convolution", flops=work, bytes=moved)
    def _(side):
        x, weight = side.normal(batch, channels, size, size), side.normal(*shape)
        gradient = side.normal(batch, filters, out, out)
        if side.name == "ours":
            conv = side.operator("conv2d_input_gradient")
            return lambda: conv(gradient, weight, input_size=(size, size), **ours)
        conv = side.torch.ops.aten.convolution_backward
        return lambda: conv(gradient, x, weight, None, *backward, [True, False, False])

    @case(f"conv2d weight gradient {label}", "convolution", flops=work, bytes=moved)
    def _(side):
        x, weight = side.normal(batch, channels, size, size), side.normal(*shape)
        gradient = side.normal(batch, filters, out, out)
        if side.name == "ours":
            conv = side.operator("conv2d_weight_gradient")
            return lambda: conv(x, gradient, kernel_size=(kernel, kernel), **ours)
        conv = side.torch.ops.aten.convolution_backward
        return lambda: conv(gradient, x, weight, None, *backward, [False, True, False])


for _description in CONVOLUTIONS:
    _convolution(*_description)


@case("max pool 3x3 step 2, 8x64x112", "pooling", bytes=4 * 8 * 64 * 112 * 112 * 5 // 4)
def _(side):
    x = side.normal(8, 64, 112, 112)
    if side.name == "ours":
        pool = side.operator("max_pool2d")
        return lambda: pool(x, (3, 3), (2, 2), (1, 1, 1, 1))
    return lambda: side.torch.nn.functional.max_pool2d(x, 3, 2, 1)


@case("average pool 2x2 step 2, 8x64x112", "pooling", bytes=4 * 8 * 64 * 112 * 112 * 5 // 4)
def _(side):
    x = side.normal(8, 64, 112, 112)
    if side.name == "ours":
        pool = side.operator("avg_pool2d")
        return lambda: pool(x, (2, 2), (2, 2))
    return lambda: side.torch.nn.functional.avg_pool2d(x, 2, 2)
