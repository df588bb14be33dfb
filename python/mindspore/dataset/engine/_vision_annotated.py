# SPDX-License-Identifier: Apache-2.0
"""Pictures whose properties stand in annotation files."""

from __future__ import annotations

import json
import os
from typing import Any

from mindspore._later import defined_classes

from ..core.checks import check_file, no_class_sampler, one_of, text
from . import _layouts_vision as layouts
from ._parameters import (
    CACHE,
    CLASS_INDEXING,
    DATASET_DIR,
    DECODE,
    DECODE_OR_NONE,
    DECRYPT,
    EXTENSIONS,
    EXTRA_METADATA,
    NUM_PARALLEL_WORKERS,
    NUM_SAMPLES,
    PICTURE_ROWS,
    ROWS,
    SAMPLER,
    SHARDS,
    SHUFFLE,
    TRAIN_TEST_ALL,
    Parameter,
    choice,
    inserted,
    replaced,
)
from ._sources import IndexedFilesDataset, TableDataset
from .datasets import VisionBaseDataset

_PICTURE_DIR = DATASET_DIR._replace(text="Folder of the pictures.")


def _no_classes(dataset: str) -> Parameter:
    """Samplers of sources without classes."""
    return SAMPLER._replace(rule=no_class_sampler(dataset))


class CocoDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures with boxes, outlines, key points, regions or captions (COCO).

    Columns by task. Detection: `image` , `bbox` float32 (N, 4), `category_id` uint32 (N, 1), `iscrowd` uint32
    (N, 1). Stuff: `image` , `segmentation` float32 (N, longest outline), filled up with -1, `iscrowd` .
    Keypoint: `image` , `keypoints` float32 (N, 3 K), `num_keypoints` uint32 (N, 1). Panoptic: as Detection
    and `area` uint32 (N, 1). Captioning: `image` , `captions` string (N, 1). Pictures without annotation are
    left out.
    """

    _source_name = "Coco"
    _parameters = (
        _PICTURE_DIR,
        Parameter("annotation_file", "str", "JSON file of the annotations.", rule=check_file),
        choice(
            "task", "Detection", "Stuff", "Keypoint", "Panoptic", "Captioning", default="Detection", rule=text
        ),
        *replaced(PICTURE_ROWS, _no_classes("CocoDataset")),
        EXTRA_METADATA,
        DECRYPT,
    )

    def _prepare(self) -> None:
        if self.task not in ("Detection", "Stuff", "Panoptic", "Keypoint", "Captioning"):
            raise ValueError("Invalid task type: " + self.task)

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
    """

    _parameters = (
        DATASET_DIR,
        choice("task", "Segmentation", "Detection", default="Segmentation", rule=text),
        Parameter(
            "usage",
            "str",
            "Name of a list in ImageSets, as ``'train'`` , ``'val'`` , ``'trainval'`` .",
            "train",
        ),
        CLASS_INDEXING._replace(text="Numbers of the classes to read, by name; only for Detection."),
        *replaced(PICTURE_ROWS, _no_classes("VOCDataset")),
        EXTRA_METADATA,
        DECRYPT,
    )
    _listed_by = staticmethod(layouts.voc)

    def _prepare(self) -> None:
        if self.task not in ("Segmentation", "Detection"):
            raise ValueError("Invalid task : " + self.task)
        if self.task == "Segmentation" and self.class_indexing is not None:
            raise ValueError("class_indexing is not supported in Segmentation task.")
        folder = "Segmentation" if self.task == "Segmentation" else "Main"
        check_file(os.path.join(self.dataset_dir, "ImageSets", folder, self.usage + ".txt"))
        self._image_columns = ("image", "target") if self.task == "Segmentation" else ("image",)

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
    """

    _source_name = "CelebA"
    _parameters = (
        DATASET_DIR._replace(text="Folder of pictures and lists."),
        NUM_PARALLEL_WORKERS,
        SHUFFLE,
        choice(
            "usage",
            "train",
            "valid",
            "test",
            "all",
            default="all",
            rule=one_of("all", "train", "valid", "test"),
        ),
        _no_classes("CelebADataset"),
        DECODE,
        EXTENSIONS._replace(text="Endings of the files that count."),
        NUM_SAMPLES,
        *SHARDS,
        CACHE,
        DECRYPT,
    )


class ManifestDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures listed in a manifest, one JSON object per line with source, usage and annotation.

    Columns: `image` uint8, `label` int32, one number or, with several annotations, a list.
    """

    _source_name = "Manifest"
    _parameters = (
        Parameter("dataset_file", "str", "The manifest.", rule=check_file),
        choice("usage", "train", "eval", "inference", default="train"),
        *inserted(ROWS, "sampler", CLASS_INDEXING, DECODE),
    )

    def _files_read(self) -> list[Any]:
        with open(self.dataset_file, encoding="utf-8") as file:
            pictures = [json.loads(line).get("source") for line in filter(str.strip, file)]
        return [*super()._files_read(), pictures]

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
    """

    _parameters = (
        _PICTURE_DIR,
        Parameter("annotation_file", "str", "List of descriptions.", rule=check_file),
        *replaced(PICTURE_ROWS, DECODE_OR_NONE),
    )
    _listed_by = staticmethod(layouts.flickr)


class Food101Dataset(TableDataset, VisionBaseDataset):
    """Dishes of 101 kinds (Food-101).

    Columns: `image` uint8, `label` string.
    """

    _parameters = (DATASET_DIR, TRAIN_TEST_ALL, *PICTURE_ROWS)
    _listed_by = staticmethod(layouts.food101)


class KITTIDataset(TableDataset, VisionBaseDataset):
    """Streets with objects around a car (KITTI).

    Columns of ``'train'`` : `image` uint8, then for N objects `label` uint32, `truncated` float32, `occluded`
    uint32, `alpha` float32 (N, 1 each), `bbox` float32 (N, 4), `dimensions` and `location` float32 (N, 3),
    `rotation_y` float32 (N, 1). Column of ``'test'`` : `image` .
    """

    _parameters = (DATASET_DIR, choice("usage", "train", "test", none="train"), *PICTURE_ROWS)
    _listed_by = staticmethod(layouts.kitti)


class LFWDataset(TableDataset, VisionBaseDataset):
    """Faces in the wild, by person or in pairs (LFW).

    Columns of people: `image` uint8, `label` uint32. Columns of pairs: `image1` , `image2` uint8, `label`
    uint32, 1 for the same person.
    """

    _parameters = (
        DATASET_DIR,
        choice("task", "people", "pairs", none="people"),
        choice("usage", "10fold", "train", "test", "all", none="all"),
        choice("image_set", "original", "funneled", "deepfunneled", none="funneled"),
        *PICTURE_ROWS,
    )
    _listed_by = staticmethod(layouts.lfw)

    def _prepare(self) -> None:
        self._image_columns = ("image1", "image2") if self.task == "pairs" else ("image",)


class SBUDataset(TableDataset, VisionBaseDataset):
    """Photographs with captions (SBU).

    Columns: `image` uint8, `caption` string.
    """

    _parameters = (DATASET_DIR, *PICTURE_ROWS)
    _listed_by = staticmethod(layouts.sbu)


class WIDERFaceDataset(TableDataset, VisionBaseDataset):
    """Crowds with faces (WIDER FACE).

    Columns: `image` uint8, then for N faces `bbox` int32 (N, 4), `blur` , `expression` , `illumination` ,
    `occlusion` , `pose` , `invalid` int32 (N,). Column of ``'test'`` : `image` .
    """

    _parameters = (
        DATASET_DIR,
        choice("usage", "train", "test", "valid", "all", none="all", after=" and means train and valid"),
        *PICTURE_ROWS,
    )
    _listed_by = staticmethod(layouts.wider_face)


__all__ = defined_classes(globals())
