# SPDX-License-Identifier: Apache-2.0
"""The client of MindSpore Serving's gRPC protocol."""

from mindspore_serving.client._client import Client, SSLConfig

__all__ = ["Client", "SSLConfig"]
