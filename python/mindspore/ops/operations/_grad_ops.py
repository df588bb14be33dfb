# SPDX-License-Identifier: Apache-2.0
"""Gradients of operators as primitives, for scripts that write a backward pass by hand."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._primitives.composition import composed
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register


def _pulled(forward, x: Tensor, gradient: Tensor) -> Tensor:
    """The gradient of `x`, given that of `forward(x)`."""
    from mindspore.common._derivatives import vjp

    return vjp(forward, x)[1](gradient)[0]


class _Backward(Primitive):
    """A primitive without attributes."""

    def __init__(self):
        super().__init__(type(self).__name__)


def _from_output(name: str, rule) -> type:
    """A primitive of the operator's output and of the output's gradient."""

    def call(self, y, dy):
        return op.mul(dy, rule(y))

    return type(name, (_Backward,), {"__call__": call, "__module__": __name__})


def _from_input(name: str, operator: str) -> type:
    """A primitive of the output's gradient and of the operator's input."""

    def call(self, dy, x):
        return _pulled(getattr(op, operator), x, dy)

    return type(name, (_Backward,), {"__call__": call, "__module__": __name__})


def _of_input(name: str, operator: str) -> type:
    """A primitive of the operator's input and of the output's gradient."""

    def call(self, x, dy):
        return _pulled(getattr(op, operator), x, dy)

    return type(name, (_Backward,), {"__call__": call, "__module__": __name__})


SqrtGrad = _from_output("SqrtGrad", lambda y: op.div(0.5, y))
RsqrtGrad = _from_output("RsqrtGrad", lambda y: op.mul(op.mul(op.square(y), y), -0.5))
InvGrad = _from_output("InvGrad", lambda y: op.neg(op.square(y)))
ReciprocalGrad = _from_output("ReciprocalGrad", lambda y: op.neg(op.square(y)))
SigmoidGrad = _from_output("SigmoidGrad", lambda y: op.mul(y, op.sub(1.0, y)))
TanhGrad = _from_output("TanhGrad", lambda y: op.sub(1.0, op.square(y)))
AsinhGrad = _from_output("AsinhGrad", lambda y: op.reciprocal(op.cosh(y)))
AcoshGrad = _from_output("AcoshGrad", lambda y: op.reciprocal(op.sinh(y)))

ReluGrad = _from_input("ReluGrad", "relu")
ReLU6Grad = _from_input("ReLU6Grad", "relu6")
HSigmoidGrad = _from_input("HSigmoidGrad", "hsigmoid")
HSwishGrad = _from_input("HSwishGrad", "hswish")
SiLUGrad = _from_input("SiLUGrad", "silu")
SoftplusGrad = _from_input("SoftplusGrad", "softplus_exact")

AbsGrad = _of_input("AbsGrad", "abs")
ACosGrad = _of_input("ACosGrad", "acos")
AsinGrad = _of_input("AsinGrad", "asin")
AtanGrad = _of_input("AtanGrad", "atan")


@composed()
def EluGrad(self, dy, y):
    """Gradient of ELU from its output."""
    return op.mul(dy, op.where(op.greater(y, 0), op.ones_like(y), op.add(y, 1.0)))


@composed()
def GeLUGrad(self, dy, x, y):
    """Gradient of GELU in its form with tanh."""
    return _pulled(op.gelu_tanh, x, dy)


@composed(lambd=0.5)
def SoftShrinkGrad(self, input_grad, input_x):
    """Gradient of the soft shrinkage.

    Args:
        lambd (float): The threshold. Default: ``0.5``.
    """
    return _pulled(lambda x: op.soft_shrink(x, self.lambd), input_x, input_grad)


class HShrinkGrad(Primitive):
    """Gradient of the hard shrinkage.

    Args:
        lambd (float): The threshold. Default: ``0.5``.
    """

    @prim_attr_register
    def __init__(self, lambd=0.5):
        if self.lambd < 0:
            self.add_prim_attr("lambd", 0.0)

    def __call__(self, gradients, features):
        return _pulled(lambda x: op.hard_shrink(x, self.lambd), features, gradients)


@composed(axis=-1)
def LogSoftmaxGrad(self, logits, grad):
    """Gradient of the logarithm of softmax, from its output.

    Args:
        axis (int): Axis of the classes. Default: ``-1``.
    """
    return op.sub(grad, op.mul(op.exp(logits), op.reduce_sum(grad, self.axis, True)))


class BiasAddGrad(Primitive):
    """Gradient of a bias: the sum over all axes but that of the channels.

    Args:
        data_format (str): ``"NCHW"``, ``"NHWC"`` or ``"NCDHW"``. Default: ``"NCHW"``.
    """

    @prim_attr_register
    def __init__(self, data_format="NCHW"):
        if data_format not in ("NCHW", "NHWC", "NCDHW"):
            raise ValueError(
                f"For 'BiasAddGrad', the 'data_format' must be NCHW, NHWC or NCDHW, but got {data_format}."
            )

    def __call__(self, d_output):
        rank = len(d_output.shape)
        if rank < 2:
            raise ValueError(f"For 'BiasAddGrad', the input must have at least 2 axes, but got {rank}.")
        channel = rank - 1 if self.data_format == "NHWC" else 1
        return op.reduce_sum(d_output, tuple(axis for axis in range(rank) if axis != channel))


class DropoutGrad(Primitive):
    """Gradient of dropout.

    Args:
        keep_prob (float): Share of elements that were kept. Default: ``0.5``.
    """

    @prim_attr_register
    def __init__(self, keep_prob=0.5):
        if not 0 < keep_prob <= 1:
            raise ValueError(f"For 'DropoutGrad', the 'keep_prob' must be in (0, 1], but got {keep_prob}.")

    def __call__(self, dy, mask):
        return op.mul(dy, op.mul(op.cast(mask, dy.dtype), 1.0 / self.keep_prob))


class KLDivLossGrad(Primitive):
    """Gradient of the divergence with respect to the first distribution.

    Args:
        reduction (str): How the loss was reduced. Default: ``"mean"``.
    """

    @prim_attr_register
    def __init__(self, reduction="mean"):
        if reduction not in ("none", "mean", "sum", "batchmean"):
            raise ValueError(
                f"For 'KLDivLossGrad', the 'reduction' must be none, mean, sum or batchmean, but got "
                f"{reduction}."
            )

    def __call__(self, grad, input_x, input_target):
        weight = op.where(op.greater(input_target, 0), op.neg(input_target), op.zeros_like(input_target))
        found = op.mul(grad, weight)
        if self.reduction == "mean":
            return op.mul(found, 1.0 / max(1, input_x.size))
        return op.mul(found, 1.0 / input_x.shape[0]) if self.reduction == "batchmean" else found


@composed()
def SigmoidCrossEntropyWithLogitsGrad(self, x, y, dout):
    """Gradient of the cross entropy of a sigmoid."""
    return op.mul(op.sub(op.sigmoid(x), y), dout)


@composed(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)
def LayerNormGrad(self, x, dy, variance, mean, gamma):
    """Gradients of layer normalisation: of the input, of gamma and of beta.

    Args:
        begin_norm_axis (int): First axis that was normalised. Default: ``1``.
        begin_params_axis (int): First axis of gamma and beta. Default: ``1``.
        epsilon (float): Added to the variance. Default: ``1e-7``.
    """
    rank = len(x.shape)
    axes = tuple(range(self.begin_norm_axis % rank, rank))
    before = tuple(range(self.begin_params_axis % rank))
    scale = op.rsqrt(op.add(variance, self.epsilon))
    normal = op.mul(op.sub(x, mean), scale)
    gradient = op.mul(dy, gamma)
    center = op.add(
        op.reduce_mean(gradient, axes, True),
        op.mul(normal, op.reduce_mean(op.mul(gradient, normal), axes, True)),
    )
    product = op.mul(dy, normal)
    return (
        op.mul(op.sub(gradient, center), scale),
        op.reduce_sum(product, before) if before else product,
        op.reduce_sum(dy, before) if before else dy,
    )


@composed(axis=0, epsilon=1e-4)
def L2NormalizeGrad(self, input_x, out, dout):
    """Gradient of the normalisation to length one.

    Args:
        axis (Union[int, list[int], tuple[int]]): Axes of a vector. Default: ``0``.
        epsilon (float): Least square of a length. Default: ``1e-4``.
    """
    return _pulled(lambda x: op.l2_normalize(x, self.axis, self.epsilon), input_x, dout)


@composed()
def SliceGrad(self, dy, x, begin, size):
    """Gradient of a slice: the slice in its place, zeros around it."""

    def integers(values):
        return tuple(values.asnumpy().tolist() if isinstance(values, Tensor) else values)

    start, length = integers(begin), integers(size)
    length = tuple(n - b if s == -1 else s for n, b, s in zip(x.shape, start, length, strict=True))
    return _pulled(lambda value: op.slice(value, start, length), x, dy)


@composed(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
def StridedSliceGrad(self, dy, shapex, begin, end, strides):
    """Gradient of a strided slice: its elements in their places, zeros around them.

    Args:
        begin_mask (int): Axes whose begin is ignored. Default: ``0``.
        end_mask (int): Axes whose end is ignored. Default: ``0``.
        ellipsis_mask (int): Place of an ellipsis. Default: ``0``.
        new_axis_mask (int): Axes that were inserted. Default: ``0``.
        shrink_axis_mask (int): Axes that were removed. Default: ``0``.
    """
    from mindspore import ops

    forward = ops.StridedSlice(
        self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask
    )
    shape = tuple(shapex.asnumpy().tolist()) if isinstance(shapex, Tensor) else tuple(shapex)
    zeros = op.fill(dy.dtype, shape, 0)
    return _pulled(lambda x: forward(x, begin, end, strides), zeros, dy)


class CdistGrad(Primitive):
    """Gradient of distances between rows, with respect to the first matrix.

    Args:
        p (float): Order of the norm. Default: ``2.0``.
    """

    @prim_attr_register
    def __init__(self, p=2.0):
        if p < 0:
            raise ValueError(f"For 'CdistGrad', the 'p' must not be negative, but got {p}.")

    def __call__(self, grad, input_x, input_y, cdist):
        from mindspore import ops

        return _pulled(lambda x: ops.cdist(x, input_y, self.p), input_x, grad)


class _PlaneGrad(Primitive):
    """Gradient of a pooling that kept where its elements stood in their planes."""

    def __call__(self, x, grad, argmax):
        from mindspore.common import dtype as mstype

        return op.plane_scatter(grad, op.cast(argmax, mstype.int32), x.shape[2:])


class MaxPoolGradWithArgmax(_PlaneGrad):
    """Gradient of MaxPoolWithArgmax.

    Args:
        kernel_size (Union[int, tuple[int]]): Size of a window. Default: ``1``.
        strides (Union[int, tuple[int]]): Steps. Default: ``1``.
        pad_mode (str): Kind of padding. Default: ``"VALID"``.
        data_format (str): Order of the axes. Default: ``"NCHW"``.
    """

    @prim_attr_register
    def __init__(self, kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW"):
        pass


class MaxPoolGradWithArgmaxV2(_PlaneGrad):
    """Gradient of MaxPoolWithArgmaxV2.

    Args:
        kernel_size (Union[int, tuple[int]]): Size of a window.
        strides (Union[int, tuple[int]]): Steps. Default: ``None``.
        pads (Union[int, tuple[int]]): Padding. Default: ``0``.
        dilation (Union[int, tuple[int]]): Distance of a window's cells. Default: ``(1, 1)``.
        ceil_mode (bool): Also count windows that reach over the end. Default: ``False``.
        argmax_type (mindspore.dtype): Type of the places. Default: ``None`` (int64).
    """

    @prim_attr_register
    def __init__(self, kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=None):
        pass
