# SPDX-License-Identifier: Apache-2.0
"""How much memory a program may use."""

from mindspore import _checkparam as check
from mindspore.context import set_context

_SIZE = r"[1-9][0-9]*(\.)?[0-9]*GB|0\.[0-9]*GB"


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Sets how much memory the device may use.

    Args:
        init_size (str): What is taken at the start; memory is taken as it is needed here. Default: ``"2GB"``.
        increase_size (str): What is taken at a time. Default: ``"2GB"``.
        max_size (str): The most that may be used. Default: ``"1024GB"``.
        optimize_level (str): ``"O0"`` or ``"O1"``. Default: ``"O0"``.
        huge_page_reserve_size (str): Accepted for compatibility. Default: ``"0GB"``.

    Raises:
        ValueError: A size is not written as ``"2GB"`` or ``"0.5GB"``, or the level is unknown.
    """
    for size in (init_size, increase_size, max_size):
        check.check_str_by_regular(size, _SIZE, prim_name="set_memory")
    check.check_string(optimize_level, ["O0", "O1"], "optimize_level", "set_memory")
    set_context(max_device_memory=max_size)
