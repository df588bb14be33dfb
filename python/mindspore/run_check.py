# SPDX-License-Identifier: Apache-2.0
"""Does the installation work?"""

from __future__ import annotations


def run_check(verbose: bool = False) -> None:
    """Multiplies two tensors and prints whether the result is right. Never raises.

    Args:
        verbose (bool): Also print what the installation offers. Default: ``False``.
    """
    try:
        import mindspore
        from mindspore import _c_expression as _c

        print("MindSpore version: ", mindspore.__version__)
        target = mindspore.get_context("device_target")
        print(f"{target}: {_c.device_description(target)}")
        if verbose:
            print(f"devices: {_c.backend_names()}, compute threads: {_c.compute_threads()}")
        x = mindspore.Tensor([[1.0, 2.0], [3.0, 4.0]])
        if ((x @ x).asnumpy() != [[7.0, 10.0], [15.0, 22.0]]).any():
            raise RuntimeError("the product of two matrices is wrong")
        print(
            "The result of multiplication calculation is correct, MindSpore has been installed on platform "
            f"[{target}] "
            "successfully!"
        )
    except Exception as error:  # whatever fails is the answer
        print("MindSpore running check failed.")
        print(error)


__all__ = ["run_check"]
