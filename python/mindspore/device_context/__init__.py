# SPDX-License-Identifier: Apache-2.0
"""Settings of single kinds of devices."""

from mindspore.device_context import ascend

__all__ = ["ascend"]
