# SPDX-License-Identifier: Apache-2.0
"""`mindspore.dtype` is `mindspore.common.dtype`."""

import sys

from mindspore.common import dtype

sys.modules[__name__] = dtype
