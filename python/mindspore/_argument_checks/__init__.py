# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, for layers that scripts write; `mindspore._checkparam` is their face."""
