# SPDX-License-Identifier: Apache-2.0
"""Layers whose weights are distributed."""

from __future__ import annotations

from mindspore import ops
from mindspore._wording import Wording
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.layer.basic import activation_of
from mindspore.nn.probability.bnn_layers.layer_distribution import (
    NormalPosterior,
    NormalPrior,
    normal_post_fn,
)
from mindspore.nn.probability.distribution import Distribution
from mindspore.ops._registry import op

# What the documentation of these layers says alike.
_LAYER = Wording("""
    Args:
        in_channels (int): Features of the input.
        out_channels (int): Features of the output.
        activation (Union[str, Cell]): Applied to the result.
        has_bias (bool): Whether there is a bias.
        weight_prior_fn: Makes the prior of the weight.
        weight_posterior_fn: Makes its posterior from a name and a shape.
        bias_prior_fn: Makes the prior of the bias.
        bias_posterior_fn: Makes its posterior from a name and a shape.

    Inputs:
        - **x** (Tensor) - (..., in_channels).

    Outputs:
        Tensor, (..., out_channels).

    Supported Platforms:
        ``CPU``
    """)


def _prior(prior, name: str, owner: str):
    if isinstance(prior, (Cell, Distribution)):
        return prior
    made = prior()
    if not isinstance(made, (Cell, Distribution)):
        raise TypeError(f"For '{owner}', the '{name}' must make a Cell, but got {type(made).__name__}.")
    return made


def _posterior(make, label: str, shape, name: str, owner: str):
    made = make(shape=shape, name=label)
    if not isinstance(made, NormalPosterior) and not isinstance(made, Cell):
        raise TypeError(f"For '{owner}', the '{name}' must make a Cell, but got {type(made).__name__}.")
    return made


class _Variational:
    """Priors and posteriors of a layer's weight and bias."""

    def _believe(
        self, shape, bias_shape, weight_prior_fn, weight_posterior_fn, bias_prior_fn, bias_posterior_fn
    ):
        owner = self.cls_name
        self.weight_prior = _prior(weight_prior_fn, "weight_prior_fn", owner)
        self.weight_posterior = _posterior(
            weight_posterior_fn, "bnn_weight", shape, "weight_posterior_fn", owner
        )
        if self.has_bias:
            self.bias_prior = _prior(bias_prior_fn, "bias_prior_fn", owner)
            self.bias_posterior = _posterior(
                bias_posterior_fn, "bnn_bias", bias_shape, "bias_posterior_fn", owner
            )

    @staticmethod
    def _divergence(prior, posterior):
        return op.reduce_sum(posterior("kl_loss", prior("get_dist_type"), *prior("get_dist_args")))

    def compute_kl_loss(self):
        """How far the posteriors are from the priors.

        Returns:
            Tensor, one number.
        """
        total = self._divergence(self.weight_prior, self.weight_posterior)
        if self.has_bias:
            total = total + self._divergence(self.bias_prior, self.bias_posterior)
        return total


class _Dense(_Variational, Cell):
    def __init__(
        self,
        in_channels,
        out_channels,
        activation=None,
        has_bias=True,
        weight_prior_fn=NormalPrior,
        weight_posterior_fn=normal_post_fn,
        bias_prior_fn=NormalPrior,
        bias_posterior_fn=normal_post_fn,
    ):
        Cell.__init__(self)
        self.in_channels = check.positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = check.positive_int(out_channels, "out_channels", self.cls_name)
        self.has_bias = check.boolean(has_bias, "has_bias", self.cls_name)
        functions = weight_prior_fn, weight_posterior_fn, bias_prior_fn, bias_posterior_fn
        self._believe([out_channels, in_channels], [out_channels], *functions)
        self.activation = activation_of(activation, self.cls_name)

    def construct(self, x):
        outputs = self.apply_variational_weight(x)
        if self.has_bias:
            outputs = outputs + self.bias_posterior("sample")
        return outputs if self.activation is None else self.activation(outputs)

    def apply_variational_weight(self, inputs):
        """The product of inputs and a weight that is drawn.

        Args:
            inputs (Tensor): (..., in_channels).

        Returns:
            Tensor, (..., out_channels).
        """
        raise NotImplementedError

    def extend_repr(self) -> str:
        return f"in_channels={self.in_channels}, out_channels={self.out_channels}, has_bias={self.has_bias}"


@_LAYER
class DenseReparam(_Dense):
    """A dense layer that draws its weight for every call."""

    def apply_variational_weight(self, inputs):
        """The product of inputs and a weight that is drawn.

        Args:
            inputs (Tensor): (..., in_channels).

        Returns:
            Tensor, (..., out_channels).
        """
        return op.dense(inputs, self.weight_posterior("sample"), None)


@_LAYER
class DenseLocalReparam(_Dense):
    """A dense layer that draws its outputs instead of its weight, for less varying gradients."""

    def apply_variational_weight(self, inputs):
        """Outputs drawn with the mean and variance that a drawn weight would give them.

        Args:
            inputs (Tensor): (..., in_channels).

        Returns:
            Tensor, (..., out_channels).
        """
        mean = op.dense(inputs, self.weight_posterior("mean"), None)
        variance = op.dense(op.square(inputs), self.weight_posterior("var"), None)
        noise = op.cast(ops.standard_normal(mean.shape), mean.dtype)
        return mean + op.sqrt(variance) * noise


@_LAYER
class ConvReparam(_Variational, Cell):
    """A convolution that draws its weight for every call.

    Args:
        in_channels (int): Channels of the input.
        out_channels (int): Channels of the output.
        kernel_size (Union[int, tuple[int]]): Size of the window.
        stride (Union[int, tuple[int]]): Step of the window.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``.
        padding (Union[int, tuple[int]]): Border for ``"pad"``.
        dilation (Union[int, tuple[int]]): Distance of the window's elements.
        group (int): Groups of channels.

    Inputs:
        - **inputs** (Tensor) - (N, in_channels, H, W).

    Outputs:
        Tensor, (N, out_channels, H', W').
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_prior_fn=NormalPrior,
        weight_posterior_fn=normal_post_fn,
        bias_prior_fn=NormalPrior,
        bias_posterior_fn=normal_post_fn,
    ):
        Cell.__init__(self)
        owner = self.cls_name
        self.in_channels = check.positive_int(in_channels, "in_channels", owner)
        self.out_channels = check.positive_int(out_channels, "out_channels", owner)
        self.kernel_size = check.ints(kernel_size, 2, "kernel_size", owner)
        self.stride = check.ints(stride, 2, "stride", owner)
        self.dilation = check.ints(dilation, 2, "dilation", owner)
        self.group = check.positive_int(group, "group", owner)
        self.has_bias = check.boolean(has_bias, "has_bias", owner)
        self.pad_mode, self.padding = pad_mode, padding
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"For '{owner}', the 'group' must divide 'in_channels' and 'out_channels', but got {group}, "
                f"{in_channels} and {out_channels}."
            )
        functions = weight_prior_fn, weight_posterior_fn, bias_prior_fn, bias_posterior_fn
        self._believe([out_channels, in_channels // group, *self.kernel_size], [out_channels], *functions)
        self.conv2d = ops.Conv2D(
            out_channel=out_channels,
            kernel_size=self.kernel_size,
            pad_mode=pad_mode,
            pad=padding,
            stride=self.stride,
            dilation=self.dilation,
            group=group,
        )

    def construct(self, inputs):
        outputs = self.conv2d(inputs, self.weight_posterior("sample"))
        if self.has_bias:
            outputs = outputs + op.reshape(self.bias_posterior("sample"), (1, -1, 1, 1))
        return outputs

    def extend_repr(self) -> str:
        return (
            f"in_channels={self.in_channels}, out_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}"
        )
