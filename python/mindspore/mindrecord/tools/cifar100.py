# SPDX-License-Identifier: Apache-2.0
"""The files of CIFAR-100 as arrays."""

import os

import numpy as np

from mindspore.mindrecord.tools._convert import read_pickle
from mindspore.mindrecord.tools.cifar10 import as_pictures

__all__ = ["Cifar100"]


class Cifar100:
    """Reads CIFAR-100.

    Args:
        path (str): The folder with the files train and test.
        one_hot (bool, optional): Not used. Default: ``True`` .
    """

    def __init__(self, path, one_hot=True):
        del one_hot
        self.path = path
        self.images = self.fine_labels = self.coarse_labels = None

        class Test:
            images = fine_labels = coarse_labels = None

        self.Test = Test

    def load_data(self):
        """Reads the files into `images` , `fine_labels` , `coarse_labels` and those of `Test` ."""
        for name, target in (("train", self), ("test", self.Test)):
            path = os.path.join(self.path, name)
            content = read_pickle(path)
            target.images = as_pictures(content[b"data"], path)
            target.fine_labels = np.asarray(content[b"fine_labels"], np.int64)
            target.coarse_labels = np.asarray(content[b"coarse_labels"], np.int64)
            if not len(target.images) == len(target.fine_labels) == len(target.coarse_labels):
                raise RuntimeError(f"The file {path} has other numbers of pictures and labels.")
