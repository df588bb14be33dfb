# SPDX-License-Identifier: Apache-2.0
"""Dual numbers: the square of the second unit is zero."""

from mindspore.hypercomplex.dual.dual_operators import Dense

__all__ = ["Dense"]
