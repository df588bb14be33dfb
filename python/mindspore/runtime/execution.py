# SPDX-License-Identifier: Apache-2.0
"""How operators are started."""

from mindspore.context import set_context


def launch_blocking() -> None:
    """Lets every operator finish before the next line runs, as it does here in any case."""
    set_context(pynative_synchronize=True)
