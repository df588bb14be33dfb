# SPDX-License-Identifier: Apache-2.0
"""Around the making of networks."""

from mindspore.nn.utils.init import no_init_parameters

__all__ = ["no_init_parameters"]
