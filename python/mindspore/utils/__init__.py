# SPDX-License-Identifier: Apache-2.0
"""Exchange with other libraries."""

from mindspore.utils import dlpack
