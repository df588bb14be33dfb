# SPDX-License-Identifier: Apache-2.0
"""Images that are padded by a channel, and images of a batch that are blended."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore.dataset as ds
from mindspore.dataset import vision

PIXELS = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
IMAGES = np.stack([np.full((2, 2, 3), 40 * i, np.uint8) for i in range(4)])
LABELS = np.eye(4, dtype=np.int32)


def test_normalize_pad_adds_a_channel_of_zeros_to_every_pixel():
    result = vision.NormalizePad([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])(PIXELS)
    np.testing.assert_array_equal(result[..., :3], vision.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])(PIXELS))
    np.testing.assert_array_equal(result[..., 3], 0)
    assert vision.NormalizePad([1.0], [4.0])(PIXELS[..., 0]).shape == (2, 4, 2)


def test_normalize_pad_with_channels_first():
    # As MindSpore 2.7.0 gives it.
    result = vision.NormalizePad([1.0], [4.0], is_hwc=False)(PIXELS.transpose(2, 0, 1).copy())
    assert result.dtype == np.float32
    assert result[:, 0].tolist() == [
        [-0.25, 0.5, 1.25, 2.0],
        [0.0, 0.75, 1.5, 2.25],
        [0.25, 1.0, 1.75, 2.5],
        [0.0, 0.0, 0.0, 0.0],
    ]
    half = vision.NormalizePad([1.0], [4.0], "float16", is_hwc=False)(PIXELS.transpose(2, 0, 1).copy())
    assert half.dtype == np.float16
    np.testing.assert_array_equal(half, result.astype(np.float16))


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"dtype": "int8"}, ValueError, "dtype only supports float32 or float16"),
        ({"dtype": 3}, TypeError, "dtype"),
        ({"mean": [-1.0]}, ValueError, r"mean\[0\] is not within the required interval of \[0, 255\]"),
        ({"std": [0.0]}, ValueError, r"std\[0\] is not within the required interval of \(0, 255\]"),
        ({"mean": [1.0, 2.0]}, ValueError, "Length of mean and std must be equal"),
    ],
)
def test_normalize_pad_checks_its_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        vision.NormalizePad(**{"mean": [1.0], "std": [4.0], **arguments})


@pytest.mark.parametrize("labels", [LABELS, LABELS[:, None, :], LABELS.astype(np.float64)])
def test_mix_up_batch_blends_images_as_it_blends_labels(labels):
    for _ in range(20):
        images, blended = vision.MixUpBatch(1.0)(IMAGES, labels)
        assert (images.dtype, blended.dtype) == (np.uint8, np.float32)
        assert images.shape == IMAGES.shape
        assert blended.shape == labels.shape
        np.testing.assert_allclose(blended.sum(-1), 1, rtol=1e-6)
        expected = blended.reshape(4, 4) @ np.array([0.0, 40.0, 80.0, 120.0])
        np.testing.assert_allclose(images[:, 0, 0, 0], expected, atol=0.51)  # rounded to whole numbers


def test_mix_up_batch_draws_the_share_from_a_beta_distribution():
    shares = []
    batch = ds.NumpySlicesDataset(
        {"image": np.tile(IMAGES, (500, 1, 1, 1)), "label": np.tile(LABELS, (500, 1))}
    )
    batch = batch.batch(4).map(vision.MixUpBatch(0.4), ["image", "label"])
    ds.config.set_seed(3)
    for row in batch.create_dict_iterator(num_epochs=1, output_numpy=True):
        shares += [share for share in row["label"].max(-1) if share < 1][:1]
    # The larger of share and 1 - share: its mean is 0.840 by 200000 draws of Beta(0.4, 0.4).
    assert len(shares) > 300
    assert abs(np.mean(shares) - 0.840) < 0.03  # 4 sigma


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ((IMAGES,), "size of input data should be 2"),
        ((IMAGES[0], LABELS), "rank of image shape should be: 4"),
        ((IMAGES, LABELS[:, 0]), "wrong labels shape"),
        ((IMAGES, LABELS[:3]), "4 images, but labels for 3"),
        ((np.zeros((4, 2, 2, 2), np.uint8), LABELS), "images shape should in"),
    ],
)
def test_mix_up_batch_says_what_does_not_fit(columns, text):
    with pytest.raises(RuntimeError, match=text):
        vision.MixUpBatch(1.0)(*columns)


def test_mix_up_batch_takes_a_positive_alpha():
    for alpha in (0, -1.0):
        with pytest.raises(ValueError, match="alpha"):
            vision.MixUpBatch(alpha)
    with pytest.raises(TypeError, match="alpha"):
        vision.MixUpBatch("a")
