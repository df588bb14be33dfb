# SPDX-License-Identifier: Apache-2.0
"""A distribution seen through a bijector."""

from __future__ import annotations

from mindspore._kept import Kept
from mindspore.nn.probability import _parameters as given
from mindspore.nn.probability.bijector.bijector import Bijector
from mindspore.nn.probability.distribution.distribution import Distribution
from mindspore.ops._registry import op


def _before(name: str):
    """A function of what a value was before it was transformed."""

    def function(self, value, *args, **kwargs):
        return getattr(self._distribution, name)(self._bijector.inverse(value), *args, **kwargs)

    return function


class TransformedDistribution(Distribution):
    """Distribution of ``bijector(x)`` where `x` has a given distribution.

    Args:
        bijector (Bijector): The transformation.
        distribution (Distribution): The distribution of what is transformed, of a floating type.
        seed (int): Seed of samples. Default: ``None``, that of `distribution`.
        name (str): Its name. Default: ``"transformed_distribution"``.

    Raises:
        TypeError: An argument has another type.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore.nn.probability import bijector, distribution
        >>> base = distribution.Normal(0.0, 1.0)
        >>> log_normal = distribution.TransformedDistribution(bijector.Exp(), base)
        >>> print(log_normal.cdf(ms.Tensor([1.0])))
        [0.5]
    """

    def __init__(self, bijector, distribution, seed=None, name="transformed_distribution"):
        for label, value, kind in (
            ("bijector", bijector, Bijector),
            ("distribution", distribution, Distribution),
        ):
            if not isinstance(value, kind):
                raise TypeError(
                    f"For 'TransformedDistribution', the '{label}' must be a {kind.__name__}, but got "
                    f"{type(value).__name__}."
                )
        seed = distribution.seed if seed is None else seed
        super().__init__(seed, distribution.dtype, name, {"param_dict": {}})
        self._bijector, self._distribution = bijector, distribution
        self._is_linear_transformation = bijector.is_constant_jacobian
        self.parameter_names = list(distribution.parameter_names)
        self.__dict__["default_parameters"] = distribution.default_parameters
        shapes = [s for s in (distribution.batch_shape, bijector.batch_shape) if s is not None]
        known = distribution.batch_shape is not None
        names = ("distribution", "bijector")[: len(shapes)]
        shape = given.broadcast("TransformedDistribution", names, shapes) if known else None
        self._batch_shape = self._broadcast_shape = shape
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch

    bijector = Kept("", "The transformation.")
    distribution = Kept("", "The distribution of what is transformed.")

    @property
    def dtype(self):
        """Type of values."""
        return self._distribution.dtype

    is_linear_transformation = Kept(
        "bool", "Whether the transformation stretches all parts alike, so that means are transformed too."
    )

    def _log_prob(self, value, *args, **kwargs):
        before = self._bijector.inverse(value)
        density = self._distribution.log_prob(before, *args, **kwargs)
        return density + self._bijector.inverse_log_jacobian(value)

    _cdf, _log_cdf = _before("cdf"), _before("log_cdf")
    _survival_function, _log_survival = _before("survival_function"), _before("log_survival")

    def _mean(self, *args, **kwargs):
        if not self._is_linear_transformation:
            raise NotImplementedError(
                f"For '{self.name}', the mean is known only for bijectors with a constant jacobian."
            )
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _entropy(self, *args, **kwargs):
        if not self._is_linear_transformation:
            raise NotImplementedError(
                f"For '{self.name}', the entropy is known only for bijectors with a constant jacobian."
            )
        centre = self._distribution.mean(*args, **kwargs)
        own = self._distribution.entropy(*args, **kwargs)
        return own + self._bijector.forward_log_jacobian(op.zeros_like(centre))

    def _sample(self, *args, **kwargs):
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))
