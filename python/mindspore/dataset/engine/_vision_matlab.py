# SPDX-License-Identifier: Apache-2.0
"""Pictures whose annotation lies in MATLAB files; reading those needs SciPy."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..core.checks import boolean, check_choice, check_dir, check_file, checked, one_of, text
from ._layouts_vision import files, folders, lines
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


# Folders of pictures and of annotations that bear different names.
_CALTECH_RENAMED = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}


class Caltech101Dataset(GeneratorDataset):
    """Pictures of 101 classes with outlines (Caltech-101).

    Columns: `image` uint8; `category` int64, `annotation` float64 (2, N), or both.

    Args:
        dataset_dir (str): Folder with 101_ObjectCategories and Annotations.
        target_type (str, optional): ``'category'`` , which ``None`` stands for, ``'annotation'`` or
            ``'all'`` . Default: ``None`` .
        num_samples (int, optional): Most rows to read. Default: ``None`` , all.
        num_parallel_workers (int, optional): Threads that read. Default: ``1`` .
        shuffle (bool, optional): Whether rows come in random order. Default: ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` .
        sampler (Union[Sampler, Iterable], optional): Picks the rows. Default: ``None`` .
        num_shards (int, optional): Into how many parts the rows are divided. Default: ``None`` .
        shard_id (int, optional): Which part to read. Default: ``None`` .
    """

    @checked(target_type=text, decode=boolean)
    def __init__(
        self,
        dataset_dir,
        target_type=None,
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
    ) -> None:
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
        super().__init__(
            _Rows(rows, make),
            column_names=["image", *columns],
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
            python_multiprocessing=False,
        )

    def get_class_indexing(self) -> dict[str, int]:
        """Numbers of the classes by name, of the whole collection."""
        from ._published_lists import CALTECH_NAMES

        return {name: number for number, name in enumerate(CALTECH_NAMES)}


class Flowers102Dataset(GeneratorDataset):
    """Flowers of 102 kinds (Oxford Flowers).

    Columns: `image` uint8, for Segmentation `segmentation` uint8, `label` uint32.

    Args:
        dataset_dir (str): Folder with imagelabels.mat, setid.mat, jpg and, for segmentation, segmim.
        task (str, optional): ``'Classification'`` or ``'Segmentation'`` . Default: ``'Classification'`` .
        usage (str, optional): ``'train'`` , ``'valid'`` , ``'test'`` or ``'all'`` . Default: ``'all'`` .
        num_samples (int, optional): Most rows to read. Default: ``None`` , all.
        num_parallel_workers (int, optional): Threads that read. Default: ``1`` .
        shuffle (bool, optional): Whether rows come in random order. Default: ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` .
        sampler (Union[Sampler, Iterable], optional): Picks the rows. Default: ``None`` .
        num_shards (int, optional): Into how many parts the rows are divided. Default: ``None`` .
        shard_id (int, optional): Which part to read. Default: ``None`` .
    """

    @checked(
        task=one_of("Classification", "Segmentation"),
        usage=one_of("train", "valid", "test", "all"),
        decode=boolean,
    )
    def __init__(
        self,
        dataset_dir,
        task="Classification",
        usage="all",
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
    ) -> None:
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

        super().__init__(
            _Rows([int(number) for number in rows], make),
            column_names=["image", "segmentation", "label"] if segmented else ["image", "label"],
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
            python_multiprocessing=False,
        )

    def get_class_indexing(self) -> dict[str, int]:
        """Numbers of the kinds by name."""
        from ._published_lists import FLOWER_NAMES

        return {name: number for number, name in enumerate(FLOWER_NAMES)}


class SBDataset(GeneratorDataset):
    """Pictures of PASCAL VOC with boundaries or regions of objects (SBD).

    Columns: `image` uint8, `task` uint8: (20, H, W) boundaries of each class, or (H, W) regions.

    Args:
        dataset_dir (str): Folder with img, cls and the lists.
        task (str, optional): ``'Boundaries'`` or ``'Segmentation'`` . Default: ``'Boundaries'`` .
        usage (str, optional): ``'train'`` , ``'val'`` , ``'train_noval'`` or ``'all'`` . Default: ``'all'`` .
        num_samples (int, optional): Most rows to read. Default: ``None`` , all.
        num_parallel_workers (int, optional): Threads that read. Default: ``1`` .
        shuffle (bool, optional): Whether rows come in random order. Default: ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``None`` , no.
        sampler (Union[Sampler, Iterable], optional): Picks the rows. Default: ``None`` .
        num_shards (int, optional): Into how many parts the rows are divided. Default: ``None`` .
        shard_id (int, optional): Which part to read. Default: ``None`` .
    """

    @checked(
        task=one_of("Boundaries", "Segmentation"),
        usage=one_of("train", "val", "train_noval", "all"),
        decode=boolean,
    )
    def __init__(
        self,
        dataset_dir,
        task="Boundaries",
        usage="all",
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        decode=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
    ) -> None:
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

        super().__init__(
            _Rows(names, make),
            column_names=["image", "task"],
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
            python_multiprocessing=False,
        )


class SVHNDataset(GeneratorDataset):
    """House numbers from street pictures (SVHN).

    Columns: `image` uint8 of shape (32, 32, 3), `label` uint32.

    Args:
        dataset_dir (str): Folder with train_32x32.mat, test_32x32.mat and extra_32x32.mat.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'extra'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
        num_samples (int, optional): Most rows to read. Default: ``None`` , all.
        num_parallel_workers (int, optional): Threads that read. Default: ``1`` .
        shuffle (bool, optional): Whether rows come in random order. Default: ``None`` .
        sampler (Union[Sampler, Iterable], optional): Picks the rows. Default: ``None`` .
        num_shards (int, optional): Into how many parts the rows are divided. Default: ``None`` .
        shard_id (int, optional): Which part to read. Default: ``None`` .
    """

    @checked(usage=one_of("train", "test", "extra", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
    ) -> None:
        rows: list[tuple[np.ndarray, np.uint32]] = []
        for part in ("train", "test", "extra") if usage in (None, "all") else (usage,):
            check_file(os.path.join(dataset_dir, f"{part}_32x32.mat"))
            variables = _load_matlab(os.path.join(dataset_dir, f"{part}_32x32.mat"))
            images = np.ascontiguousarray(np.transpose(variables["X"], (3, 0, 1, 2)))
            labels = variables["y"].reshape(-1).astype(np.uint32)
            labels[labels == 10] = 0  # the digit 0 is stored as 10
            rows += list(zip(images, labels, strict=True))
        super().__init__(
            _Rows(rows, tuple),
            column_names=["image", "label"],
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
            python_multiprocessing=False,
        )
