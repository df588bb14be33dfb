# SPDX-License-Identifier: Apache-2.0
"""The server and the framework in one process."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import mindspore as ms
from mindspore import ops, Tensor

@ms.jit
def second_of(values, place):
    return ops.gather(values, place, 0)

for wrong, kind in [
    (lambda: ms.save_checkpoint([{"name": "w", "data": Tensor([1.0])}], "/dev/full/net.ckpt"), OSError),
    (lambda: ops.gather(Tensor([1.0, 2.0]), Tensor([2]), 0).asnumpy(), IndexError),
    (lambda: second_of(Tensor([1.0, 2.0]), Tensor([2])).asnumpy(), IndexError),
    (lambda: dataset.TFRecordDataset("/dev/null/rows").create_dict_iterator(), ValueError),
]:
    try:
        wrong()
    except Exception as error:
        assert isinstance(error, kind), (type(error), error)
    else:
        raise AssertionError("no error")
"""


def test_errors_of_the_framework_keep_their_classes():
    framework, server = "mindspore import dataset", "mindspore_serving import server"
    for first, second in [(framework, server), (server, framework)]:
        script = f"from {first}\nfrom {second}\n{SCRIPT}"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
