# SPDX-License-Identifier: Apache-2.0
"""The words of wrong arguments and wrong inputs."""

import numpy as np
import pytest

import mindspore as ms
from mindspore.dataset import vision

IMAGE = np.zeros((37, 53, 3), np.uint8)
WRONG = [
    (lambda: vision.Resize(0), ValueError, r"Input is not within the required interval of \[1, 16777216\]"),
    (
        lambda: vision.Resize((0, 3)),
        ValueError,
        r"size at dim 0 is not within the required interval of \[1, 2147483647\]",
    ),
    (
        lambda: vision.Resize(4.5),
        TypeError,
        r"Size should be a single integer or a list/tuple \(h, w\) of length 2",
    ),
    (lambda: vision.Resize((2, 3, 4)), TypeError, "Size should be a single integer"),
    (
        lambda: vision.Resize((2.3, 3)),
        TypeError,
        r"Argument size at dim 0 with value 2.3 is not of type \[<class 'int'>\]",
    ),
    (lambda: vision.Resize(3, 2), TypeError, "Argument interpolation with value 2 is not of type"),
    (
        lambda: vision.RandomHorizontalFlip(1.5),
        ValueError,
        r"prob is not within the required interval of \[0.0, 1.0\]",
    ),
    (lambda: vision.RandomHorizontalFlip("a"), TypeError, "Argument prob with value"),
    (
        lambda: vision.Normalize([1.0], [0.0]),
        ValueError,
        r"std\[0\] is not within the required interval of \(0, 255\]",
    ),
    (lambda: vision.Normalize([1.0], [1.0, 2.0]), ValueError, "Length of mean and std must be equal"),
    (
        lambda: vision.Normalize([300.0], [1.0]),
        ValueError,
        r"mean\[0\] is not within the required interval of \[0, 255\]",
    ),
    (lambda: vision.Pad((1, 2, 3)), ValueError, "The size of the padding list or tuple should be 2 or 4"),
    (lambda: vision.Pad(1, 256), ValueError, r"fill_value is not within the required interval of \[0, 255\]"),
    (lambda: vision.Pad(1, (1, 2)), TypeError, "fill_value should be a single integer or a 3-tuple"),
    (
        lambda: vision.RandomResizedCrop(3, (1, 0.5)),
        ValueError,
        r"scale should be in \(min,max\) format. Got \(max,min\)",
    ),
    (lambda: vision.RandomResizedCrop(3, ratio=(2, 1)), ValueError, r"ratio should be in \(min,max\) format"),
    (
        lambda: vision.RandomResizedCrop(3, ""),
        TypeError,
        r"is not of type \[<class 'tuple'>, <class 'list'>\]",
    ),
    (lambda: vision.RandomResizedCrop(3, max_attempts=0), ValueError, "max_attempts is not within"),
    (
        lambda: vision.Crop((1, 2, 3), 4),
        TypeError,
        r"Coordinates should be a list/tuple \(y, x\) of length 2",
    ),
    (lambda: vision.Crop((-1, 2), 4), ValueError, "not within the required interval of"),
    (lambda: vision.ToTensor("JUNK"), TypeError, "Argument output_type with value JUNK is not of type"),
    (
        lambda: vision.ToTensor(data_type=np.int16),
        TypeError,
        "got an unexpected keyword argument 'data_type'",
    ),
    (
        lambda: vision.Resize(3).device("GPU"),
        ValueError,
        r"device_target is not within the valid set of \['CPU', 'Ascend'\]",
    ),
    (lambda: vision.Resize(3)(), RuntimeError, "Input Tensor is not valid"),
    (
        lambda: vision.HWC2CHW()(IMAGE, IMAGE),
        RuntimeError,
        "The op is OneToOne, can only accept one tensor as input",
    ),
    (lambda: vision.Pad(4)("name"), TypeError, "Input should be NumPy or PIL image, got <class 'str'>"),
    (lambda: vision.Pad(4)(ms.Tensor([1])), TypeError, "Input should be NumPy or PIL image"),
    (
        lambda: vision.Resize(3)(np.zeros(4)),
        RuntimeError,
        "Resize: the image tensor should have at least two dimensions",
    ),
    (
        lambda: vision.Resize(3)(IMAGE.astype(np.int64)),
        RuntimeError,
        "Resize: the data type of image tensor does not match",
    ),
    (lambda: vision.Resize(60000)(IMAGE), RuntimeError, "1000 times bigger than the original image"),
    (
        lambda: vision.Pad(4)(np.zeros((4, 4, 2))),
        RuntimeError,
        r"Expecting tensor in channel of \(1, 3\). But got channel 2",
    ),
    (lambda: vision.HWC2CHW()(np.zeros((1, 2, 3, 4))), RuntimeError, "but got rank: 4"),
    (lambda: vision.RandomCrop(60)(IMAGE), RuntimeError, "crop size is bigger than the image dimensions"),
    (lambda: vision.CenterCrop(1000)(IMAGE), RuntimeError, "Padding size cannot be more than 3 times"),
    (
        lambda: vision.ToTensor()(IMAGE.astype(np.int64)),
        RuntimeError,
        "Input includes unsupported data type in",
    ),
    (
        lambda: vision.Normalize([1.0, 2.0], [1.0, 2.0])(IMAGE),
        RuntimeError,
        "number of channels does not match the size of mean and std vectors, got channels: 3",
    ),
    (
        lambda: vision.Crop((0, 0), (40, 5))(IMAGE),
        RuntimeError,
        "Crop: Crop height dimension: 40 exceeds image height: 37",
    ),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_wrong_arguments_say_what_is_wrong(case):
    call, kind, words = WRONG[case]
    with pytest.raises(kind, match=words):
        call()


def test_signatures_show_the_defaults():
    import inspect

    signature = str(inspect.signature(vision.RandomResizedCrop))
    assert "scale=(0.08, 1.0)" in signature and "max_attempts=10" in signature
    assert "Inter.BILINEAR" in repr(inspect.signature(vision.Resize).parameters["interpolation"].default)
