# SPDX-License-Identifier: Apache-2.0
"""Transformations of networks."""

from mindspore.nn.probability.transforms.transform_bnn import TransformToBNN

__all__ = ["TransformToBNN"]
