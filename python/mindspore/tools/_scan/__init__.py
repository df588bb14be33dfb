# SPDX-License-Identifier: Apache-2.0
"""What `mindspore.tools.scan` is made of: reading, following names, asking the package, reporting."""
