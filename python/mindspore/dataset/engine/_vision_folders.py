# SPDX-License-Identifier: Apache-2.0
"""Pictures in folders: the path says the class."""

from __future__ import annotations

from typing import Any

from ..core.checks import boolean, check_choice, decrypt_function, either, one_of, sequence, text
from . import _layouts_vision as layouts
from ._sources import IndexedFilesDataset, TableDataset, constructor
from .datasets import VisionBaseDataset

__all__ = [
    "Caltech256Dataset",
    "CityscapesDataset",
    "DIV2KDataset",
    "ImageFolderDataset",
    "LSUNDataset",
    "OmniglotDataset",
    "Places365Dataset",
    "RenderedSST2Dataset",
    "SUN397Dataset",
]


class ImageFolderDataset(IndexedFilesDataset, VisionBaseDataset):
    """Pictures in a folder whose sub-folders are the classes.

    Columns: `image` uint8, the bytes of the file or (height, width, 3) when decoded; `label` int32, the place
    of the sub-folder's name among the sorted names. Files are taken in the order of their names; sub-folders
    of classes are an error.

    Args:
        dataset_dir (str): Folder that holds the data.
        extensions (list[str], optional): Endings of the files that count, as ``['.jpg']`` ; case does not
            matter. Default: ``None`` , jpg, jpeg, png and bmp.
        class_indexing (dict, optional): Numbers of the classes to read, by name. Default: ``None`` , all
            classes from 0.
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
        decrypt (callable, optional): Takes a path and returns the bytes of the picture. Default: ``None`` .
    """

    _source_name = "ImageFolder"

    @constructor(extensions=sequence(text, list), decrypt=decrypt_function)
    def __init__(
        self,
        dataset_dir,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        extensions=None,
        class_indexing=None,
        decode=False,
        num_shards=None,
        shard_id=None,
        cache=None,
        decrypt=None,
    ) -> None:
        pass

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
        return layouts.caltech256(self.dataset_dir)


class LSUNDataset(TableDataset, VisionBaseDataset):
    """Scenes in folders named after class and use (LSUN).

    Columns: `image` uint8, `label` uint32.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'valid'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
        classes (Union[str, list[str]], optional): Classes to read. Default: ``None`` , all.
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(
        usage=one_of("train", "test", "valid", "all"), classes=either(text, sequence(text, list, str))
    )
    def __init__(
        self,
        dataset_dir,
        usage=None,
        classes=None,
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
        return layouts.lsun(self.dataset_dir, self.usage, self._class_list())

    def _class_list(self) -> list[str] | None:
        return [self.classes] if isinstance(self.classes, str) else self.classes

    def num_classes(self) -> int:
        """How many classes there are."""
        return len(self._class_list() or layouts.lsun_classes(self.dataset_dir, self.usage))


class OmniglotDataset(TableDataset, VisionBaseDataset):
    """Drawings of the characters of fifty alphabets (Omniglot).

    Columns: `image` uint8, `label` int32; each character is a class.

    Args:
        dataset_dir (str): Folder that holds the data.
        background (bool, optional): Read the background part, else the evaluation part. Default: ``None`` ,
            background.
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(background=boolean)
    def __init__(
        self,
        dataset_dir,
        background=None,
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
        return layouts.omniglot(self.dataset_dir, self.background)

    def num_classes(self) -> int:
        """How many characters there are."""
        return layouts.omniglot_classes(self.dataset_dir, self.background)


class Places365Dataset(TableDataset, VisionBaseDataset):
    """Scenes of 365 classes (Places365).

    Columns: `image` uint8, `label` uint32.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train-standard'`` , which ``None`` stands for, ``'train-challenge'`` or
            ``'val'`` . Default: ``None`` .
        small (bool, optional): Take the pictures of 256 by 256 pixels. Default: ``True`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(usage=one_of("train-standard", "train-challenge", "val"), small=boolean)
    def __init__(
        self,
        dataset_dir,
        usage=None,
        small=True,
        decode=False,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.places365(self.dataset_dir, self.usage, self.small)


class RenderedSST2Dataset(TableDataset, VisionBaseDataset):
    """Sentences of film reviews drawn as pictures (Rendered SST2).

    Columns: `image` uint8, `label` uint32: 0 negative, 1 positive.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'val'`` or ``'all'`` , which ``None`` stands for.
            Default: ``None`` .
        decode (bool, optional): Decode the pictures. Default: ``False`` , columns hold the bytes of the
            files.
    """

    @constructor(usage=one_of("train", "test", "val", "all"))
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
        return layouts.rendered_sst2(self.dataset_dir, self.usage)

    def num_classes(self) -> int:
        """Negative and positive."""
        return 2


class SUN397Dataset(TableDataset, VisionBaseDataset):
    """Scenes of 397 classes (SUN397).

    Columns: `image` uint8, `label` uint32.

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
        return layouts.sun397(self.dataset_dir)


class DIV2KDataset(TableDataset, VisionBaseDataset):
    """Photographs of high resolution with their reduced versions (DIV2K).

    Columns: `hr_image` uint8, `lr_image` uint8.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'valid'`` or ``'all'`` . Default: ``'train'`` .
        downgrade (str, optional): How the small picture was made: ``'bicubic'`` , ``'unknown'`` , ``'mild'``
            , ``'difficult'`` or ``'wild'`` . Default: ``'bicubic'`` .
        scale (int, optional): How much smaller it is: 2, 3, 4 or 8; 8 goes with ``'bicubic'`` , the last
            three downgrades with 4. Default: ``2`` .
        decode (bool, optional): Decode the pictures. Default: ``None`` , no.
    """

    _image_columns = ("hr_image", "lr_image")

    @constructor(
        usage=one_of("train", "valid", "all"),
        downgrade=one_of("bicubic", "unknown", "mild", "difficult", "wild"),
        scale=one_of(2, 3, 4, 8),
    )
    def __init__(
        self,
        dataset_dir,
        usage="train",
        downgrade="bicubic",
        scale=2,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        if scale == 8 and downgrade != "bicubic":
            raise ValueError("DIV2KNode: scale equal to 8 is allowed only in bicubic downgrade.")
        if downgrade in ("mild", "difficult", "wild") and scale != 4:
            raise ValueError(f"DIV2KNode: {downgrade} downgrade requires scale equal to 4.")

    def _layout(self) -> dict[str, Any]:
        return layouts.div2k(self.dataset_dir, self.usage, self.downgrade, self.scale)


class CityscapesDataset(TableDataset, VisionBaseDataset):
    """Streets of German cities with labelled regions (Cityscapes).

    Columns: `image` uint8, `task` uint8, or a string for polygons.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): With quality ``'fine'`` : ``'train'`` , ``'test'`` , ``'val'`` , ``'all'`` ;
            with ``'coarse'`` : ``'train'`` , ``'train_extra'`` , ``'val'`` , ``'all'`` . Default: ``'train'``
            .
        quality_mode (str, optional): ``'fine'`` or ``'coarse'`` . Default: ``'fine'`` .
        task (str, optional): ``'instance'`` , ``'semantic'`` , ``'polygon'`` or ``'color'`` . Default:
            ``'instance'`` .
        decode (bool, optional): Decode the pictures. Default: ``None`` , no.
    """

    @constructor(
        quality_mode=one_of("fine", "coarse"),
        task=one_of("instance", "semantic", "polygon", "color"),
        usage=text,
    )
    def __init__(
        self,
        dataset_dir,
        usage="train",
        quality_mode="fine",
        task="instance",
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        decode=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        parts = (
            ("train", "test", "val", "all")
            if quality_mode == "fine"
            else ("train", "train_extra", "val", "all")
        )
        check_choice(usage, parts, "usage")
        self._image_columns = ("image",) if task == "polygon" else ("image", "task")

    def _layout(self) -> dict[str, Any]:
        return layouts.cityscapes(self.dataset_dir, self.usage, self.quality_mode, self.task)
