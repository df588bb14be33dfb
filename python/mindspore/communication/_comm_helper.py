# SPDX-License-Identifier: Apache-2.0
"""Names of the world, under the module that held them before."""

from mindspore.communication.management import GlobalComm

__all__ = ["GlobalComm"]
