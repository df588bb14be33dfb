# SPDX-License-Identifier: Apache-2.0
"""The two libraries that are compared, behind one small face.

A case asks its side for data and then says what is to be timed: once in our words, once in the peer's.
"""

from __future__ import annotations

import numpy


class Side:
    """Data for the cases, the same numbers for everyone."""

    name = ""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """The same numbers again, for the next case."""
        self._generator = numpy.random.default_rng(7)

    def array(self, *shape: int, low: float = -1, high: float = 1) -> numpy.ndarray:
        return self._generator.uniform(low, high, shape).astype(numpy.float32)

    def normal(self, *shape: int, dtype: str = "float32"):
        return self.tensor(self.array(*shape), dtype)

    def indices(self, *shape: int, below: int, dtype: str = "int64"):
        return self.tensor(self._generator.integers(0, below, shape), dtype)

    def tensor(self, array: numpy.ndarray, dtype: str):
        raise NotImplementedError

    def set_threads(self, count: int) -> None:
        raise NotImplementedError

    def version(self) -> str:
        raise NotImplementedError


class Ours(Side):
    """mindspore, this repository's package."""

    name = "ours"

    def __init__(self) -> None:
        super().__init__()
        import mindspore
        from mindspore import _c_expression, ops
        from mindspore.ops import _registry

        self.package, self.ops, self._native = mindspore, ops, _c_expression
        self.operator = _registry.function

    def tensor(self, array: numpy.ndarray, dtype: str):
        made = self._native.copy_numpy(numpy.ascontiguousarray(array))
        wanted = getattr(self._native, dtype)
        return made if made.dtype is wanted else self.ops.cast(made, wanted)

    def dtype(self, name: str):
        return getattr(self._native, name)

    def set_threads(self, count: int) -> None:
        self._native.set_compute_threads(count)

    def version(self) -> str:
        return f"mindspore {self.package.__version__}"

    def value_and_gradients(self, function, weights: list):
        """A callable that computes the function and its gradients."""
        return self.package.value_and_grad(function, tuple(range(len(weights))))


class Peer(Side):
    """PyTorch."""

    name = "peer"

    def __init__(self) -> None:
        super().__init__()
        import torch

        self.torch = torch
        torch.set_grad_enabled(False)

    def tensor(self, array: numpy.ndarray, dtype: str):
        return self.torch.from_numpy(array.copy()).to(getattr(self.torch, dtype))

    def set_threads(self, count: int) -> None:
        self.torch.set_num_threads(count)

    def version(self) -> str:
        return f"torch {self.torch.__version__}"

    def value_and_gradients(self, function, weights: list):
        torch = self.torch

        def run(*arguments):
            with torch.enable_grad():
                watched = [argument.detach().requires_grad_() for argument in arguments]
                value = function(*watched)
                return value, torch.autograd.grad(value, watched)

        return run


SIDES = {side.name: side for side in (Ours, Peer)}
