# SPDX-License-Identifier: Apache-2.0
"""Primitives called for what they do, not for what they return."""

from __future__ import annotations

from mindspore._argument_checks.types import check_value_type
from mindspore._c_expression import Tensor, detach
from mindspore._later import defined_classes
from mindspore._print_output import print_values
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register


class _Effect(Primitive):
    """A primitive without attributes."""

    def __init__(self):
        super().__init__(type(self).__name__)


class Print(_Effect):
    """Prints its inputs, one per line, or into the file `print_file_path`; returns nothing of interest."""

    def __call__(self, *input_x):
        from mindspore._capture.printing import call_in_order

        call_in_order(print_values, input_x, {})


class Assert(Primitive):
    """Fails with the values of tensors when a condition does not hold."""

    @prim_attr_register
    def __init__(self, summarize=3):
        check_value_type("summarize", summarize, [int], self.name)
        if summarize < 0:
            raise ValueError(f"For 'Assert', the 'summarize' must not be negative, but got {summarize}.")

    def __call__(self, condition, input_data):
        if bool(condition):
            return
        parts = []
        for item in input_data:
            flat = item.asnumpy().ravel()[: self.summarize] if isinstance(item, Tensor) else item
            parts.append(str(flat))
        raise RuntimeError("For 'Assert', the condition does not hold: " + " ".join(parts))


class TensorDump(_Effect):
    """Saves a tensor as an `.npy` file."""

    def __call__(self, file, input_x):
        import numpy as np

        np.save(file, input_x.asnumpy())


class CheckNumerics(_Effect):
    """The input itself; fails when it holds infinities or NaN."""

    def __call__(self, x):
        if not bool(op.reduce_all(op.isfinite(x))):
            raise RuntimeError("For 'CheckNumerics', the input holds infinities or NaN.")
        return x


class FloatStatus(_Effect):
    """1 when the input holds infinities or NaN, else 0, shape (1,)."""

    def __call__(self, x):
        bad = op.logical_not(op.reduce_all(op.isfinite(x)))
        return op.reshape(op.cast(bad, mstype.float32), (1,))


class NPUAllocFloatStatus(_Effect):
    """A status without overflow."""

    def __call__(self):
        return op.zeros((8,), mstype.float32)


class NPUGetFloatStatus(_Effect):
    """The status: no device here raises an overflow flag."""

    def __call__(self, x):
        return op.zeros_like(x)


class NPUClearFloatStatus(_Effect):
    """A status without overflow."""

    def __call__(self, x):
        return op.zeros_like(x)


# What summary primitives were given since a collector last took it: (kind, name, value).
pending_summaries: list[tuple] = []
_collecting = False


def collect_summaries(on: bool) -> None:
    """Whether summary primitives keep their values; nobody reads them unless a collector runs."""
    global _collecting
    _collecting = on
    pending_summaries.clear()


def _copied(value: Tensor) -> Tensor:
    """A tensor of its own: what was given may be overwritten by the next step."""
    return op.copy(detach(value))


class _Summary(_Effect):
    _kind = ""
    _ranks: tuple = ()

    def __call__(self, name, value):
        if not isinstance(name, str) or not name:
            raise ValueError(f"For '{self.name}', the 'name' must be a non-empty string, but got {name!r}.")
        if not isinstance(value, Tensor):
            raise TypeError(
                f"For '{self.name}', the 'value' must be a Tensor, but got {type(value).__name__}."
            )
        if self._ranks and value.ndim not in self._ranks:
            raise ValueError(
                f"For '{self.name}', the 'value' must have {self._ranks} axes, but got {value.ndim}."
            )
        from mindspore._capture.printing import recorded_call

        def keep(now):
            if _collecting:
                pending_summaries.append((self._kind, name, _copied(now)))

        if not recorded_call("summary", keep, [value]):
            keep(value)
        return value


class ScalarSummary(_Summary):
    """Records a number under a name."""

    _kind = "scalar"

    def __call__(self, name, value):
        if isinstance(value, Tensor) and value.size != 1:
            raise ValueError(
                f"For 'ScalarSummary', the 'value' must hold one element, but got {value.shape}."
            )
        return super().__call__(name, value)


class TensorSummary(_Summary):
    """Records a tensor under a name."""

    _kind = "tensor"


class HistogramSummary(_Summary):
    """Records the distribution of a tensor under a name."""

    _kind = "histogram"


class ImageSummary(_Summary):
    """Records images (N, C, H, W) under a name."""

    _kind = "image"
    _ranks = (4,)


__all__ = defined_classes(globals())
