# SPDX-License-Identifier: Apache-2.0
"""Serves trained models over gRPC and REST: `mindspore_serving.server`, `mindspore_serving.client`."""

from mindspore_serving.version import __version__

__all__ = ["__version__"]
