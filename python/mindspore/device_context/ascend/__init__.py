# SPDX-License-Identifier: Apache-2.0
"""Settings of Ascend devices; none is part of this installation."""

from mindspore.device_context.ascend import op_precision

__all__ = ["op_precision"]
