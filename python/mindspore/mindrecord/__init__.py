# SPDX-License-Identifier: Apache-2.0
"""MindRecord, the file format of MindSpore: writing, reading, converting."""

from mindspore.mindrecord.common.exceptions import *  # noqa: F403
from mindspore.mindrecord.common.exceptions import __all__ as _errors
from mindspore.mindrecord.config import set_dec_mode, set_enc_key, set_enc_mode, set_hash_mode
from mindspore.mindrecord.filereader import FileReader
from mindspore.mindrecord.filewriter import FileWriter
from mindspore.mindrecord.mindpage import MindPage
from mindspore.mindrecord.shardutils import FAILED, SUCCESS
from mindspore.mindrecord.tools.cifar10_to_mr import Cifar10ToMR
from mindspore.mindrecord.tools.cifar100_to_mr import Cifar100ToMR
from mindspore.mindrecord.tools.csv_to_mr import CsvToMR
from mindspore.mindrecord.tools.imagenet_to_mr import ImageNetToMR
from mindspore.mindrecord.tools.mnist_to_mr import MnistToMR
from mindspore.mindrecord.tools.tfrecord_to_mr import TFRecordToMR

__all__ = [
    "FAILED",
    "SUCCESS",
    "Cifar10ToMR",
    "Cifar100ToMR",
    "CsvToMR",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MindPage",
    "MnistToMR",
    "TFRecordToMR",
    "set_dec_mode",
    "set_enc_key",
    "set_enc_mode",
    "set_hash_mode",
    *_errors,
]
