# SPDX-License-Identifier: Apache-2.0
"""Normalisation, losses and optimizer steps."""

from __future__ import annotations

from cases import case, choose

TOKENS, WIDTH = 4096, 1024


@case(f"layer norm {TOKENS}x{WIDTH}", "normalisation", bytes=8 * TOKENS * WIDTH)
def _(side):
    x, gamma, beta = side.normal(TOKENS, WIDTH), side.normal(WIDTH), side.normal(WIDTH)
    if side.name == "ours":
        norm = side.operator("layer_norm")
        return lambda: norm(x, gamma, beta, epsilon=1e-5)
    return lambda: side.torch.native_layer_norm(x, (WIDTH,), gamma, beta, 1e-5)


@case(f"layer norm gradients {TOKENS}x{WIDTH}", "normalisation", bytes=12 * TOKENS * WIDTH)
def _(side):
    x, gamma, beta = side.normal(TOKENS, WIDTH), side.normal(WIDTH), side.normal(WIDTH)
    gradient = side.normal(TOKENS, WIDTH)
    if side.name == "ours":
        _, mean, variance = side.operator("layer_norm")(x, gamma, beta, epsilon=1e-5)
        backward = side.operator("layer_norm_gradient")
        return lambda: backward(gradient, x, gamma, mean, variance, epsilon=1e-5)
    _, mean, scale = side.torch.native_layer_norm(x, (WIDTH,), gamma, beta, 1e-5)
    backward = side.torch.ops.aten.native_layer_norm_backward
    return lambda: backward(gradient, x, (WIDTH,), mean, scale, gamma, beta, [True, True, True])


IMAGES = (16, 64, 56, 56)
ELEMENTS = 16 * 64 * 56 * 56


@case("batch norm training 16x64x56x56", "normalisation", bytes=8 * ELEMENTS)
def _(side):
    x, scale, bias = side.normal(*IMAGES), side.normal(64), side.normal(64)
    if side.name == "ours":
        norm = side.operator("batch_norm_training")
        return lambda: norm(x, scale, bias)
    return lambda: side.torch.native_batch_norm(x, scale, bias, None, None, True, 0.1, 1e-5)


@case("batch norm gradients 16x64x56x56", "normalisation", bytes=12 * ELEMENTS)
def _(side):
    x, scale, bias, gradient = side.normal(*IMAGES), side.normal(64), side.normal(64), side.normal(*IMAGES)
    if side.name == "ours":
        _, mean, variance = side.operator("batch_norm_training")(x, scale, bias)
        backward = side.operator("batch_norm_gradient")
        return lambda: backward(gradient, x, scale, mean, variance)
    _, mean, root = side.torch.native_batch_norm(x, scale, bias, None, None, True, 0.1, 1e-5)
    backward = side.torch.ops.aten.native_batch_norm_backward
    return lambda: backward(gradient, x, scale, None, None, mean, root, True, 1e-5, [True, True, True])


@case("cross entropy 2048x10000", "loss", bytes=4 * 2048 * 10000)
def _(side):
    scores, labels = side.normal(2048, 10000), side.indices(2048, below=10000)
    return choose(
        side,
        lambda: side.ops.cross_entropy(scores, labels),
        lambda: side.torch.nn.functional.cross_entropy(scores, labels),
    )


@case("adam 4M parameters", "optimizer", bytes=28 * 4_000_000)
def _(side):
    count = 4_000_000
    weights, gradient = side.normal(count), side.normal(count)
    if side.name == "ours":
        first, second = (
            side.tensor(side.array(count) * 0, "float32"),
            side.tensor(side.array(count) ** 2, "float32"),
        )
        adam = side.operator("adam")
        return lambda: adam(weights, first, second, 0.9, 0.999, 1e-3, 0.9, 0.999, 1e-8, gradient)
    weights.grad = gradient
    optimizer = side.torch.optim.Adam([weights], lr=1e-3, fused=True)
    return optimizer.step
