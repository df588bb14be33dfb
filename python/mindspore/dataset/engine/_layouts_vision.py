# SPDX-License-Identifier: Apache-2.0
"""Where the files of published image collections lie, and what their annotation files say."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

from ._table import RowTable

IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp")


def folders(path: str) -> list[str]:
    """Names of the folders in a folder, sorted."""
    return sorted(entry.name for entry in os.scandir(path) if entry.is_dir())


def files(path: str, endings: tuple[str, ...] = IMAGE_ENDINGS) -> list[str]:
    """Paths of the files in a folder with one of the endings, sorted; none when there is no folder."""
    if not os.path.isdir(path):
        return []
    names = (entry.name for entry in os.scandir(path) if entry.is_file())
    return [os.path.join(path, name) for name in sorted(names) if name.lower().endswith(endings)]


def lines(path: str) -> Iterator[str]:
    """Lines of a text file without their ends; RuntimeError when it cannot be read as text."""
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RuntimeError(f"Invalid file, failed to open file: {path}: {error}") from error


def required_folder(path: str, dataset: str) -> str:
    """The path, when it is a folder."""
    if not os.path.isdir(path):
        raise RuntimeError(
            f"Invalid data, {dataset} API can't read the data file (interface mismatch or no data found). "
            f"Check file path: {path}"
        )
    return path


def caltech256(root: str) -> dict[str, Any]:
    """Sub-folders are classes; only JPEG files count."""
    table = RowTable("Caltech256Dataset", root, {"image": "file", "label": "uint32"})
    for label, name in enumerate(folders(root)):
        for path in files(os.path.join(root, name), (".jpg", ".jpeg")):
            table.add(image=path, label=label)
    return table.arguments()


def cityscapes(root: str, usage: str, quality_mode: str, task: str) -> dict[str, Any]:
    """leftImg8bit/<part>/<city>/<name>_leftImg8bit.png beside gt<Quality>/<part>/<city>/<name>_gt..."""
    fine = quality_mode == "fine"
    parts = {"all": ["train", "test", "val"] if fine else ["train", "train_extra", "val"]}.get(usage, [usage])
    quality = "gtFine" if fine else "gtCoarse"
    ending = {
        "instance": "instanceIds.png",
        "semantic": "labelIds.png",
        "polygon": "polygons.json",
        "color": "color.png",
    }[task]
    table = RowTable(
        "CityscapesDataset", root, {"image": "file", "task": "text_file" if task == "polygon" else "file"}
    )
    for part in parts:
        pictures = required_folder(os.path.join(root, "leftImg8bit", part), "CityscapesDataset")
        targets = required_folder(os.path.join(root, quality, part), "CityscapesDataset")
        for city in folders(pictures):
            for path in files(os.path.join(pictures, city), (".png",)):
                name = os.path.basename(path).rsplit("_leftImg8bit", 1)[0]
                target = os.path.join(targets, city, f"{name}_{quality}_{ending}")
                if not os.path.isfile(target):
                    raise RuntimeError(f"Invalid data, the file of the task is missing: {target}")
                table.add(image=path, task=target)
    return table.arguments()


def div2k(root: str, usage: str, downgrade: str, scale: int) -> dict[str, Any]:
    """High resolution in DIV2K_<part>_HR, low in DIV2K_<part>_LR_<downgrade>[/X<scale>]."""
    tracks_of_2018 = {"mild": "m", "difficult": "d", "wild": "w"}
    table = RowTable("DIV2KDataset", root, {"hr_image": "file", "lr_image": "file"})
    for part in ("train", "valid") if usage == "all" else (usage,):
        high = required_folder(os.path.join(root, f"DIV2K_{part}_HR"), "DIV2KDataset")
        if scale == 8:
            low = os.path.join(root, f"DIV2K_{part}_LR_x8")
        elif downgrade in tracks_of_2018:
            low = os.path.join(root, f"DIV2K_{part}_LR_{downgrade}")
        else:
            low = os.path.join(root, f"DIV2K_{part}_LR_{downgrade}", f"X{scale}")
        ending = f"x{scale}{tracks_of_2018.get(downgrade, '')}.png"
        for path in files(high, (".png",)):
            name = os.path.basename(path)[: -len(".png")]
            small = os.path.join(low, name + ending)
            if not os.path.isfile(small):
                raise RuntimeError(f"Invalid data, the low-resolution image is missing: {small}")
            table.add(hr_image=path, lr_image=small)
    return table.arguments()


def flickr(root: str, annotation_file: str) -> dict[str, Any]:
    """Lines `name.jpg#0<tab>text`, five for each picture."""
    captions: dict[str, list[str]] = {}
    for number, line in enumerate(lines(annotation_file), 1):
        if not line:
            continue
        name, hash_mark, rest = line.partition("#")
        if not hash_mark or "\t" not in rest:
            raise RuntimeError(
                f"Invalid annotation file, line {number} of {annotation_file} is not `name#number<tab>text`."
            )
        captions.setdefault(name.strip(), []).append(rest.split("\t", 1)[1])
    table = RowTable("FlickrDataset", root, {"image": "file", "annotation": "string*"})
    for name in sorted(captions):
        if name.lower().endswith(IMAGE_ENDINGS):
            table.add(image=os.path.join(root, name), annotation=captions[name])
    return table.arguments()


def food101(root: str, usage: str | None) -> dict[str, Any]:
    """meta/<part>.txt names pictures as class/number."""
    table = RowTable("Food101Dataset", root, {"image": "file", "label": "string"})
    rows = []
    for part in ("train", "test") if usage in (None, "all") else (usage,):
        rows += [line.strip() for line in lines(os.path.join(root, "meta", f"{part}.txt")) if line.strip()]
    for row in rows:
        table.add(image=os.path.join(root, "images", row + ".jpg"), label=row.split("/")[0])
    return table.arguments()


_KITTI_COLUMNS = {
    "image": "file",
    "label": "uint32*[1]",
    "truncated": "float32*[1]",
    "occluded": "uint32*[1]",
    "alpha": "float32*[1]",
    "bbox": "float32*[4]",
    "dimensions": "float32*[3]",
    "location": "float32*[3]",
    "rotation_y": "float32*[1]",
}


def _kitti_objects(path: str) -> list[tuple[str, list[float]]]:
    objects = []
    for number, line in enumerate(lines(path), 1):
        words = line.split()
        if not words:
            continue
        try:
            values = [float(word) for word in words[1:15]]
        except ValueError:
            values = []
        if len(values) != 14:
            raise RuntimeError(f"Invalid annotation file, line {number} of {path} has not 14 numbers.")
        objects.append((words[0], values))
    return objects


def kitti(root: str, usage: str | None) -> dict[str, Any]:
    """data_object_image_2 and data_object_label_2; classes are numbered in the order of their names."""
    if usage == "test":
        table = RowTable("KITTIDataset", root, {"image": "file"})
        for path in files(os.path.join(root, "data_object_image_2", "testing", "image_2")):
            table.add(image=path)
        return table.arguments()
    pictures = files(os.path.join(root, "data_object_image_2", "training", "image_2"))
    labels = os.path.join(root, "data_object_label_2", "training", "label_2")
    rows = [
        (path, _kitti_objects(os.path.join(labels, os.path.splitext(os.path.basename(path))[0] + ".txt")))
        for path in pictures
    ]
    numbers = {name: i for i, name in enumerate(sorted({name for _, row in rows for name, _ in row}))}
    table = RowTable("KITTIDataset", root, _KITTI_COLUMNS)
    for path, row in rows:
        values = [numbers_of for _, numbers_of in row]
        table.add(
            image=path,
            label=[numbers[name] for name, _ in row],
            truncated=[v[0] for v in values],
            # "Don't care" regions say -1.
            occluded=[v[1] if v[1] >= 0 else 2**32 + v[1] for v in values],
            alpha=[v[2] for v in values],
            bbox=[v[3:7] for v in values],
            dimensions=[v[7:10] for v in values],
            location=[v[10:13] for v in values],
            rotation_y=[v[13] for v in values],
        )
    return table.arguments()


def _lfw_image(folder: str, name: str, number: str) -> str:
    return os.path.join(folder, name, f"{name}_{int(number):04d}.jpg")


def _lfw_lists(root: str, task: str, usage: str) -> list[str]:
    parts = {"10fold": [""], "train": ["DevTrain"], "test": ["DevTest"], "all": ["DevTrain", "DevTest"]}[
        usage
    ]
    return [os.path.join(root, f"{task}{part}.txt") for part in parts]


def lfw(root: str, task: str | None, usage: str | None, image_set: str | None) -> dict[str, Any]:
    """People: name and number of pictures. Pairs: name and two numbers, or two names with a number each."""
    sets = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
    folder = os.path.join(root, sets[image_set or "funneled"])
    lists = _lfw_lists(root, task or "people", usage or "all")
    rows = [line.split() for path in lists for line in lines(path)]
    try:
        if task == "pairs":
            table = RowTable("LFWDataset", root, {"image1": "file", "image2": "file", "label": "uint32"})
            for row in rows:
                if len(row) == 3:
                    name, first, second = row
                    table.add(
                        image1=_lfw_image(folder, name, first),
                        image2=_lfw_image(folder, name, second),
                        label=1,
                    )
                elif len(row) == 4:
                    table.add(
                        image1=_lfw_image(folder, *row[:2]), image2=_lfw_image(folder, *row[2:]), label=0
                    )
            return table.arguments()
        names = [line.split()[0] for line in lines(os.path.join(root, "lfw-names.txt")) if line.strip()]
        numbers = {name: i for i, name in enumerate(names)}
        table = RowTable("LFWDataset", root, {"image": "file", "label": "uint32"})
        for name, count in (row for row in rows if len(row) == 2):
            for number in range(1, int(count) + 1):
                table.add(image=_lfw_image(folder, name, str(number)), label=numbers[name])
        return table.arguments()
    except (ValueError, KeyError) as error:
        raise RuntimeError(f"Invalid data, LFWDataset lists in {root} cannot be read: {error}") from error


_LSUN_ENDINGS = {"train": ("_train",), "valid": ("_val",)}


def lsun(root: str, usage: str | None, classes: str | list[str] | None) -> dict[str, Any]:
    """Folders <class>_train and <class>_val; classes are numbered by name, or as they are asked for."""
    table = RowTable("LSUNDataset", root, {"image": "file", "label": "uint32"})
    if usage == "test":
        for path in files(os.path.join(root, "test")):
            table.add(image=path, label=0)
        return table.arguments()
    for label, name in enumerate(lsun_classes(root, usage, classes)):
        for ending in _LSUN_ENDINGS.get(usage or "all", ("_train", "_val")):
            for path in files(os.path.join(root, name + ending)):
                table.add(image=path, label=label)
    return table.arguments()


def lsun_classes(root: str, usage: str | None, classes: str | list[str] | None) -> list[str]:
    """Names of the classes: those that were asked for, else of the folders, without what says the use."""
    asked = [classes] if isinstance(classes, str) else classes
    if asked:
        return asked
    if usage == "test":
        return ["test"]
    endings = _LSUN_ENDINGS.get(usage or "all", ("_train", "_val"))
    return sorted({name.rsplit("_", 1)[0] for name in folders(root) if name.endswith(endings)})


def omniglot(root: str, background: bool | None) -> dict[str, Any]:
    """Alphabets hold characters, characters hold drawings; every character is a class."""
    folder = os.path.join(root, "images_evaluation" if background is False else "images_background")
    required_folder(folder, "OmniglotDataset")
    table = RowTable("OmniglotDataset", folder, {"image": "file", "label": "int32"})
    label = 0
    for alphabet in folders(folder):
        for character in folders(os.path.join(folder, alphabet)):
            for path in files(os.path.join(folder, alphabet, character)):
                table.add(image=path, label=label)
            label += 1
    return table.arguments()


def omniglot_classes(root: str, background: bool | None) -> int:
    """How many characters there are."""
    folder = os.path.join(root, "images_evaluation" if background is False else "images_background")
    return sum(len(folders(os.path.join(folder, alphabet))) for alphabet in folders(folder))


def places365(root: str, usage: str | None, small: bool) -> dict[str, Any]:
    """A list of paths and class numbers beside the folder of pictures of one size."""
    usage = usage or "train-standard"
    size = "256" if small else "large"
    folder = f"val_{size}" if usage == "val" else f"data_{size}_{usage.removeprefix('train-')}"
    names = "places365_val.txt" if usage == "val" else f"places365_{usage.replace('-', '_')}.txt"
    table = RowTable("Places365Dataset", root, {"image": "file", "label": "uint32"})
    for number, line in enumerate(lines(os.path.join(root, names)), 1):
        words = line.split()
        if not words:
            continue
        if len(words) != 2 or not words[1].isdigit():
            raise RuntimeError(
                f"Invalid file, line {number} of {names} in {root} is not a path and a number."
            )
        table.add(image=os.path.join(root, folder, words[0].lstrip("/")), label=int(words[1]))
    return table.arguments()


def rendered_sst2(root: str, usage: str | None) -> dict[str, Any]:
    """Folders of the parts, with `negative` (0) and `positive` (1) in them."""
    parts = {"train": ["train"], "test": ["test"], "val": ["valid"]}.get(
        usage or "all", ["test", "train", "valid"]
    )
    table = RowTable("RenderedSST2Dataset", root, {"image": "file", "label": "uint32"})
    for part in parts:
        for label, name in enumerate(("negative", "positive")):
            for path in files(os.path.join(root, part, name)):
                table.add(image=path, label=label)
    return table.arguments()


def sbu(root: str) -> dict[str, Any]:
    """Captions and addresses line by line; pictures that were never loaded are left out."""
    captions = list(lines(os.path.join(root, "SBU_captioned_photo_dataset_captions.txt")))
    addresses = list(lines(os.path.join(root, "SBU_captioned_photo_dataset_urls.txt")))
    if len(captions) != len(addresses):
        raise RuntimeError(
            f"Invalid data, {len(captions)} captions, but {len(addresses)} addresses in {root}."
        )
    table = RowTable("SBUDataset", root, {"image": "file", "caption": "string"})
    for address, caption in zip(addresses, captions, strict=True):
        # The last two parts of the address, where the first is one digit of the server and a folder.
        name = "_".join(address.strip().split("/")[-2:])
        for path in (os.path.join(root, "sbu_images", prefix + name) for prefix in ("3_", "")):
            if os.path.isfile(path):
                table.add(image=path, caption=caption)
                break
    return table.arguments()


def sun397(root: str) -> dict[str, Any]:
    """ClassName.txt lists the folders in the order of the class numbers."""
    table = RowTable("SUN397Dataset", root, {"image": "file", "label": "uint32"})
    label = 0
    for line in lines(os.path.join(root, "ClassName.txt")):
        if line.strip():
            for path in files(os.path.join(root, line.strip().lstrip("/")), (".jpg", ".jpeg")):
                table.add(image=path, label=label)
            label += 1
    return table.arguments()


_FACE_NUMBERS = ("blur", "expression", "illumination", "occlusion", "pose", "invalid")


def _face_rows(path: str) -> Iterator[tuple[str, list[list[int]]]]:
    rest = lines(path)
    for name in rest:
        if not name.strip():
            continue
        try:
            count = int(next(rest, ""))
            # A picture without faces still has one line, of zeros.
            faces = [[int(word) for word in next(rest, "").split()] for _ in range(max(count, 1))]
        except ValueError as error:
            raise RuntimeError(f"Invalid annotation file, {path}: {error} after {name}") from error
        if any(len(face) != 10 for face in faces):
            raise RuntimeError(f"Invalid annotation file, {path}: a face of {name} has not ten numbers.")
        yield name.strip(), faces


def wider_face(root: str, usage: str | None) -> dict[str, Any]:
    """wider_face_split names pictures with their faces; the test part has pictures only."""
    split = os.path.join(root, "wider_face_split")
    if usage == "test":
        table = RowTable("WIDERFaceDataset", root, {"image": "file"})
        for line in lines(os.path.join(split, "wider_face_test_filelist.txt")):
            if line.strip():
                table.add(image=os.path.join(root, "WIDER_test", "images", line.strip()))
        return table.arguments()
    columns = {"image": "file", "bbox": "int32*[4]"}
    columns.update(dict.fromkeys(_FACE_NUMBERS, "int32*"))
    table = RowTable("WIDERFaceDataset", root, columns)
    for part in {"train": ["train"], "valid": ["val"]}.get(usage or "all", ["train", "val"]):
        for name, faces in _face_rows(os.path.join(split, f"wider_face_{part}_bbx_gt.txt")):
            values = {column: [face[4 + i] for face in faces] for i, column in enumerate(_FACE_NUMBERS)}
            table.add(
                image=os.path.join(root, f"WIDER_{part}", "images", name),
                bbox=[face[:4] for face in faces],
                **values,
            )
    return table.arguments()


def _voc_object(element: ElementTree.Element, path: str) -> tuple[str, list[float], int, int]:
    def number(name: str) -> float:
        found = element.findtext(name)
        if found is None:
            raise RuntimeError(f"Invalid xml, the attribute of '{name.split('/')[-1]}' is missing in: {path}")
        try:
            return float(found)
        except ValueError as error:
            raise RuntimeError(f"Invalid xml, '{name}' is not a number in: {path}") from error

    name = element.findtext("name")
    if name is None:
        raise RuntimeError(f"Invalid xml, the attribute of 'name' is missing in: {path}")
    left, top, right, bottom = (number(f"bndbox/{side}") for side in ("xmin", "ymin", "xmax", "ymax"))
    if left < 0 or top < 0 or right <= left or bottom <= top:
        shown = ", ".join(f"{value:g}" for value in (left, top, right, bottom))
        raise RuntimeError(
            "Invalid bbox, the width and height of the bounding box should be greater than 0, "
            f"but got {{{shown}}} in: {path}"
        )
    difficult, truncated = (int(element.findtext(name) or 0) for name in ("difficult", "truncated"))
    return name.strip(), [left, top, right - left, bottom - top], difficult, truncated


def voc_objects(path: str) -> list[tuple[str, list[float], int, int]]:
    """Name, box, difficult and truncated of every object of an annotation file."""
    if not os.path.isfile(path):
        raise RuntimeError(f"Invalid file, the annotation file does not exist: {path}")
    try:
        root = ElementTree.parse(path).getroot()
        objects = [_voc_object(element, path) for element in root.iter("object")]
    except (ElementTree.ParseError, ValueError) as error:
        raise RuntimeError(f"Invalid xml, failed to parse the annotation file: {path}: {error}") from error
    if not objects:
        raise RuntimeError(f"Invalid xml, the node of 'object' is missing in annotation file: {path}")
    return objects


def voc_names(root: str, task: str, usage: str) -> list[str]:
    """Names of the pictures of one use."""
    folder = "Segmentation" if task == "Segmentation" else "Main"
    path = os.path.join(root, "ImageSets", folder, f"{usage}.txt")
    # Lists per class have a second word that says whether the class is in the picture.
    return [line.split()[0] for line in lines(path) if line.split()]


def voc_classes(root: str, usage: str) -> dict[str, int]:
    """Numbers of the classes that occur, in the order of their names."""
    names = {
        entry[0]
        for name in voc_names(root, "Detection", usage)
        for entry in voc_objects(os.path.join(root, "Annotations", f"{name}.xml"))
    }
    return {name: number for number, name in enumerate(sorted(names))}


def voc(
    root: str, task: str, usage: str, class_indexing: dict[str, int] | None, extra_metadata: bool
) -> dict[str, Any]:
    """Pictures with either a second picture of regions, or an XML file of boxes."""
    meta = {"_meta-filename": "string"} if extra_metadata else {}
    names = voc_names(root, task, usage)
    if task == "Segmentation":
        table = RowTable("VOCDataset", root, {"image": "file", "target": "file", **meta})
        for name in names:
            target = os.path.join(root, "SegmentationClass", f"{name}.png")
            table.add(image=_voc_image(root, name), target=target, **{"_meta-filename": name})
        return table.arguments()
    numbers = class_indexing if class_indexing is not None else voc_classes(root, usage)
    columns = {
        "image": "file",
        "bbox": "float32*[4]",
        "label": "uint32*[1]",
        "difficult": "uint32*[1]",
        "truncate": "uint32*[1]",
    }
    table = RowTable("VOCDataset", root, {**columns, **meta})
    for name in names:
        objects = [
            o for o in voc_objects(os.path.join(root, "Annotations", f"{name}.xml")) if o[0] in numbers
        ]
        if objects:
            table.add(
                image=_voc_image(root, name),
                bbox=[box for _, box, _, _ in objects],
                label=[numbers[label] for label, _, _, _ in objects],
                difficult=[difficult for _, _, difficult, _ in objects],
                truncate=[truncated for _, _, _, truncated in objects],
                **{"_meta-filename": name},
            )
    return table.arguments()


def _voc_image(root: str, name: str) -> str:
    return os.path.join(root, "JPEGImages", f"{name}.jpg")
