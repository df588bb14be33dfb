# SPDX-License-Identifier: Apache-2.0
"""Tensors that are still being computed. Here operators have finished when they return: they are tensors."""

from mindspore.common.tensor import Tensor

StubTensor = Tensor


def _convert_stub(stub: object) -> object:
    """What an operator gave, as tensors: they are."""
    return stub


def _init_stub_tensor_api() -> None:
    """Gives stubs the methods of tensors: they have them."""
