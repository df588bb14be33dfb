# SPDX-License-Identifier: Apache-2.0
"""Tensors, parameters, types and what else every part of the package uses."""

from mindspore.common import dtype
from mindspore.common.tensor import Tensor, tensor
