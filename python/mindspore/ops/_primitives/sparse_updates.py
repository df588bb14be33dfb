# SPDX-License-Identifier: Apache-2.0
"""Optimizer steps whose gradient is given for some rows of a parameter only."""

from __future__ import annotations

from mindspore._argument_checks.types import check_value_type
from mindspore._c_expression import Tensor
from mindspore._later import defined_classes
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register


class _RowUpdate(Primitive):
    """What these steps share: checks, the gradient as a whole tensor, and which rows it touches."""

    _floats = (mstype.float16, mstype.float32, mstype.float64)

    def _check(self, states: dict, grad: Tensor, indices: Tensor) -> None:
        first, *others = states.items()
        for name, state in [first, *others, ("grad", grad)]:
            if not isinstance(state, Tensor) or state.dtype not in self._floats:
                kind = state.dtype if isinstance(state, Tensor) else type(state)
                raise TypeError(f"For '{self.name}', the '{name}' must hold floats, but got {kind}.")
        if not isinstance(indices, Tensor) or indices.dtype not in (mstype.int32, mstype.int64):
            raise TypeError(f"For '{self.name}', the 'indices' must be an int32 or int64 Tensor.")
        shape = first[1].shape
        for name, state in others:
            if state.shape != shape:
                raise ValueError(
                    f"For '{self.name}', the shape of '{name}' must be that of '{first[0]}' {shape}, but got "
                    f"{state.shape}."
                )
        if len(indices.shape) != 1 or grad.shape[:1] != indices.shape or grad.shape[1:] != shape[1:]:
            raise ValueError(
                f"For '{self.name}', 'grad' must hold one row per index, but got shapes {grad.shape}, "
                f"{indices.shape} and '{first[0]}' {shape}."
            )

    @staticmethod
    def _spread(variable: Tensor, grad: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
        """The gradient in the shape of the parameter, and where it has rows; equal indices add up."""
        zeros = op.zeros_like(variable)
        whole = op.scatter_add_axis(zeros, indices, op.cast(grad, variable.dtype), 0)
        count = op.scatter_add_axis(zeros, indices, op.ones_like(op.cast(grad, variable.dtype)), 0)
        return whole, op.greater(count, 0)

    @staticmethod
    def _store(pairs, touched: Tensor | None = None) -> tuple:
        """Writes new values, of the touched rows only; returns the tensors that hold them."""
        for target, value in pairs:
            value = op.cast(value, target.dtype)
            op.assign(target, value if touched is None else op.where(touched, value, target))
        return tuple(target for target, _ in pairs)


class _Adam(_RowUpdate):
    """Both forms of Adam."""

    @prim_attr_register
    def __init__(self, use_locking=False, use_nesterov=False):
        pass

    def _step(self, states, rates, gradient, indices, lazy: bool):
        var, m, v = states
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = rates
        self._check({"var": var, "m": m, "v": v}, gradient, indices)
        whole, touched = self._spread(var, gradient, indices)
        new_m = op.add(op.mul(m, beta1), op.mul(whole, op.sub(1.0, beta1)))
        new_v = op.add(op.mul(v, beta2), op.mul(op.square(whole), op.sub(1.0, beta2)))
        rate = op.div(op.mul(lr, op.sqrt(op.sub(1.0, beta2_power))), op.sub(1.0, beta1_power))
        direction = new_m
        if self.use_nesterov:
            direction = op.add(op.mul(new_m, beta1), op.mul(whole, op.sub(1.0, beta1)))
        step = op.div(op.mul(rate, direction), op.add(op.sqrt(new_v), epsilon))
        values = ((var, op.sub(var, step)), (m, new_m), (v, new_v))
        return self._store(values, touched if lazy else None)


class FusedSparseAdam(_Adam):
    """Adam with a gradient of some rows: the moments of all rows decay.

    Args:
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        use_nesterov (bool): Nesterov's form. Default: ``False``.
    """

    def __call__(
        self, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, indices
    ) -> tuple:
        rates = (beta1_power, beta2_power, lr, beta1, beta2, epsilon)
        return self._step((var, m, v), rates, gradient, indices, lazy=False)


class FusedSparseLazyAdam(_Adam):
    """Adam with a gradient of some rows: other rows stay as they are.

    Args:
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        use_nesterov (bool): Nesterov's form. Default: ``False``.
    """

    def __call__(
        self, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, indices
    ) -> tuple:
        rates = (beta1_power, beta2_power, lr, beta1, beta2, epsilon)
        return self._step((var, m, v), rates, gradient, indices, lazy=True)


class _Ftrl(_RowUpdate):
    """Follow the regularised leader."""

    def _check_rates(self) -> None:
        for name, value in (("lr", self.lr), ("l1", self.l1), ("l2", self.l2), ("lr_power", self.lr_power)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"For '{self.name}', the '{name}' must be a number, but got {type(value)}.")
        if self.lr <= 0 or self.l1 < 0 or self.l2 < 0 or self.lr_power > 0:
            raise ValueError(
                f"For '{self.name}', 'lr' must be positive, 'l1' and 'l2' not negative and 'lr_power' not "
                f"positive, but got {self.lr}, {self.l1}, {self.l2} and {self.lr_power}."
            )

    def _step(self, var, accum, linear, grad, indices, shrinkage: float = 0.0) -> tuple:
        self._check({"var": var, "accum": accum, "linear": linear}, grad, indices)
        whole, touched = self._spread(var, grad, indices)
        pulled = op.add(whole, op.mul(var, 2 * shrinkage)) if shrinkage else whole
        new_accum = op.add(accum, op.square(whole))

        def power(value):
            return op.sqrt(value) if self.lr_power == -0.5 else op.pow(value, -self.lr_power)

        change = op.div(op.sub(power(new_accum), power(accum)), self.lr)
        new_linear = op.sub(op.add(linear, pulled), op.mul(change, var))
        quadratic = op.add(op.div(power(new_accum), self.lr), 2.0 * self.l2)
        held = op.sub(op.mul(op.sign(new_linear), self.l1), new_linear)
        new_var = op.where(
            op.greater(op.abs(new_linear), self.l1), op.div(held, quadratic), op.zeros_like(var)
        )
        return self._store(((var, new_var), (accum, new_accum), (linear, new_linear)), touched)


class SparseApplyFtrl(_Ftrl):
    """Follow the regularised leader, for some rows.

    Args:
        lr (float): Learning rate.
        l1 (float): Strength of the absolute penalty.
        l2 (float): Strength of the square penalty.
        lr_power (float): Exponent of the decay, not positive.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """

    @prim_attr_register
    def __init__(self, lr, l1, l2, lr_power, use_locking=False):
        self._check_rates()

    def __call__(self, var, accum, linear, grad, indices) -> tuple:
        return self._step(var, accum, linear, grad, indices)


class FusedSparseFtrl(SparseApplyFtrl):
    """The same as SparseApplyFtrl; equal indices add up.

    Args:
        lr (float): Learning rate.
        l1 (float): Strength of the absolute penalty.
        l2 (float): Strength of the square penalty.
        lr_power (float): Exponent of the decay, not positive.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """


class SparseApplyFtrlV2(_Ftrl):
    """SparseApplyFtrl with a further square penalty that does not enter the accumulator.

    Args:
        lr (float): Learning rate.
        l1 (float): Strength of the absolute penalty.
        l2 (float): Strength of the square penalty.
        l2_shrinkage (float): Strength of the further penalty.
        lr_power (float): Exponent of the decay, not positive.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """

    @prim_attr_register
    def __init__(self, lr, l1, l2, l2_shrinkage, lr_power, use_locking=False):
        self._check_rates()

    def __call__(self, var, accum, linear, grad, indices) -> tuple:
        return self._step(var, accum, linear, grad, indices, self.l2_shrinkage)


class SparseApplyAdagrad(_RowUpdate):
    """Adagrad for some rows.

    Args:
        lr (float): Learning rate.
        update_slots (bool): Whether `accum` is updated. Default: ``True``.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """

    @prim_attr_register
    def __init__(self, lr, update_slots=True, use_locking=False):
        self.add_prim_attr("epsilon", 0.0)

    def __call__(self, var, accum, grad, indices) -> tuple:
        self._check({"var": var, "accum": accum}, grad, indices)
        whole, touched = self._spread(var, grad, indices)
        new_accum = op.add(accum, op.square(whole)) if self.update_slots else accum
        step = op.div(op.mul(whole, self.lr), op.add(op.sqrt(new_accum), self.epsilon))
        return self._store(((var, op.sub(var, step)), (accum, new_accum)), touched)


class SparseApplyAdagradV2(SparseApplyAdagrad):
    """Adagrad for some rows, with a small number beside the root.

    Args:
        lr (float): Learning rate.
        epsilon (float): Added to the root.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        update_slots (bool): Whether `accum` is updated. Default: ``True``.
    """

    @prim_attr_register
    def __init__(self, lr, epsilon, use_locking=False, update_slots=True):
        pass


class SparseApplyProximalAdagrad(_RowUpdate):
    """Adagrad with penalties, for some rows.

    Args:
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """

    @prim_attr_register
    def __init__(self, use_locking=False):
        pass

    def __call__(self, var, accum, lr, l1, l2, grad, indices) -> tuple:
        self._check({"var": var, "accum": accum}, grad, indices)
        whole, touched = self._spread(var, grad, indices)
        new_accum = op.add(accum, op.square(whole))
        rate = op.div(lr, op.sqrt(new_accum))
        moved = op.sub(var, op.mul(whole, rate))
        size = op.maximum(op.sub(op.abs(moved), op.mul(rate, l1)), 0.0)
        new_var = op.div(op.mul(op.sign(moved), size), op.add(op.mul(rate, l2), 1.0))
        return self._store(((var, new_var), (accum, new_accum)), touched)


class FusedSparseProximalAdagrad(SparseApplyProximalAdagrad):
    """The same as SparseApplyProximalAdagrad; equal indices add up.

    Args:
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """


class SparseApplyAdadelta(_RowUpdate):
    """Adadelta for some rows.

    Args:
        epsilon (float): Added under the roots.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """

    @prim_attr_register
    def __init__(self, epsilon, use_locking=False):
        pass

    def __call__(self, var, accum, accum_update, lr, rho, grad, indices) -> tuple:
        self._check({"var": var, "accum": accum, "accum_update": accum_update}, grad, indices)
        whole, touched = self._spread(var, grad, indices)
        rest = op.sub(1.0, rho)
        new_accum = op.add(op.mul(accum, rho), op.mul(op.square(whole), rest))
        ratio = op.div(op.add(accum_update, self.epsilon), op.add(new_accum, self.epsilon))
        update = op.mul(op.sqrt(ratio), whole)
        new_update = op.add(op.mul(accum_update, rho), op.mul(op.square(update), rest))
        new_var = op.sub(var, op.mul(update, lr))
        return self._store(((var, new_var), (accum, new_accum), (accum_update, new_update)), touched)


class SparseApplyRMSProp(_RowUpdate):
    """RMSProp for some rows.

    Args:
        rho (float): Decay of the mean of squares, in [0, 1].
        momentum (float): Momentum, not negative.
        epsilon (float): Added under the root, positive.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
    """

    @prim_attr_register
    def __init__(self, rho, momentum, epsilon, use_locking=False):
        for name, value in (("rho", rho), ("momentum", momentum), ("epsilon", epsilon)):
            check_value_type(name, value, [float, int], self.name)
        if not 0 <= rho <= 1 or momentum < 0 or epsilon <= 0:
            raise ValueError(
                f"For 'SparseApplyRMSProp', 'rho' must be in [0, 1], 'momentum' not negative and 'epsilon' "
                f"positive, but got {rho}, {momentum} and {epsilon}."
            )

    def __call__(self, var, ms, mom, lr, grad, indices) -> tuple:
        self._check({"var": var, "ms": ms, "mom": mom}, grad, indices)
        whole, touched = self._spread(var, grad, indices)
        new_ms = op.add(op.mul(ms, self.rho), op.mul(op.square(whole), 1.0 - self.rho))
        step = op.mul(op.mul(whole, lr), op.rsqrt(op.add(new_ms, self.epsilon)))
        new_mom = op.add(op.mul(mom, self.momentum), step)
        return self._store(((var, op.sub(var, new_mom)), (ms, new_ms), (mom, new_mom)), touched)


__all__ = defined_classes(globals())
