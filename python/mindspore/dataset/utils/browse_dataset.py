# SPDX-License-Identifier: Apache-2.0
"""Pictures with boxes, names and masks drawn into them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..core.checks import check_type, instance, integer, number, sequence, text


def _check_arrays(image: Any, bboxes: Any, labels: Any, segm: Any) -> None:
    for name, value in (("image", image), ("bboxes", bboxes), ("labels", labels)):
        check_type(value, np.ndarray, name)
    if image.ndim != 3 or 3 not in (image.shape[0], image.shape[2]):
        raise ValueError("image must be a ndarray in (H, W, C) or (C, H, W) format with 3 channels.")
    if bboxes.ndim != 2 or bboxes.shape[1] not in (4, 5):
        raise ValueError("bboxes must be a ndarray in shape of (N, 4) or (N, 5).")
    if labels.ndim != 2 or labels.shape[1] != 1:
        raise ValueError("labels must be a ndarray in shape of (N, 1).")
    if bboxes.shape[0] != labels.shape[0]:
        raise ValueError(
            f"Number of bboxes and labels must be the same, but got {bboxes.shape[0]} and {labels.shape[0]}."
        )
    if segm is not None:
        check_type(segm, np.ndarray, "segm")
        if segm.ndim != 3 or segm.shape[0] != bboxes.shape[0]:
            raise ValueError("segm must be a ndarray in shape of (M, H, W), with one mask for each box.")


_RULES = {
    "class_names": sequence(text, list, tuple, dict),
    "score_threshold": number(0, 1),
    "bbox_color": sequence(integer(0, 255), tuple, length=3),
    "text_color": sequence(integer(0, 255), tuple, length=3),
    "mask_color": sequence(integer(0, 255), tuple, length=3),
    "thickness": integer(0),
    "font_size": number(0, float("inf")),
    "show": instance(bool),
    "win_name": text,
    "wait_time": integer(0),
    "out_file": text,
}


def _label_text(label: int, class_names: Any, box: np.ndarray) -> str:
    name = class_names[label] if class_names is not None else f"class {label}"
    return f"{name}|{box[4]:.02f}" if len(box) == 5 else name


def imshow_det_bbox(
    image: np.ndarray,
    bboxes: np.ndarray,
    labels: np.ndarray,
    segm: np.ndarray | None = None,
    class_names: Any = None,
    score_threshold: float = 0,
    bbox_color: tuple = (0, 255, 0),
    text_color: tuple = (203, 192, 255),
    mask_color: tuple = (128, 0, 128),
    thickness: int = 2,
    font_size: float = 0.8,
    show: bool = True,
    win_name: str = "win",
    wait_time: int = 2000,
    out_file: str | None = None,
) -> np.ndarray:
    """Draws boxes and names, and masks if given, into a copy of a picture. Needs OpenCV for Python.

    Args:
        image (numpy.ndarray): (H, W, 3) or (3, H, W), in the order blue, green, red.
        bboxes (numpy.ndarray): (N, 4) as left, top, width, height, or (N, 5) with a score.
        labels (numpy.ndarray): (N, 1), numbers of classes.
        segm (numpy.ndarray, optional): (N, H, W), where not 0 the mask is drawn. Default: ``None`` .
        class_names (Union[list[str], tuple[str], dict], optional): Names by number. Default: ``None`` .
        score_threshold (float, optional): Boxes with a lower score are left out. Default: ``0`` .
        bbox_color (tuple, optional): Colour of boxes. Default: ``(0, 255, 0)`` .
        text_color (tuple, optional): Colour of names. Default: ``(203, 192, 255)`` .
        mask_color (tuple, optional): Colour of masks. Default: ``(128, 0, 128)`` .
        thickness (int, optional): Of lines. Default: ``2`` .
        font_size (Union[int, float], optional): Of names. Default: ``0.8`` .
        show (bool, optional): Open a window. Default: ``True`` .
        win_name (str, optional): Title of the window. Default: ``"win"`` .
        wait_time (int, optional): How long the window stays, in milliseconds. Default: ``2000`` .
        out_file (str, optional): Where to write the picture. Default: ``None`` .

    Returns:
        numpy.ndarray, the picture that was drawn.
    """
    _check_arrays(image, bboxes, labels, segm)
    options = {
        "class_names": class_names,
        "score_threshold": score_threshold,
        "bbox_color": bbox_color,
        "text_color": text_color,
        "mask_color": mask_color,
        "thickness": thickness,
        "font_size": font_size,
        "show": show,
        "win_name": win_name,
        "wait_time": wait_time,
        "out_file": out_file,
    }
    for name, value in options.items():
        if value is not None:
            _RULES[name](value, name)
    import cv2  # only this function needs it

    picture = (image if image.shape[2] == 3 else image.transpose(1, 2, 0)).copy()
    for place, box in enumerate(bboxes):
        if len(box) == 5 and box[4] < score_threshold:
            continue
        left, top, width, height = (int(value) for value in box[:4])
        cv2.rectangle(picture, (left, top), (left + width, top + height), bbox_color, thickness)
        name = _label_text(int(labels[place][0]), class_names, box)
        cv2.putText(picture, name, (left, top), cv2.FONT_HERSHEY_SIMPLEX, font_size, text_color, thickness)
        if segm is not None:
            mask = segm[place].astype(bool)
            picture[mask] = (picture[mask] * 0.5 + np.array(mask_color) * 0.5).astype(picture.dtype)
    if out_file is not None:
        os.makedirs(os.path.dirname(out_file) or ".", exist_ok=True)
        cv2.imwrite(out_file, picture)
    if show:
        cv2.imshow(win_name, picture)
        cv2.waitKey(wait_time)
    return picture
