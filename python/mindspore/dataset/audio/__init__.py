# SPDX-License-Identifier: Apache-2.0
"""Transforms of sound."""
