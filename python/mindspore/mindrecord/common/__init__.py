# SPDX-License-Identifier: Apache-2.0
"""What all parts of `mindspore.mindrecord` share."""
