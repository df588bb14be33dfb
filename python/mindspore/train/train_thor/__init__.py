# SPDX-License-Identifier: Apache-2.0
"""Networks and models for the second-order optimizer THOR."""

from mindspore.train.train_thor.conversion import ConvertModelUtils, ConvertNetUtils

__all__ = ["ConvertModelUtils", "ConvertNetUtils"]
