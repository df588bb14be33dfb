# SPDX-License-Identifier: Apache-2.0
"""Programs around models: `python -m mindspore.tools.convert`, `python -m mindspore.tools.ckpt`."""
