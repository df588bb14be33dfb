# SPDX-License-Identifier: Apache-2.0
"""Pictures whose properties stand in annotation files."""

from __future__ import annotations

import json
import os
from typing import Any

from ..core.checks import check_file, decrypt_function, no_class_sampler, one_of, sequence, text
from . import _layouts_vision as layouts
from ._sources import IndexedFilesDataset, TableDataset, constructor
from .datasets import VisionBaseDataset

__all__ = [
    "CelebADataset",
    "CocoDataset",
    "FlickrDataset",
    "Food101Dataset",
    "KITTIDataset",
    "LFWDataset",
    "ManifestDataset",
    "SBUDataset",
    "VOCDataset",
    "WIDERFaceDataset",
]


class CocoDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures with boxes, outlines, key points, regions or captions (COCO).

    Columns by task. Detection: `image` , `bbox` float32 (N, 4), `category_id` uint32 (N, 1), `iscrowd` uint32
    (N, 1). Stuff: `image` , `segmentation` float32 (N, longest outline), filled up with -1, `iscrowd` .
    Keypoint: `image` , `keypoints` float32 (N, 3 K), `num_keypoints` uint32 (N, 1). Panoptic: as Detection
    and `area` uint32 (N, 1). Captioning: `image` , `captions` string (N, 1). Pictures without annotation are
    left out.

    Args:
        dataset_dir (str): Folder of the pictures.
        annotation_file (str): JSON file of the annotations.
        task (str, optional): ``'Detection'`` , ``'Stuff'`` , ``'Keypoint'`` , ``'Panoptic'`` or
            ``'Captioning'`` . Default: ``'Detection'`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
        extra_metadata (bool, optional): Add the column `_meta-filename` , which a pipeline drops at its end
            unless it is renamed. Default: ``False`` .
        decrypt (callable, optional): Takes a path and returns the bytes of the picture. Default: ``None`` .
    """

    _source_name = "Coco"

    @constructor(task=text, sampler=no_class_sampler("CocoDataset"), decrypt=decrypt_function)
    def __init__(
        self,
        dataset_dir,
        annotation_file,
        task="Detection",
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
        extra_metadata=False,
        decrypt=None,
    ) -> None:
        if task not in ("Detection", "Stuff", "Panoptic", "Keypoint", "Captioning"):
            raise ValueError("Invalid task type: " + task)

    def get_class_indexing(self) -> dict[str, list[int]]:
        """Numbers of the categories by name; for panoptic data also whether they are things."""
        if self.task not in ("Detection", "Panoptic"):
            raise NotImplementedError("Only 'Detection' and 'Panoptic' support get_class_indexing.")
        with open(self.annotation_file, encoding="utf-8") as file:
            categories = json.load(file).get("categories", [])
        keys = ("id", "isthing") if self.task == "Panoptic" else ("id",)
        return {category["name"]: [category[key] for key in keys] for category in categories}


class VOCDataset(TableDataset, VisionBaseDataset):
    """Pictures with regions or boxes (PASCAL VOC).

    Columns of Segmentation: `image` , `target` uint8. Columns of Detection: `image` , `bbox` float32 (N, 4)
    as left, top, width, height; `label` , `difficult` , `truncate` uint32 (N, 1).

    Args:
        dataset_dir (str): Folder that holds the data.
        task (str, optional): ``'Segmentation'`` or ``'Detection'`` . Default: ``'Segmentation'`` .
        usage (str, optional): Name of a list in ImageSets, as ``'train'`` , ``'val'`` , ``'trainval'`` .
            Default: ``'train'`` .
        class_indexing (dict, optional): Numbers of the classes to read, by name; only for Detection. Default:
            ``None`` , all classes from 0 in the order of their names.
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
        extra_metadata (bool, optional): Add the column `_meta-filename` , which a pipeline drops at its end
            unless it is renamed. Default: ``False`` .
        decrypt (callable, optional): Takes a path and returns the bytes of the picture. Default: ``None`` .
    """

    @constructor(task=text, usage=text, sampler=no_class_sampler("VOCDataset"), decrypt=decrypt_function)
    def __init__(
        self,
        dataset_dir,
        task="Segmentation",
        usage="train",
        class_indexing=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
        extra_metadata=False,
        decrypt=None,
    ) -> None:
        if task not in ("Segmentation", "Detection"):
            raise ValueError("Invalid task : " + task)
        if task == "Segmentation" and class_indexing is not None:
            raise ValueError("class_indexing is not supported in Segmentation task.")
        folder = "Segmentation" if task == "Segmentation" else "Main"
        check_file(os.path.join(dataset_dir, "ImageSets", folder, usage + ".txt"))
        self._image_columns = ("image", "target") if task == "Segmentation" else ("image",)

    def _layout(self) -> dict[str, Any]:
        return layouts.voc(self.dataset_dir, self.task, self.usage, self.class_indexing, self.extra_metadata)

    def get_class_indexing(self) -> dict[str, int]:
        """Numbers of the classes by name."""
        if self.task != "Detection":
            raise NotImplementedError("Only 'Detection' support get_class_indexing.")
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        return layouts.voc_classes(self.dataset_dir, self.usage)


class CelebADataset(IndexedFilesDataset, VisionBaseDataset):
    """Faces of celebrities with forty attributes (CelebA).

    Columns: `image` uint8, `attr` uint32 of shape (40,), each 0 or 1. Files: list_attr_celeba.txt, and
    list_eval_partition.txt for the parts.

    Args:
        dataset_dir (str): Folder of pictures and lists.
        usage (str, optional): ``'train'`` , ``'valid'`` , ``'test'`` or ``'all'`` . Default: ``'all'`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
        extensions (list[str], optional): Endings of the files that count. Default: ``None`` , jpg, jpeg, png
            and bmp.
        decrypt (callable, optional): Takes a path and returns the bytes of the picture. Default: ``None`` .
    """

    _source_name = "CelebA"

    @constructor(
        usage=one_of("all", "train", "valid", "test"),
        extensions=sequence(text, list),
        sampler=no_class_sampler("CelebADataset"),
        decrypt=decrypt_function,
    )
    def __init__(
        self,
        dataset_dir,
        num_parallel_workers=None,
        shuffle=None,
        usage="all",
        sampler=None,
        decode=False,
        extensions=None,
        num_samples=None,
        num_shards=None,
        shard_id=None,
        cache=None,
        decrypt=None,
    ) -> None:
        pass


class ManifestDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures listed in a manifest, one JSON object per line with source, usage and annotation.

    Columns: `image` uint8, `label` int32, one number or, with several annotations, a list.

    Args:
        dataset_file (str): The manifest.
        usage (str, optional): ``'train'`` , ``'eval'`` or ``'inference'`` . Default: ``'train'`` .
        class_indexing (dict, optional): Numbers of the classes to read, by name. Default: ``None`` , all
            classes from 0 in the order of their names.
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    _source_name = "Manifest"

    @constructor(usage=one_of("train", "eval", "inference"))
    def __init__(
        self,
        dataset_file,
        usage="train",
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        class_indexing=None,
        decode=False,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def get_class_indexing(self) -> dict[str, int]:
        """Numbers of the classes by name."""
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        names = set()
        with open(self.dataset_file, encoding="utf-8") as file:
            for line in filter(str.strip, file):
                entry = json.loads(line)
                if entry.get("usage", "").lower() == self.usage:
                    names.update(annotation["name"] for annotation in entry.get("annotation", []))
        return {name: number for number, name in enumerate(sorted(names))}

    def num_classes(self) -> int:
        """How many classes there are."""
        return len(self.get_class_indexing())


class FlickrDataset(TableDataset, VisionBaseDataset):
    """Photographs with five descriptions each (Flickr8k, Flickr30k).

    Columns: `image` uint8, `annotation` string of shape (5,).

    Args:
        dataset_dir (str): Folder of the pictures.
        annotation_file (str): List of descriptions.
        decode (bool, optional): Decode the pictures. Default: ``None`` , no.
    """

    @constructor()
    def __init__(
        self,
        dataset_dir,
        annotation_file,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.flickr(self.dataset_dir, self.annotation_file)


class Food101Dataset(TableDataset, VisionBaseDataset):
    """Dishes of 101 kinds (Food-101).

    Columns: `image` uint8, `label` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands for. Default:
            ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(usage=one_of("train", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.food101(self.dataset_dir, self.usage)


class KITTIDataset(TableDataset, VisionBaseDataset):
    """Streets with objects around a car (KITTI).

    Columns of ``'train'`` : `image` uint8, then for N objects `label` uint32, `truncated` float32, `occluded`
    uint32, `alpha` float32 (N, 1 each), `bbox` float32 (N, 4), `dimensions` and `location` float32 (N, 3),
    `rotation_y` float32 (N, 1). Column of ``'test'`` : `image` .

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , which ``None`` stands for, or ``'test'`` . Default: ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(usage=one_of("train", "test"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.kitti(self.dataset_dir, self.usage)


class LFWDataset(TableDataset, VisionBaseDataset):
    """Faces in the wild, by person or in pairs (LFW).

    Columns of people: `image` uint8, `label` uint32. Columns of pairs: `image1` , `image2` uint8, `label`
    uint32, 1 for the same person.

    Args:
        dataset_dir (str): Folder that holds the data.
        task (str, optional): ``'people'`` , which ``None`` stands for, or ``'pairs'`` . Default: ``None`` .
        usage (str, optional): ``'10fold'`` , ``'train'`` , ``'test'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
        image_set (str, optional): ``'original'`` , ``'funneled'`` , which ``None`` stands for, or
            ``'deepfunneled'`` . Default: ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(
        task=one_of("people", "pairs"),
        usage=one_of("10fold", "train", "test", "all"),
        image_set=one_of("original", "funneled", "deepfunneled"),
    )
    def __init__(
        self,
        dataset_dir,
        task=None,
        usage=None,
        image_set=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        self._image_columns = ("image1", "image2") if task == "pairs" else ("image",)

    def _layout(self) -> dict[str, Any]:
        return layouts.lfw(
            self.dataset_dir, self.task or "people", self.usage or "all", self.image_set or "funneled"
        )


class SBUDataset(TableDataset, VisionBaseDataset):
    """Photographs with captions (SBU).

    Columns: `image` uint8, `caption` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor()
    def __init__(
        self,
        dataset_dir,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.sbu(self.dataset_dir)


class WIDERFaceDataset(TableDataset, VisionBaseDataset):
    """Crowds with faces (WIDER FACE).

    Columns: `image` uint8, then for N faces `bbox` int32 (N, 4), `blur` , `expression` , `illumination` ,
    `occlusion` , `pose` , `invalid` int32 (N,). Column of ``'test'`` : `image` .

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'valid'`` or ``'all'`` , which ``None`` stands for
            and means train and valid. Default: ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(usage=one_of("train", "test", "valid", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=False,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.wider_face(self.dataset_dir, self.usage)
