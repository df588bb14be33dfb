# SPDX-License-Identifier: Apache-2.0
"""Networks as model files."""
