# SPDX-License-Identifier: Apache-2.0
"""Pictures whose annotation lies in MATLAB files; reading those needs SciPy."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore._later import defined_classes

from ..core.checks import check_choice, check_dir, check_file, text
from ._layouts_vision import files, folders, lines
from ._parameters import (
    DATASET_DIR,
    DECODE,
    DECODE_OR_NONE,
    NUM_PARALLEL_WORKERS,
    NUM_SAMPLES,
    ROW_ARGUMENTS,
    SAMPLER,
    SHARDS,
    SHUFFLE,
    DescribedArguments,
    choice,
    inserted,
    replaced,
)
from .datasets_user_defined import GeneratorDataset


def _load_matlab(path: str) -> dict[str, Any]:
    """The variables of a MATLAB file; RuntimeError when it cannot be read."""
    from scipy.io import loadmat  # only these classes need it

    try:
        return loadmat(path, squeeze_me=False)
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        raise RuntimeError(f"Invalid file, failed to read MATLAB file: {path}: {error}") from error


def _variable(path: str, name: str) -> np.ndarray:
    variables = _load_matlab(path)
    if name not in variables:
        raise RuntimeError(f"Invalid file, there is no variable '{name}' in MATLAB file: {path}")
    return variables[name]


def _file_bytes(path: str) -> np.ndarray:
    return np.fromfile(path, np.uint8)


def _image(path: str, decode: bool) -> np.ndarray:
    """The bytes of a picture, or its pixels in RGB."""
    content = _file_bytes(path)
    if not decode:
        return content
    from ..vision import Decode

    return Decode()(content)


class _Rows:
    """Rows by number, as GeneratorDataset takes them."""

    def __init__(self, rows: list, make: Any) -> None:
        self._rows = rows
        self._make = make

    def __getitem__(self, index: int) -> tuple:
        return self._make(self._rows[index])

    def __len__(self) -> int:
        return len(self._rows)


# The columns, what there is to make rows of, and the function that makes a row of one such thing.
_Listing = tuple[list[str], list, Callable]


class _MatlabDataset(DescribedArguments, GeneratorDataset):
    """Rows that functions of Python make, one by one, from what `_list` finds."""

    def _list(self, **arguments: Any) -> _Listing:
        raise NotImplementedError

    def _take_arguments(self, arguments: dict[str, Any]) -> None:
        of_rows = {name: value for name, value in arguments.items() if name in ROW_ARGUMENTS}
        own = {name: value for name, value in arguments.items() if name not in ROW_ARGUMENTS}
        columns, rows, make = self._list(**own)
        super().__init__(_Rows(rows, make), column_names=columns, python_multiprocessing=False, **of_rows)


_ROWS = (
    NUM_SAMPLES,
    NUM_PARALLEL_WORKERS._replace(default=1, meaning=""),
    SHUFFLE._replace(kind="bool"),
    SAMPLER,
    *SHARDS,
)
_PICTURE_ROWS = inserted(_ROWS, "shuffle", DECODE)

# Folders of pictures and of annotations that bear different names.
_CALTECH_RENAMED = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}


class Caltech101Dataset(_MatlabDataset):
    """Pictures of 101 classes with outlines (Caltech-101).

    Columns: `image` uint8; `category` int64, `annotation` float64 (2, N), or both.
    """

    _parameters = (
        DATASET_DIR._replace(text="Folder with 101_ObjectCategories and Annotations."),
        choice("target_type", "category", "annotation", "all", none="category", rule=text),
        *_PICTURE_ROWS,
    )

    def _list(self, dataset_dir: str, target_type: str | None, decode: bool) -> _Listing:
        target_type = target_type or "category"
        for name in ("101_ObjectCategories", "Annotations"):
            check_dir(os.path.join(dataset_dir, name))
        check_choice(target_type, ("category", "annotation", "all"), "target_type")
        pictures = os.path.join(dataset_dir, "101_ObjectCategories")
        outlines = os.path.join(dataset_dir, "Annotations")
        classes = [name for name in folders(pictures) if name != "BACKGROUND_Google"]
        rows = []
        for number, name in enumerate(classes):
            for path in files(os.path.join(pictures, name), (".jpg",)):
                index = os.path.basename(path)[len("image_") : -len(".jpg")]
                outline = os.path.join(outlines, _CALTECH_RENAMED.get(name, name), f"annotation_{index}.mat")
                rows.append((path, number, outline))

        def make(row: tuple) -> tuple:
            path, number, outline = row
            values = {"category": [np.int64(number)] if target_type != "annotation" else []}
            if target_type != "category":
                values["annotation"] = [_variable(outline, "obj_contour")]
            return (_image(path, decode), *values["category"], *values.get("annotation", []))

        columns = {"all": ["category", "annotation"]}.get(target_type, [target_type])
        return ["image", *columns], rows, make

    def get_class_indexing(self) -> dict[str, int]:
        """Numbers of the classes by name, of the whole collection."""
        from ._published_lists import CALTECH_NAMES

        return {name: number for number, name in enumerate(CALTECH_NAMES)}


class Flowers102Dataset(_MatlabDataset):
    """Flowers of 102 kinds (Oxford Flowers).

    Columns: `image` uint8, for Segmentation `segmentation` uint8, `label` uint32.
    """

    _parameters = (
        DATASET_DIR._replace(
            text="Folder with imagelabels.mat, setid.mat, jpg and, for segmentation, segmim."
        ),
        choice("task", "Classification", "Segmentation", default="Classification"),
        choice("usage", "train", "valid", "test", "all", default="all"),
        *_PICTURE_ROWS,
    )

    def _list(self, dataset_dir: str, task: str, usage: str, decode: bool) -> _Listing:
        check_dir(os.path.join(dataset_dir, "jpg"))
        for name in ("imagelabels.mat", "setid.mat"):
            check_file(os.path.join(dataset_dir, name))
        labels = _variable(os.path.join(dataset_dir, "imagelabels.mat"), "labels")[0]
        sets = _load_matlab(os.path.join(dataset_dir, "setid.mat"))
        names = {"train": ["trnid"], "valid": ["valid"], "test": ["tstid"]}.get(
            usage, ["tstid", "trnid", "valid"]
        )
        rows = np.concatenate([sets[name][0] for name in names])
        if usage == "all":
            rows = np.sort(rows)
        segmented = task == "Segmentation"

        def make(number: int) -> tuple:
            image = _image(os.path.join(dataset_dir, "jpg", f"image_{number:05d}.jpg"), decode)
            label = np.uint32(labels[number - 1] - 1)
            if not segmented:
                return image, label
            region = _image(os.path.join(dataset_dir, "segmim", f"segmim_{number:05d}.jpg"), decode)
            return image, region, label

        columns = ["image", "segmentation", "label"] if segmented else ["image", "label"]
        return columns, [int(number) for number in rows], make

    def get_class_indexing(self) -> dict[str, int]:
        """Numbers of the kinds by name."""
        from ._published_lists import FLOWER_NAMES

        return {name: number for number, name in enumerate(FLOWER_NAMES)}


class SBDataset(_MatlabDataset):
    """Pictures of PASCAL VOC with boundaries or regions of objects (SBD).

    Columns: `image` uint8, `task` uint8: (20, H, W) boundaries of each class, or (H, W) regions.
    """

    _parameters = (
        DATASET_DIR._replace(text="Folder with img, cls and the lists."),
        choice("task", "Boundaries", "Segmentation", default="Boundaries"),
        choice("usage", "train", "val", "train_noval", "all", default="all"),
        *replaced(_PICTURE_ROWS, DECODE_OR_NONE),
    )

    def _list(self, dataset_dir: str, task: str, usage: str, decode: bool | None) -> _Listing:
        names = []
        for part in ("train", "val") if usage == "all" else (usage,):
            names += [
                line.strip() for line in lines(os.path.join(dataset_dir, part + ".txt")) if line.strip()
            ]

        def make(name: str) -> tuple:
            annotation = _variable(os.path.join(dataset_dir, "cls", name + ".mat"), "GTcls")[0]
            if task == "Boundaries":
                boundaries = annotation["Boundaries"][0]
                target = np.concatenate([np.expand_dims(b[0].toarray(), 0) for b in boundaries], axis=0)
            else:
                target = annotation["Segmentation"][0]
            image = _image(os.path.join(dataset_dir, "img", name + ".jpg"), bool(decode))
            return image, np.ascontiguousarray(target)

        return ["image", "task"], names, make


class SVHNDataset(_MatlabDataset):
    """House numbers from street pictures (SVHN).

    Columns: `image` uint8 of shape (32, 32, 3), `label` uint32.
    """

    _parameters = (
        DATASET_DIR._replace(text="Folder with train_32x32.mat, test_32x32.mat and extra_32x32.mat."),
        choice("usage", "train", "test", "extra", "all", none="all"),
        *_ROWS,
    )

    def _list(self, dataset_dir: str, usage: str | None) -> _Listing:
        rows: list[tuple[np.ndarray, np.uint32]] = []
        for part in ("train", "test", "extra") if usage in (None, "all") else (usage,):
            check_file(os.path.join(dataset_dir, f"{part}_32x32.mat"))
            variables = _load_matlab(os.path.join(dataset_dir, f"{part}_32x32.mat"))
            images = np.ascontiguousarray(np.transpose(variables["X"], (3, 0, 1, 2)))
            labels = variables["y"].reshape(-1).astype(np.uint32)
            labels[labels == 10] = 0  # the digit 0 is stored as 10
            rows += list(zip(images, labels, strict=True))
        return ["image", "label"], rows, tuple


__all__ = defined_classes(globals())
