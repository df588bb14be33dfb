# SPDX-License-Identifier: Apache-2.0
"""The files of CIFAR-10 and CIFAR-100 as arrays."""

import os
import re

import numpy as np

from mindspore.mindrecord.tools._convert import read_pickle

__all__ = ["Cifar10"]


def as_pictures(data, path):
    """Rows of 3072 bytes, channels first, as pictures with channels last."""
    data = np.asarray(data)
    if data.dtype != np.uint8 or data.ndim != 2 or data.shape[1] != 3072:
        raise RuntimeError(f"The file {path} must hold rows of 3072 bytes, but got {data.dtype}{data.shape}.")
    return data.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)


class Cifar10:
    """Reads CIFAR-10.

    Args:
        path (str): The folder with the files data_batch_1 and so on.
        one_hot (bool, optional): Not used. Default: ``True`` .
    """

    def __init__(self, path, one_hot=True):
        del one_hot
        self.path = path
        self.images = self.labels = None

        class Test:
            images = labels = None

        self.Test = Test

    def load_data(self):
        """Reads the files: `images` , `labels` , `Test.images` and `Test.labels` are arrays afterwards."""
        self.images, self.labels = self._read(r"data_batch_\d+")
        self.Test.images, self.Test.labels = self._read(r"test_batch")

    def _read(self, pattern):
        names = sorted(name for name in os.listdir(self.path) if re.fullmatch(pattern, name))
        if not names:
            raise RuntimeError(f"There is no file like {pattern} in {self.path}.")
        images, labels = [], []
        for name in names:
            path = os.path.join(self.path, name)
            content = read_pickle(path)
            images.append(as_pictures(content[b"data"], path))
            labels.append(np.asarray(content[b"labels"], np.int64))
            if len(labels[-1]) != len(images[-1]):
                raise RuntimeError(
                    f"The file {path} has {len(images[-1])} pictures, but {len(labels[-1])} labels."
                )
        return np.concatenate(images), np.concatenate(labels)
