# SPDX-License-Identifier: Apache-2.0
"""Settings and argument checks of the data package."""
