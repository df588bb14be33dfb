# SPDX-License-Identifier: Apache-2.0
"""Programs around models and scripts: `python -m mindspore.tools.convert`, `.ckpt`, `.scan`."""
