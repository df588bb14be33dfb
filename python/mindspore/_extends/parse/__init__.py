# SPDX-License-Identifier: Apache-2.0
"""Module path under which scripts look for switches of the compiler."""
