# SPDX-License-Identifier: Apache-2.0
"""The master's part of the server, under the names it had before 1.3."""

from mindspore_serving.server.master import context

__all__ = ["context"]
