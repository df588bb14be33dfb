# SPDX-License-Identifier: Apache-2.0
"""The parts of Tensor that are written in Python; common/tensor.py puts them on the type."""
