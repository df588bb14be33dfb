# SPDX-License-Identifier: Apache-2.0
"""Version of the package: the MindSpore API it offers, then the release of this implementation."""

__version__ = "2.3.0+mycel.0.1"
