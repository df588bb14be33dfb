# SPDX-License-Identifier: Apache-2.0
"""What distributions share: parameters, functions that follow from each other, and how formulas are run."""

from __future__ import annotations

from mindspore._kept import Kept
from mindspore._wording import Wording
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.probability import _parameters as given
from mindspore.ops._registry import op

# What the documentation of distributions says alike.
DISTRIBUTION = Wording("""
    Args:
        loc (Union[int, float, list, numpy.ndarray, Tensor]): Its centre. Default: ``None``, given with
            every call.
        scale (Union[int, float, list, numpy.ndarray, Tensor]): Its scale, positive.
        mean (Union[int, float, list, numpy.ndarray, Tensor]): Its centre. Default: ``None``, given with
            every call.
        sd (Union[int, float, list, numpy.ndarray, Tensor]): Its scale, positive.
        rate (Union[int, float, list, numpy.ndarray, Tensor]): Its rate, positive. Default: ``None``,
            given with every call.
        seed (int): Seed of samples.
        dtype (mindspore.dtype): Type of values, floating.
        name (str): Its name.

    Raises:
        TypeError: An argument has another type.
        ValueError: A parameter is not in its range, or shapes do not fit.

    Supported Platforms:
        ``CPU``
    """)

# function -> (function it follows from, how), in order of preference.
_FOLLOWS = {
    "prob": (("log_prob", op.exp),),
    "log_prob": (("prob", op.log),),
    "cdf": (
        ("log_cdf", op.exp),
        ("survival_function", lambda p: op.sub(1, p)),
        ("log_survival", lambda p: op.sub(1, op.exp(p))),
    ),
    "log_cdf": (("cdf", op.log),),
    "survival_function": (("cdf", lambda p: op.sub(1, p)), ("log_survival", op.exp)),
    "log_survival": (("survival_function", op.log),),
    "sd": (("var", op.sqrt),),
    "var": (("sd", op.square),),
}
_FUNCTIONS = (*_FOLLOWS, "mean", "mode", "entropy", "kl_loss", "cross_entropy", "sample")

# What a parameter may be: (condition, words).
ANY = (None, "any number")
POSITIVE = (lambda v: v > 0, "greater than 0")
PROBABILITY = (lambda v: (v > 0) & (v < 1), "in (0, 1)")


def _parameter(name: str) -> property:
    """A property that gives a parameter."""
    return property(lambda self: getattr(self, f"_{name}_value"), doc=f"The parameter `{name}`.")


class Distribution(Cell):
    """Base of distributions.

    A distribution of one's own defines functions as `_log_prob(self, value, *parameters)`,
    `_mean(self, *parameters)` and so on; functions that follow from them (`prob` from `log_prob`, `sd` from
    `var`, ...) come by themselves, others raise NotImplementedError.

    Args:
        seed (int): Seed of samples; None or 0 for the global one.
        dtype (mindspore.dtype): Type of values.
        name (str): Its name.
        param (dict): With the key "param_dict": parameters by name.

    Raises:
        TypeError: An argument has another type.
        ValueError: Shapes of parameters do not fit.

    Supported Platforms:
        ``CPU``
    """

    # Types a value may have; None for any.
    _KINDS = mstype.float_type
    # parameter -> (condition, words); checked where values are known.
    _RULES: dict = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name in vars(cls).get("_RULES", ()):
            if not hasattr(cls, name):  # `mean` and `sd` are functions
                setattr(cls, name, _parameter(name))

    def __init__(self, seed: int | None, dtype, name, param):
        super().__init__()
        owner = type(self).__name__
        given.check_name(name, owner)
        if seed is None:
            seed = 0
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"For '{owner}', the 'seed' must be int, but got {type(seed).__name__}.")
        if seed < 0:
            raise ValueError(f"For '{owner}', the 'seed' must not be negative, but got {seed}.")
        if self._KINDS is not None and dtype not in self._KINDS:
            raise TypeError(f"For '{owner}', the 'dtype' must be in {list(self._KINDS)}, but got {dtype}.")
        self._name, self._seed, self._dtype = name, seed, dtype
        values = param.get("param_dict", {})
        known = {key: value for key, value in values.items() if value is not None}
        self.parameter_type = given.common_kind(known, dtype)
        self.parameter_names: list = []
        # Past the cell's own bookkeeping: parameters among them belong to the attributes that name them.
        self.__dict__["default_parameters"] = ()
        if type(self)._RULES:
            self._take(values)
        self._set_shape(list(known), [given.shape_of(v) for v in known.values()], len(known) == len(values))

    def _take(self, values: dict) -> None:
        for name, (condition, words) in self._RULES.items():
            tensor = self._add_parameter(values[name], name)
            setattr(self, f"_{name}_value", tensor)
            if tensor is not None and condition is not None:
                given.require(condition, tensor, name, type(self).__name__, words)

    def _set_shape(self, names, shapes, complete: bool) -> None:
        shape = given.broadcast(type(self).__name__, names, shapes) if shapes else None
        self._batch_shape = self._broadcast_shape = shape if complete else None
        self._is_scalar_batch = complete and not any(shapes)

    def _add_parameter(self, value, name: str):
        """The tensor of a parameter, or None; parameters are added in their order."""
        self.parameter_names = [*self.parameter_names, name]
        tensor = (
            None if value is None else given.as_tensor(value, self.parameter_type, name, type(self).__name__)
        )
        self.__dict__["default_parameters"] = (*self.default_parameters, tensor)
        return tensor

    name = Kept("str", "Its name.")
    dtype = Kept("", "Type of values.")
    seed = Kept("int", "Seed of samples.")

    @property
    def parameters(self) -> dict:
        """Parameters by name."""
        return dict(zip(self.parameter_names, self.default_parameters, strict=True))

    is_scalar_batch = Kept("bool", "Whether all parameters are single numbers.")
    batch_shape = Kept("", "Common shape of the parameters; None when they are not given.")
    broadcast_shape = Kept("", "Common shape of the parameters; None when they are not given.")

    # ---- parameters and values of a call ----------------------------------------------------------

    def _parameters_of(self, args, kwargs) -> list:
        """The parameters of a call, or the own where none are given, in one shape."""
        names = self.parameter_names
        if len(args) > len(names) or set(kwargs) - set(names):
            raise TypeError(f"For '{self.name}', only the parameters {names} may be given.")
        found = []
        for i, name in enumerate(names):
            value = args[i] if i < len(args) and args[i] is not None else kwargs.get(name)
            if value is None:
                value = self.default_parameters[i]
            if value is None:
                raise TypeError(
                    f"For '{self.name}', the '{name}' should be a Tensor. It should not be None since it is "
                    "not specified during initialization."
                )
            found.append(given.as_tensor(value, self.parameter_type, name, self.name))
        if any(p.dtype != self.parameter_type for p in found):
            found = [op.cast(p, self.parameter_type) for p in found]
        return given.stretched(found)

    def _check_param_type(self, *args):
        """For subclasses: the parameters of a call; a single one by itself."""
        found = self._parameters_of(args, {})
        return found[0] if len(found) == 1 else found

    def _check_value(self, value, name: str):
        """`value`; TypeError when it is no Tensor."""
        if not isinstance(value, Tensor):
            raise TypeError(
                f"For '{self.name}', the '{name}' must be a Tensor, but got {type(value).__name__}."
            )
        return value

    def _check_other(self, dist) -> None:
        if not isinstance(dist, str):
            raise TypeError(f"For '{self.name}', the 'dist' must be str, but got {type(dist).__name__}.")
        wanted = self._get_dist_type()
        if dist != wanted:
            raise ValueError(f"For '{self.name}', the 'dist' must be {wanted}, but got {dist}.")

    def _event_batch(self, parameters) -> tuple:
        """Shape of one sample."""
        return parameters[0].shape if parameters else ()

    def _get_dist_type(self) -> str:
        return type(self).__name__

    def get_dist_type(self) -> str:
        """The kind of distribution, as `kl_loss` and `cross_entropy` want it."""
        return self._get_dist_type()

    def get_dist_args(self, *args, **kwargs):
        """The parameters: those given, else the own.

        Returns:
            tuple[Tensor].
        """
        names = self.parameter_names
        values = [args[i] if i < len(args) else kwargs.get(name) for i, name in enumerate(names)]
        values = [self.default_parameters[i] if v is None else v for i, v in enumerate(values)]
        return tuple(
            v if v is None else given.as_tensor(v, self.parameter_type, name, self.name)
            for name, v in zip(names, values, strict=True)
        )

    # ---- functions --------------------------------------------------------------------------------

    @classmethod
    def _defined(cls, name: str):
        return getattr(cls, "_" + name, None)

    def _call(self, name: str, *args, **kwargs):
        """A function that is defined, or that follows from one that is."""
        if self._defined(name) is not None:
            return getattr(self, "_" + name)(*args, **kwargs)
        for source, turn in _FOLLOWS.get(name, ()):
            if self._defined(source) is not None:
                return turn(getattr(self, "_" + source)(*args, **kwargs))
        if name in ("log_cdf", "log_survival"):
            source = _FOLLOWS[name][0][0]
            if any(self._defined(other) is not None for other, _ in _FOLLOWS[source]):
                return op.log(self._call(source, *args, **kwargs))
        raise NotImplementedError(f"For '{self.name}', the '{name}' is not implemented.")

    def log_prob(self, value, *args, **kwargs):
        """Logarithm of the probability (density) of a value."""
        return self._call("log_prob", value, *args, **kwargs)

    def prob(self, value, *args, **kwargs):
        """Probability (density) of a value."""
        return self._call("prob", value, *args, **kwargs)

    def cdf(self, value, *args, **kwargs):
        """Probability of what is not above a value."""
        return self._call("cdf", value, *args, **kwargs)

    def log_cdf(self, value, *args, **kwargs):
        """Logarithm of `cdf`."""
        return self._call("log_cdf", value, *args, **kwargs)

    def survival_function(self, value, *args, **kwargs):
        """Probability of what is above a value."""
        return self._call("survival_function", value, *args, **kwargs)

    def log_survival(self, value, *args, **kwargs):
        """Logarithm of `survival_function`."""
        return self._call("log_survival", value, *args, **kwargs)

    def kl_loss(self, dist, *args, **kwargs):
        """Kullback-Leibler divergence from another distribution, given by its kind and parameters."""
        return self._call("kl_loss", dist, *args, **kwargs)

    def mean(self, *args, **kwargs):
        """Expected value."""
        return self._call("mean", *args, **kwargs)

    def mode(self, *args, **kwargs):
        """Most likely value."""
        return self._call("mode", *args, **kwargs)

    def sd(self, *args, **kwargs):
        """Standard deviation."""
        return self._call("sd", *args, **kwargs)

    def var(self, *args, **kwargs):
        """Variance."""
        return self._call("var", *args, **kwargs)

    def entropy(self, *args, **kwargs):
        """Entropy, in nats."""
        return self._call("entropy", *args, **kwargs)

    def cross_entropy(self, dist, *args, **kwargs):
        """Cross entropy with another distribution, given by its kind and parameters."""
        if self._defined("cross_entropy") is not None:
            return self._cross_entropy(dist, *args, **kwargs)
        own = args[len(self.parameter_names) :]
        return op.add(self._call("entropy", *own), self._call("kl_loss", dist, *args, **kwargs))

    def sample(self, *args, **kwargs):
        """Draws numbers: a shape first, then parameters."""
        return self._call("sample", *args, **kwargs)

    def construct(self, name, *args, **kwargs):
        """Calls a function by its name.

        Args:
            name (str): The function.
            args: Its arguments.
            kwargs: Its named arguments.
        """
        if name not in (*_FUNCTIONS, "get_dist_args", "get_dist_type"):
            raise NotImplementedError(f"For '{self.name}', there is no function '{name}'.")
        return getattr(self, name)(*args, **kwargs)

    def extend_repr(self) -> str:
        if self.is_scalar_batch:
            return ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"batch_shape = {self._broadcast_shape}"
