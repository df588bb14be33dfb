# SPDX-License-Identifier: Apache-2.0
"""Pictures in folders: the path says the class."""

from __future__ import annotations

from mindspore._later import defined_classes

from ..core.checks import check_choice, either, one_of, sequence, text
from . import _layouts_vision as layouts
from ._parameters import (
    CLASS_INDEXING,
    DATASET_DIR,
    DECODE,
    DECODE_OR_NONE,
    DECRYPT,
    EXTENSIONS,
    PICTURE_ROWS,
    ROWS,
    TRAIN_TEST_VALID_ALL,
    Parameter,
    choice,
    inserted,
    replaced,
)
from ._sources import IndexedFilesDataset, TableDataset
from .datasets import VisionBaseDataset


class ImageFolderDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures in a folder whose sub-folders are the classes.

    Columns: `image` uint8, the bytes of the file or (height, width, 3) when decoded; `label` int32, the place
    of the sub-folder's name among the sorted names. Files are taken in the order of their names; sub-folders
    of classes are an error.
    """

    _source_name = "ImageFolder"
    _parameters = (DATASET_DIR, *inserted(ROWS, "sampler", EXTENSIONS, CLASS_INDEXING, DECODE), DECRYPT)

    def get_class_indexing(self) -> dict[str, int]:
        """Numbers of the classes by name."""
        if self.class_indexing is None:
            return {name: number for number, name in enumerate(layouts.folders(self.dataset_dir))}
        return dict(self.class_indexing)

    def num_classes(self) -> int:
        """How many classes there are."""
        return len(self.get_class_indexing())


class Caltech256Dataset(TableDataset, VisionBaseDataset):
    """Pictures of 257 classes in folders (Caltech-256).

    Columns: `image` uint8, `label` uint32.
    """

    _parameters = (DATASET_DIR, *PICTURE_ROWS)
    _listed_by = staticmethod(layouts.caltech256)


class LSUNDataset(TableDataset, VisionBaseDataset):
    """Scenes in folders named after class and use (LSUN).

    Columns: `image` uint8, `label` uint32.
    """

    _parameters = (
        DATASET_DIR,
        TRAIN_TEST_VALID_ALL,
        Parameter(
            "classes",
            "Union[str, list[str]]",
            "Classes to read.",
            None,
            "all",
            either(text, sequence(text, list, str)),
        ),
        *PICTURE_ROWS,
    )
    _listed_by = staticmethod(layouts.lsun)

    def num_classes(self) -> int:
        """How many classes there are."""
        return len(layouts.lsun_classes(self.dataset_dir, self.usage, self.classes))


class OmniglotDataset(TableDataset, VisionBaseDataset):
    """Drawings of the characters of fifty alphabets (Omniglot).

    Columns: `image` uint8, `label` int32; each character is a class.
    """

    _parameters = (
        DATASET_DIR,
        Parameter(
            "background", "bool", "Read the background part, else the evaluation part.", None, "background"
        ),
        *PICTURE_ROWS,
    )
    _listed_by = staticmethod(layouts.omniglot)

    def num_classes(self) -> int:
        """How many characters there are."""
        return layouts.omniglot_classes(self.dataset_dir, self.background)


class Places365Dataset(TableDataset, VisionBaseDataset):
    """Scenes of 365 classes (Places365).

    Columns: `image` uint8, `label` uint32.
    """

    _parameters = (
        DATASET_DIR,
        choice("usage", "train-standard", "train-challenge", "val", none="train-standard"),
        Parameter("small", "bool", "Take the pictures of 256 by 256 pixels.", True),
        DECODE,
        *ROWS,
    )
    _listed_by = staticmethod(layouts.places365)


class RenderedSST2Dataset(TableDataset, VisionBaseDataset):
    """Sentences of film reviews drawn as pictures (Rendered SST2).

    Columns: `image` uint8, `label` uint32: 0 negative, 1 positive.
    """

    _parameters = (DATASET_DIR, choice("usage", "train", "test", "val", "all", none="all"), *PICTURE_ROWS)
    _listed_by = staticmethod(layouts.rendered_sst2)

    def num_classes(self) -> int:
        """Negative and positive."""
        return 2


class SUN397Dataset(TableDataset, VisionBaseDataset):
    """Scenes of 397 classes (SUN397).

    Columns: `image` uint8, `label` uint32.
    """

    _parameters = (DATASET_DIR, *PICTURE_ROWS)
    _listed_by = staticmethod(layouts.sun397)


class DIV2KDataset(TableDataset, VisionBaseDataset):
    """Photographs of high resolution with their reduced versions (DIV2K).

    Columns: `hr_image` uint8, `lr_image` uint8.
    """

    _image_columns = ("hr_image", "lr_image")
    _parameters = (
        DATASET_DIR,
        choice("usage", "train", "valid", "all", default="train"),
        choice(
            "downgrade",
            "bicubic",
            "unknown",
            "mild",
            "difficult",
            "wild",
            default="bicubic",
            before="How the small picture was made: ",
        ),
        Parameter(
            "scale",
            "int",
            "How much smaller it is: 2, 3, 4 or 8; 8 goes with ``'bicubic'`` , the last three downgrades "
            "with 4.",
            2,
            rule=one_of(2, 3, 4, 8),
        ),
        *replaced(PICTURE_ROWS, DECODE_OR_NONE),
    )
    _listed_by = staticmethod(layouts.div2k)

    def _prepare(self) -> None:
        if self.scale == 8 and self.downgrade != "bicubic":
            raise ValueError("DIV2KNode: scale equal to 8 is allowed only in bicubic downgrade.")
        if self.downgrade in ("mild", "difficult", "wild") and self.scale != 4:
            raise ValueError(f"DIV2KNode: {self.downgrade} downgrade requires scale equal to 4.")


class CityscapesDataset(TableDataset, VisionBaseDataset):
    """Streets of German cities with labelled regions (Cityscapes).

    Columns: `image` uint8, `task` uint8, or a string for polygons.
    """

    _parameters = (
        DATASET_DIR,
        Parameter(
            "usage",
            "str",
            "With quality ``'fine'`` : ``'train'`` , ``'test'`` , ``'val'`` , ``'all'`` ; with "
            "``'coarse'`` : ``'train'`` , ``'train_extra'`` , ``'val'`` , ``'all'`` .",
            "train",
        ),
        choice("quality_mode", "fine", "coarse", default="fine"),
        choice("task", "instance", "semantic", "polygon", "color", default="instance"),
        *replaced(PICTURE_ROWS, DECODE_OR_NONE),
    )
    _listed_by = staticmethod(layouts.cityscapes)

    def _prepare(self) -> None:
        second = "test" if self.quality_mode == "fine" else "train_extra"
        check_choice(self.usage, ("train", second, "val", "all"), "usage")
        self._image_columns = ("image",) if self.task == "polygon" else ("image", "task")


__all__ = defined_classes(globals())
