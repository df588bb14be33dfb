# SPDX-License-Identifier: Apache-2.0
"""Distributions of weights."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.initializer import Normal as NormalInitializer
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.nn.cell import Cell
from mindspore.nn.probability.distribution import Normal
from mindspore.ops._registry import op


class NormalPrior(Cell):
    """What is believed of a weight before training: a normal distribution.

    Args:
        dtype (mindspore.dtype): Type of the weight. Default: ``mstype.float32``.
        mean (Union[int, float]): Its mean. Default: ``0``.
        std (Union[int, float]): Its standard deviation. Default: ``0.1``.

    Inputs:
        - **inputs** - Name of a function of the distribution, and its arguments.

    Outputs:
        What the function gives.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, dtype=mstype.float32, mean=0, std=0.1):
        super().__init__()
        self.normal = Normal(mean, std, dtype=dtype)

    def construct(self, *inputs):
        return self.normal(*inputs)


class NormalPosterior(Cell):
    """What is believed of weights during training: normal distributions, whose parameters are trained.

    Args:
        name (str): Begins the names of the parameters.
        shape (Union[list, tuple]): Shape of the weights.
        dtype (mindspore.dtype): Type of the weights. Default: ``mstype.float32``.
        loc_mean (Union[int, float]): Mean of the initial means. Default: ``0``.
        loc_std (Union[int, float]): Standard deviation of the initial means. Default: ``0.1``.
        untransformed_scale_mean (Union[int, float]): Mean of the initial scales, before softplus. Default:
            ``-5``.
        untransformed_scale_std (Union[int, float]): Standard deviation of the initial scales, before
            softplus. Default: ``0.1``.

    Inputs:
        - **inputs** - Name of a function of the distribution, and its arguments.

    Outputs:
        What the function gives.

    Raises:
        TypeError: `name` is no str.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        name,
        shape,
        dtype=mstype.float32,
        loc_mean=0,
        loc_std=0.1,
        untransformed_scale_mean=-5,
        untransformed_scale_std=0.1,
    ):
        super().__init__()
        if not isinstance(name, str):
            raise TypeError(f"For 'NormalPosterior', the 'name' must be str, but got {type(name).__name__}.")
        if not isinstance(shape, (tuple, list)):
            raise TypeError(
                f"For 'NormalPosterior', the 'shape' must be a tuple or list, but got {type(shape).__name__}."
            )
        means = initializer(NormalInitializer(loc_std, loc_mean), shape, dtype)
        scales = NormalInitializer(untransformed_scale_std, untransformed_scale_mean)
        self.mean = Parameter(means, name=name + "_mean")
        self.untransformed_std = Parameter(
            initializer(scales, shape, dtype), name=name + "_untransformed_std"
        )
        self.normal = Normal(dtype=dtype)

    def std_trans(self, std_pre):
        """Softplus.

        Args:
            std_pre (Tensor): Any numbers.

        Returns:
            Tensor, positive.
        """
        return op.maximum(std_pre, 0) + op.log1p(op.exp(-op.abs(std_pre)))

    def construct(self, name, *inputs):
        own = {"mean": self.mean, "sd": self.std_trans(self.untransformed_std)}
        return self.normal(name, *inputs, **own)


def normal_post_fn(name, shape):
    """The usual posterior of a weight.

    Args:
        name (str): Begins the names of the parameters.
        shape (tuple): Shape of the weights.

    Returns:
        NormalPosterior.
    """
    return NormalPosterior(name=name, shape=shape)


__all__ = ["NormalPosterior", "NormalPrior"]
