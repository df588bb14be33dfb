# SPDX-License-Identifier: Apache-2.0
"""Typed descriptions of what the package offers, gathered from schemas, annotations, docstrings and defaults.

A type is a text as it stands in a stub, in which names that need an import are written `{module:Name}`.
"""
