# SPDX-License-Identifier: Apache-2.0
"""Converters of data sets to MindRecord."""
