# SPDX-License-Identifier: Apache-2.0
"""The messages of MindSpore Serving's gRPC protocol."""
