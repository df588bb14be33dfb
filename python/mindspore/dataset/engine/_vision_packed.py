# SPDX-License-Identifier: Apache-2.0
"""Collections of small pictures that lie in a few packed files."""

from __future__ import annotations

import os
from typing import Any

from mindspore._later import defined_classes

from ..core.checks import INT32_MAX, check_file, integer, one_of, positive_int32, sequence
from ._parameters import DATASET_DIR, FILE_ROWS, ROWS, TRAIN_TEST_ALL, Parameter, choice
from ._sources import IndexedFilesDataset, StreamFilesDataset
from .datasets import VisionBaseDataset


class _MnistForm(IndexedFilesDataset, VisionBaseDataset):
    """Digits in IDX files; the classes differ in their names only."""

    _source_name = "Mnist"

    @classmethod
    def _contents(cls) -> str:
        return (
            "Columns: `image` uint8 of shape (28, 28, 1), `label` uint32. Files are found by their names:\n"
            "train-images..., train-labels..., t10k-images..., t10k-labels... in the IDX format."
        )

    def _source_arguments(self) -> dict[str, Any]:
        return {**super()._source_arguments(), "dataset": type(self).__name__}


class MnistDataset(_MnistForm):
    """Handwritten digits (MNIST)."""

    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *ROWS)


class FashionMnistDataset(_MnistForm):
    """Pieces of clothing in the form of MNIST."""

    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *ROWS)


class KMnistDataset(_MnistForm):
    """Old Japanese characters in the form of MNIST."""

    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *ROWS)


class EMnistDataset(IndexedFilesDataset, VisionBaseDataset):
    """Letters and digits in the form of MNIST, in several splits.

    Columns: `image` uint8 of shape (28, 28, 1), `label` uint32. Pictures come as they are stored, with rows
    and columns exchanged.
    """

    _source_name = "EMnist"
    _parameters = (
        DATASET_DIR,
        choice(
            "name", "byclass", "bymerge", "balanced", "letters", "digits", "mnist", before="Which split: "
        ),
        TRAIN_TEST_ALL,
        *ROWS,
    )


class QMnistDataset(IndexedFilesDataset, VisionBaseDataset):
    """MNIST rebuilt from its origin, with more tests and more about each digit.

    Columns: `image` uint8 of shape (28, 28, 1), `label` uint32: the digit, or all eight numbers of the
    collection.
    """

    _source_name = "QMnist"
    _parameters = (
        DATASET_DIR,
        choice("usage", "train", "test", "test10k", "test50k", "nist", "all", none="all"),
        Parameter("compat", "bool", "Give the digit only.", True),
        *ROWS,
    )


class Cifar10Dataset(IndexedFilesDataset, VisionBaseDataset):
    """Small colour pictures of ten classes (CIFAR-10, binary form).

    Columns: `image` uint8 of shape (32, 32, 3), `label` uint32. Files: data_batch_1.bin to data_batch_5.bin
    and test_batch.bin; those that are there are read.
    """

    _source_name = "Cifar10"
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *ROWS)


class Cifar100Dataset(IndexedFilesDataset, VisionBaseDataset):
    """Small colour pictures of a hundred classes (CIFAR-100, binary form).

    Columns: `image` uint8 of shape (32, 32, 3), `coarse_label` uint32, `fine_label` uint32. Files: train.bin,
    test.bin.
    """

    _source_name = "Cifar100"
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *ROWS)


class STL10Dataset(IndexedFilesDataset, VisionBaseDataset):
    """Colour pictures of ten classes, most of them without a label (STL-10).

    Columns: `image` uint8 of shape (96, 96, 3), `label` int32, -1 where there is none.
    """

    _source_name = "Stl10"
    _parameters = (
        DATASET_DIR,
        choice("usage", "train", "test", "unlabeled", "train+unlabeled", "all", none="all"),
        *ROWS,
    )

    def _prepare(self) -> None:
        everything = ("train", "test", "unlabeled")
        for part in everything if self.usage in (None, "all") else self.usage.split("+"):
            for kind in ("X",) if part == "unlabeled" else ("X", "y"):
                check_file(os.path.join(self.dataset_dir, f"{part}_{kind}.bin"))


class SemeionDataset(IndexedFilesDataset, VisionBaseDataset):
    """Handwritten digits of 16 by 16 pixels (Semeion).

    Columns: `image` uint8 of shape (16, 16), `label` uint32. File: semeion.data.
    """

    _source_name = "Semeion"
    _parameters = (DATASET_DIR, *ROWS)


class USPSDataset(StreamFilesDataset, VisionBaseDataset):
    """Digits from letters of the US postal service, in LIBSVM form.

    Columns: `image` uint8 of shape (16, 16, 1), `label` uint32. Files: usps (train) and usps.t (test).
    """

    _source_name = "Usps"
    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *FILE_ROWS)

    def _source_arguments(self) -> dict[str, Any]:
        parts = {"train": ["usps"], "test": ["usps.t"]}.get(self.usage, ["usps", "usps.t"])
        paths = [os.path.join(self.dataset_dir, name) for name in parts]
        for path in paths:
            if not os.path.isfile(path):
                raise RuntimeError(f"Invalid file, {path} does not exist or is a directory.")
        return {"files": paths, "dataset": "USPSDataset", "what": "file path"}


_PLACES = ("notredame", "yosemite", "liberty")


class PhotoTourDataset(IndexedFilesDataset, VisionBaseDataset):
    """Patches around points of photographed places, with pairs that show the same point or not.

    Columns of ``'train'`` : `image` uint8 of shape (64, 64, 1). Columns of ``'test'`` : `image1` , `image2`
    and `matches` uint32, 1 for the same point.
    """

    _source_name = "PhotoTour"
    _parameters = (
        DATASET_DIR,
        Parameter(
            "name",
            "str",
            "The place: ``'notredame'`` , ``'yosemite'`` , ``'liberty'`` , or one of these with "
            "``'_harris'`` .",
            rule=one_of(*_PLACES, *(f"{place}_harris" for place in _PLACES)),
        ),
        choice("usage", "train", "test", none="train"),
        *ROWS,
    )


class FakeImageDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures of noise with random labels, to try a program without data.

    Columns: `image` uint8 of shape `image_size` , `label` uint32. The same seed gives the same pictures.
    """

    _source_name = "FakeImage"
    _parameters = (
        Parameter("num_images", "int", "Number of pictures.", 1000, rule=positive_int32),
        Parameter(
            "image_size",
            "tuple",
            "Height, width and channels.",
            (224, 224, 3),
            rule=sequence(positive_int32, list, tuple, length=3),
        ),
        Parameter("num_classes", "int", "Number of classes.", 10, rule=positive_int32),
        Parameter("base_seed", "int", "Start of the random numbers.", 0, rule=integer(0, INT32_MAX)),
        *ROWS,
    )


__all__ = defined_classes(globals())
