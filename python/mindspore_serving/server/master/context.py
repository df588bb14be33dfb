# SPDX-License-Identifier: Apache-2.0
"""Limits of the server."""

from mindspore_serving.server._server import set_max_enqueued_requests

__all__ = ["set_max_enqueued_requests"]
