# SPDX-License-Identifier: Apache-2.0
"""Initial values of parameters."""

from __future__ import annotations

import math
import numbers

import numpy as np

from mindspore import _c_expression as _c
from mindspore._later import defined_names as _defined_names
from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore._wording import Wording as _Wording
from mindspore.common import dtype as mstype
from mindspore.common.seed import _get_graph_seed, get_seed
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

_INITIALIZER_ALIAS: dict[str, type[Initializer]] = {}


# What the documentation of initializers says alike.
_WORDS = _Wording("""
    Args:
        sigma (float): Standard deviation.
        mean (float): Mean.
        gain (float): Factor.
        negative_slope (float): Slope of a leaky rectifier.
        mode (str): ``"fan_in"`` or ``"fan_out"``.
        nonlinearity (str): The activation that follows.
    """)


def _register(*names: str):
    """Makes a class known under its own name and others, in small letters, and completes its docstring."""

    def enter(cls):
        for name in (cls.__name__, *names):
            _INITIALIZER_ALIAS.setdefault(name.lower(), cls)
        return _WORDS(cls)

    return enter


def _numpy_seed() -> int:
    """What the values of one tensor depend on: the next number of NumPy's, which `set_seed` seeds as well."""
    return int(np.random.randint(low=1, high=1 << 63, dtype=np.int64))


def _uniform(shape: tuple, low: float, high: float) -> Tensor:
    return op.initial_uniform(shape, low, high, _numpy_seed())


def _normal(shape: tuple, mean: float, sigma: float) -> Tensor:
    return op.initial_normal(shape, mean, sigma, _numpy_seed())


def _truncated(shape: tuple, mean: float, sigma: float, low: float, high: float) -> Tensor:
    """Normal numbers between bounds."""
    if not low < high:
        raise ValueError(f"For 'TruncatedNormal', 'a' must be smaller than 'b', but got {low} and {high}.")
    return op.initial_truncated_normal(shape, low, high, mean, sigma, _numpy_seed())


def _init_random_normal(mean: float, sigma: float, shape: tuple) -> np.ndarray:
    """An array of normal numbers, for initializers that scripts write."""
    if sigma < 0:
        raise ValueError(f"sigma < 0: the deviation of random numbers must not be negative, but got {sigma}.")
    return _normal(tuple(shape), mean, sigma).asnumpy()


def _init_random_uniform(a: float, b: float, shape: tuple) -> np.ndarray:
    """An array of evenly distributed numbers, for initializers that scripts write."""
    return _uniform(tuple(shape), a, b).asnumpy()


def _init_truncated_normal(a: float, b: float, mean: float, sigma: float, shape: tuple) -> np.ndarray:
    """An array of normal numbers between bounds, for initializers that scripts write."""
    if sigma < 0:
        raise ValueError(f"sigma < 0: the deviation of random numbers must not be negative, but got {sigma}.")
    return _truncated(tuple(shape), mean, sigma, a, b).asnumpy()


def _assignment(arr: np.ndarray, num) -> np.ndarray:
    """Writes a number or an array into an array, and returns it."""
    arr = np.asarray(arr)  # numbers of NumPy's cannot be written into
    arr[...] = num
    return arr


def _calculate_fan_in_and_fan_out(shape: tuple) -> tuple[int, int]:
    """(fan in, fan out) of a weight."""
    if len(shape) < 2:
        raise ValueError(
            "'fan_in' and 'fan_out' can not be computed for tensor with fewer than 2 dimensions, but got "
            f"dimensions {len(shape)}."
        )
    receptive = math.prod(shape[2:])
    return shape[1] * receptive, shape[0] * receptive


def _calculate_in_and_out(arr: np.ndarray) -> tuple[int, int]:
    """(fan in, fan out) of an array."""
    return _calculate_fan_in_and_fan_out(arr.shape)


def _calculate_correct_fan(shape: tuple, mode: str) -> int:
    """The fan that `mode` names."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"'mode' {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(shape)[modes.index(mode.lower())]


_PLAIN_GAINS = {
    **dict.fromkeys(("linear", "sigmoid", "conv1d", "conv2d", "conv3d"), 1),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), 1),
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
}


def _calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By what an activation shrinks deviations; `param` is the slope of a leaky rectifier."""
    if nonlinearity in _PLAIN_GAINS:
        return _PLAIN_GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(
            "For 'HeUniform', the argument 'nonlinearity' should be one of ['sigmoid', 'tanh', 'relu' or "
            f"'leaky_relu'], but got {nonlinearity}."
        )
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(
            f"For 'HeUniform', 'negative_slope' {slope} is not a valid number. When 'nonlinearity' has been "
            f"set to 'leaky_relu', 'negative_slope' should be int or float type, but got {type(slope)}."
        )
    return math.sqrt(2.0 / (1 + slope**2))


def _he_deviation(initializer: HeUniform | HeNormal, shape: tuple) -> float:
    gain = _calculate_gain(initializer.nonlinearity, initializer.negative_slope)
    return gain / math.sqrt(_calculate_correct_fan(shape, initializer.mode))


class Initializer:
    """Base of all initializers.

    Args:
        kwargs (dict): Kept for display.
    """

    def __init__(self, **kwargs):
        self._kwargs = kwargs
        self._seed = None

    def _initialize(self, arr: np.ndarray) -> None:
        """Fills an array; what a subclass of users overrides."""
        arr[...] = self._drawn(arr.shape).asnumpy()

    def _drawn(self, shape: tuple) -> Tensor:
        """Values of type float32 nobody else refers to; what subclasses here override."""
        raise NotImplementedError("Must be overridden!")

    def make(self, shape: tuple, dtype) -> Tensor:
        """A new tensor with the values.

        Args:
            shape (tuple): Its shape.
            dtype (:class:`mindspore.dtype`): Its type.
        """
        kind = type(self)
        if kind._initialize is Initializer._initialize and kind.__call__ is Initializer.__call__:
            values = self._drawn(shape)
        else:
            held = mstype.float32 if dtype is mstype.bfloat16 else dtype
            values = _c.empty(shape, held)
            self(values.asnumpy())
        return values if values.dtype is dtype else op.cast(values, dtype)

    @property
    def seed(self) -> tuple[int, int]:
        """Two numbers for a random primitive, from its own seed, if it was given one, or the global."""
        return _get_graph_seed(get_seed(), "init") if self._seed is None else (self._seed + 1, 0)

    @seed.setter
    def seed(self, value) -> None:
        self._seed = value

    def __call__(self, arr: np.ndarray) -> None:
        """Fills an array."""
        self._initialize(arr)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in self._kwargs.items())})"


@_register("zeros")
class Zero(Initializer):
    """Zeros."""

    def make(self, shape: tuple, dtype) -> Tensor:
        return op.fill(dtype, shape, 0)

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = 0


@_register("ones")
class One(Initializer):
    """Ones."""

    def make(self, shape: tuple, dtype) -> Tensor:
        return op.fill(dtype, shape, 1)

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = 1


class Constant(Initializer):
    """One number everywhere.

    Args:
        value (Union[int, float, numpy.ndarray]): The number.
    """

    def __init__(self, value):
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = self.value


@_register()
class Uniform(Initializer):
    """Evenly distributed between ``-scale`` and ``scale``.

    Args:
        scale (float): The bound.
    """

    def __init__(self, scale=0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _drawn(self, shape: tuple) -> Tensor:
        return _uniform(shape, -self.scale, self.scale)


@_register()
class Normal(Initializer):
    """Normally distributed."""

    def __init__(self, sigma=0.01, mean=0.0):
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _drawn(self, shape: tuple) -> Tensor:
        return _normal(shape, self.mean, self.sigma)


@_register()
class TruncatedNormal(Initializer):
    """Normally distributed, within absolute bounds.

    Args:
        a (float): Lower bound.
        b (float): Upper bound.
    """

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0):
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _drawn(self, shape: tuple) -> Tensor:
        return _truncated(shape, self.mean, self.sigma, self.a, self.b)


@_register("he_uniform")
class HeUniform(Initializer):
    """Evenly distributed, scaled after He et al. (2015) to keep the variance through rectifiers."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _drawn(self, shape: tuple) -> Tensor:
        bound = math.sqrt(3.0) * _he_deviation(self, shape)
        return _uniform(shape, -bound, bound)


@_register("he_normal")
class HeNormal(Initializer):
    """Normally distributed, scaled after He et al. (2015) to keep the variance through rectifiers."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _drawn(self, shape: tuple) -> Tensor:
        return _normal(shape, 0.0, _he_deviation(self, shape))


@_register("xavier_uniform")
class XavierUniform(Initializer):
    """Evenly distributed, scaled after Glorot and Bengio (2010)."""

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _drawn(self, shape: tuple) -> Tensor:
        bound = self.gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(shape)))
        return _uniform(shape, -bound, bound)


@_register("xavier_normal")
class XavierNormal(Initializer):
    """Normally distributed, scaled after Glorot and Bengio (2010)."""

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _drawn(self, shape: tuple) -> Tensor:
        return _normal(shape, 0.0, self.gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(shape))))


@_register()
class VarianceScaling(Initializer):
    """Distributed with a variance of ``scale / fan``.

    Args:
        scale (float): Factor.
        mode (str): ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution (str): ``"uniform"``, ``"untruncated_normal"`` or ``"truncated_normal"``.
    """

    # A normal distribution cut at two deviations has this deviation.
    _CUT_DEVIATION = 0.87962566103423978

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal"):
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if scale <= 0:
            raise ValueError(f"For 'VarianceScaling', 'scale' must be greater than 0, but got {scale}.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                f"For 'VarianceScaling', 'mode' must be fan_in, fan_out or fan_avg, but got {mode}."
            )
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "For 'VarianceScaling', 'distribution' must be uniform, truncated_normal or "
                f"untruncated_normal, but got {distribution}."
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _drawn(self, shape: tuple) -> Tensor:
        fan_in, fan_out = _calculate_fan_in_and_fan_out(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            bound = math.sqrt(3.0 * variance)
            return _uniform(shape, -bound, bound)
        if self.distribution == "untruncated_normal":
            return _normal(shape, 0.0, math.sqrt(variance))
        deviation = math.sqrt(variance) / self._CUT_DEVIATION
        return _truncated(shape, 0.0, deviation, -2 * deviation, 2 * deviation)


@_register()
class Orthogonal(Initializer):
    """A matrix with orthonormal rows or columns."""

    def __init__(self, gain=1.0):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim < 2:
            raise ValueError(f"Orthogonal initializer requires at least 2 dimensions, but got {arr.ndim}.")
        rows = arr.shape[0]
        columns = arr.size // rows
        drawn = _normal((rows, columns), 0.0, 1.0).asnumpy()
        basis, triangle = np.linalg.qr(drawn.T if rows < columns else drawn)
        basis = basis * np.sign(np.diag(triangle))
        arr[...] = self.gain * (basis.T if rows < columns else basis).reshape(arr.shape)


@_register()
class Identity(Initializer):
    """A matrix with ones on the diagonal."""

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim != 2:
            raise ValueError(
                f"For Identity initializer, the dimension of the initialized tensor should be 2, "
                f"but got {arr.ndim}."
            )
        arr[...] = np.eye(*arr.shape)


@_register()
class Dirac(Initializer):
    """A convolution weight that passes its input on.

    Args:
        groups (int): Groups of the convolution.
    """

    def __init__(self, groups=1):
        super().__init__(groups=groups)
        if not isinstance(groups, int) or groups <= 0:
            raise ValueError(f"For Dirac initializer, 'groups' must be a positive int, but got {groups}.")
        self.groups = groups

    def _initialize(self, arr: np.ndarray) -> None:
        if not 3 <= arr.ndim <= 5:
            raise ValueError(f"For Dirac initializer, only support 3 to 5 dimensions, but got {arr.ndim}.")
        if arr.shape[0] % self.groups:
            raise ValueError("For Dirac initializer, the first dimension must be divisible by 'groups'.")
        arr[...] = 0
        centre = tuple(length // 2 for length in arr.shape[2:])
        per_group = arr.shape[0] // self.groups
        for group in range(self.groups):
            for channel in range(min(per_group, arr.shape[1])):
                arr[(group * per_group + channel, channel, *centre)] = 1


@_register()
class Sparse(Initializer):
    """A normally distributed matrix with a share of zeros in every column.

    Args:
        sparsity (float): The share.
        sigma (float): Standard deviation of the others.
    """

    def __init__(self, sparsity, sigma=0.01):
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim != 2:
            raise ValueError(f"For Sparse initializer, only support 2 dimensions, but got {arr.ndim}.")
        rows, columns = arr.shape
        arr[...] = _normal(arr.shape, 0.0, self.sigma).asnumpy()
        zeros = math.ceil(self.sparsity * rows)
        for column in range(columns):
            arr[np.random.permutation(rows)[:zeros], column] = 0


def _initializer_of(init) -> Initializer:
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        cls = _INITIALIZER_ALIAS.get(init.lower())
        if cls is None:
            raise ValueError(f"For 'initializer', the class corresponding to '{init}' was not found.")
        return cls()
    if isinstance(init, numbers.Number):
        return Constant(init)
    raise TypeError(
        "For 'initializer', the type of the 'init' argument should be 'Tensor', 'number', 'string' or "
        f"'initializer', but got {type(init)}."
    )


def _checked_shape(shape) -> tuple:
    if isinstance(shape, numbers.Number):
        shape = (shape,)
    elif not isinstance(shape, (list, tuple)):
        raise ValueError(f"The 'shape' must be int, tuple or list, but got {type(shape)}.")
    for length in shape:
        if isinstance(length, bool) or not isinstance(length, (int, np.integer)) or length <= 0:
            raise ValueError(
                f"For 'initializer', the argument 'shape' is invalid, the value of 'shape' must be "
                f"positive integer, but got {tuple(shape)}."
            )
    return tuple(int(length) for length in shape)


def initializer(init, shape=None, dtype=mstype.float32) -> Tensor:
    """A tensor that is filled when it is needed.

    Args:
        init (Union[Tensor, str, Initializer, numbers.Number]): What fills it.
        shape (Union[tuple, list, int]): Its shape. Default: ``None``.
        dtype (:class:`mindspore.dtype`): Its type. Default: ``mindspore.float32``.

    Returns:
        Tensor without data; `init_data()` fills it.

    Raises:
        TypeError: `init` is of another type.
        ValueError: `init` is a name nobody knows, or a length in `shape` is not positive.

    Examples:
        >>> from mindspore.common.initializer import initializer
        >>> initializer("ones", [2, 3]).init_data().shape
        (2, 3)
    """
    if isinstance(init, Tensor):
        if shape is not None and tuple(init.shape) != _checked_shape(shape):
            raise ValueError(
                "For 'initializer', the shape of the 'init' argument should be same as the argument "
                "'shape', but got "
                f"the 'init' shape {tuple(init.shape)} and the 'shape' {tuple(_checked_shape(shape))}."
            )
        return init
    return Tensor(shape=_checked_shape(shape), dtype=dtype, init=_initializer_of(init))


__getattr__ = _explains_missing_names(globals())


__all__ = _defined_names(globals())
