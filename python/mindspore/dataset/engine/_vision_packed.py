# SPDX-License-Identifier: Apache-2.0
"""Collections of small pictures that lie in a few packed files."""

from __future__ import annotations

import os
from typing import Any

from ..core.checks import INT32_MAX, boolean, check_file, integer, one_of, positive_int32, sequence
from ._sources import IndexedFilesDataset, StreamFilesDataset, constructor
from .datasets import Shuffle, VisionBaseDataset

__all__ = [
    "Cifar100Dataset",
    "Cifar10Dataset",
    "EMnistDataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "KMnistDataset",
    "MnistDataset",
    "PhotoTourDataset",
    "QMnistDataset",
    "STL10Dataset",
    "SemeionDataset",
    "USPSDataset",
]


class _MnistForm(IndexedFilesDataset, VisionBaseDataset):
    """Digits in IDX files; the classes differ in their names only."""

    _source_name = "Mnist"

    def _source_arguments(self) -> dict[str, Any]:
        return {**super()._source_arguments(), "dataset": type(self).__name__}


class MnistDataset(_MnistForm):
    """Handwritten digits (MNIST).

    Columns: `image` uint8 of shape (28, 28, 1), `label` uint32. Files are found by their names:
    train-images..., train-labels..., t10k-images..., t10k-labels... in the IDX format.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class FashionMnistDataset(_MnistForm):
    """Pieces of clothing in the form of MNIST.

    Columns: `image` uint8 of shape (28, 28, 1), `label` uint32. Files are found by their names:
    train-images..., train-labels..., t10k-images..., t10k-labels... in the IDX format.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class KMnistDataset(_MnistForm):
    """Old Japanese characters in the form of MNIST.

    Columns: `image` uint8 of shape (28, 28, 1), `label` uint32. Files are found by their names:
    train-images..., train-labels..., t10k-images..., t10k-labels... in the IDX format.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class EMnistDataset(IndexedFilesDataset, VisionBaseDataset):
    """Letters and digits in the form of MNIST, in several splits.

    Columns: `image` uint8 of shape (28, 28, 1), `label` uint32. Pictures come as they are stored, with rows
    and columns exchanged.

    Args:
        dataset_dir (str): Folder that holds the data.
        name (str): Which split: ``'byclass'`` , ``'bymerge'`` , ``'balanced'`` , ``'letters'`` , ``'digits'``
            or ``'mnist'`` .
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _source_name = "EMnist"

    @constructor(
        name=one_of("byclass", "bymerge", "balanced", "letters", "digits", "mnist"),
        usage=one_of("train", "test", "all"),
    )
    def __init__(
        self,
        dataset_dir,
        name,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class QMnistDataset(IndexedFilesDataset, VisionBaseDataset):
    """MNIST rebuilt from its origin, with more tests and more about each digit.

    Columns: `image` uint8 of shape (28, 28, 1), `label` uint32: the digit, or all eight numbers of the
    collection.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'test10k'`` , ``'test50k'`` , ``'nist'`` or
            ``'all'`` , which ``None`` stands for. Default: ``None`` .
        compat (bool, optional): Give the digit only. Default: ``True`` .
    """

    _source_name = "QMnist"

    @constructor(usage=one_of("train", "test", "test10k", "test50k", "nist", "all"), compat=boolean)
    def __init__(
        self,
        dataset_dir,
        usage=None,
        compat=True,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class Cifar10Dataset(IndexedFilesDataset, VisionBaseDataset):
    """Small colour pictures of ten classes (CIFAR-10, binary form).

    Columns: `image` uint8 of shape (32, 32, 3), `label` uint32. Files: data_batch_1.bin to data_batch_5.bin
    and test_batch.bin; those that are there are read.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _source_name = "Cifar10"

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class Cifar100Dataset(IndexedFilesDataset, VisionBaseDataset):
    """Small colour pictures of a hundred classes (CIFAR-100, binary form).

    Columns: `image` uint8 of shape (32, 32, 3), `coarse_label` uint32, `fine_label` uint32. Files: train.bin,
    test.bin.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _source_name = "Cifar100"

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class STL10Dataset(IndexedFilesDataset, VisionBaseDataset):
    """Colour pictures of ten classes, most of them without a label (STL-10).

    Columns: `image` uint8 of shape (96, 96, 3), `label` int32, -1 where there is none.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'unlabeled'`` , ``'train+unlabeled'`` or ``'all'``
            , which ``None`` stands for. Default: ``None`` .
    """

    _source_name = "Stl10"

    @constructor(usage=one_of("train", "test", "unlabeled", "train+unlabeled", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        everything = ("train", "test", "unlabeled")
        for part in everything if usage in (None, "all") else usage.split("+"):
            for kind in ("X",) if part == "unlabeled" else ("X", "y"):
                check_file(os.path.join(dataset_dir, f"{part}_{kind}.bin"))


class SemeionDataset(IndexedFilesDataset, VisionBaseDataset):
    """Handwritten digits of 16 by 16 pixels (Semeion).

    Columns: `image` uint8 of shape (16, 16), `label` uint32. File: semeion.data.

    Args:
        dataset_dir (str): Folder that holds the data.
    """

    _source_name = "Semeion"

    @constructor()
    def __init__(
        self,
        dataset_dir,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class USPSDataset(StreamFilesDataset, VisionBaseDataset):
    """Digits from letters of the US postal service, in LIBSVM form.

    Columns: `image` uint8 of shape (16, 16, 1), `label` uint32. Files: usps (train) and usps.t (test).

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
    """

    _source_name = "Usps"

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _source_arguments(self) -> dict[str, Any]:
        parts = {"train": ["usps"], "test": ["usps.t"]}.get(self.usage, ["usps", "usps.t"])
        paths = [os.path.join(self.dataset_dir, name) for name in parts]
        for path in paths:
            if not os.path.isfile(path):
                raise RuntimeError(f"Invalid file, {path} does not exist or is a directory.")
        return {"files": paths, "dataset": "USPSDataset", "what": "file path"}


class PhotoTourDataset(IndexedFilesDataset, VisionBaseDataset):
    """Patches around points of photographed places, with pairs that show the same point or not.

    Columns of ``'train'`` : `image` uint8 of shape (64, 64, 1). Columns of ``'test'`` : `image1` , `image2`
    and `matches` uint32, 1 for the same point.

    Args:
        dataset_dir (str): Folder that holds the data.
        name (str): The place: ``'notredame'`` , ``'yosemite'`` , ``'liberty'`` , or one of these with
            ``'_harris'`` .
        usage (str, optional): ``'train'`` , which ``None`` stands for, or ``'test'`` . Default: ``None`` .
    """

    _source_name = "PhotoTour"

    @constructor(
        name=one_of(
            "notredame", "yosemite", "liberty", "notredame_harris", "yosemite_harris", "liberty_harris"
        ),
        usage=one_of("train", "test"),
    )
    def __init__(
        self,
        dataset_dir,
        name,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass


class FakeImageDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures of noise with random labels, to try a program without data.

    Columns: `image` uint8 of shape `image_size` , `label` uint32. The same seed gives the same pictures.

    Args:
        num_images (int, optional): Number of pictures. Default: ``1000`` .
        image_size (tuple, optional): Height, width and channels. Default: ``(224, 224, 3)`` .
        num_classes (int, optional): Number of classes. Default: ``10`` .
        base_seed (int, optional): Start of the random numbers. Default: ``0`` .
    """

    _source_name = "FakeImage"

    @constructor(
        num_images=positive_int32,
        image_size=sequence(positive_int32, list, tuple, length=3),
        num_classes=positive_int32,
        base_seed=integer(0, INT32_MAX),
    )
    def __init__(
        self,
        num_images=1000,
        image_size=(224, 224, 3),
        num_classes=10,
        base_seed=0,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass
