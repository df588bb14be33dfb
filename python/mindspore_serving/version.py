# SPDX-License-Identifier: Apache-2.0
"""Version of the package: that of MindSpore Serving's API it offers."""

__version__ = "2.0.2"
