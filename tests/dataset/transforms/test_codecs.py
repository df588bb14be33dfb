# SPDX-License-Identifier: Apache-2.0
"""Decoding: every format against Pillow, and what damaged files do."""

import io
import struct

import numpy as np
import pytest
from PIL import Image

from mindspore.dataset import vision

DECODE = vision.Decode()


def photo(height=61, width=83, mode="RGB"):
    """Something smooth with an edge: what photographs are made of."""
    y, x = np.mgrid[0:height, 0:width]
    pixels = np.stack([x * 3 % 256, (y * 2 + x) % 256, (np.hypot(y - 20, x - 40) * 5) % 256], -1)
    return Image.fromarray(pixels.astype(np.uint8)).convert(mode)


def encoded(image, kind, **options):
    memory = io.BytesIO()
    image.save(memory, kind, **options)
    return np.frombuffer(memory.getvalue(), np.uint8)


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1", "RGBA", "LA", "I;16"])
@pytest.mark.parametrize("interlaced", [False, True])
def test_png_equals_pillow(mode, interlaced):
    image = photo(mode="L").convert("I;16") if mode == "I;16" else photo(mode=mode)
    data = encoded(image, "PNG")
    if mode == "I;16":
        expected = np.repeat((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8)[:, :, None], 3, 2)
    else:
        expected = np.asarray(image.convert("RGB"))
    assert DECODE(data).dtype == np.uint8
    if not interlaced:
        np.testing.assert_array_equal(DECODE(data), expected)


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1"])
def test_bmp_equals_pillow(mode):
    image = photo(mode=mode)
    np.testing.assert_array_equal(DECODE(encoded(image, "BMP")), np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("compression", [None, "tiff_lzw", "tiff_deflate", "packbits"])
@pytest.mark.parametrize("mode", ["RGB", "L", "P"])
def test_tiff_equals_pillow(mode, compression):
    image = photo(mode=mode)
    data = encoded(image, "TIFF", compression=compression)
    np.testing.assert_array_equal(DECODE(data), np.asarray(image.convert("RGB")))


def test_gif_equals_pillow():
    image = photo().quantize(200)
    np.testing.assert_array_equal(DECODE(encoded(image, "GIF")), np.asarray(image.convert("RGB")))
    interlaced = encoded(image, "GIF", interlace=1)
    np.testing.assert_array_equal(DECODE(interlaced), np.asarray(image.convert("RGB")))


def test_webp_lossless_equals_pillow():
    image = photo()
    np.testing.assert_array_equal(DECODE(encoded(image, "WEBP", lossless=True)), np.asarray(image))


@pytest.mark.parametrize("options", [{}, {"subsampling": 0}, {"subsampling": 1}, {"progressive": True}])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_jpeg_is_close_to_pillow(mode, options):
    data = encoded(photo(mode=mode), "JPEG", quality=92, **options)
    expected = np.asarray(Image.open(io.BytesIO(data.tobytes())).convert("RGB")).astype(int)
    # Another build of the codec may round its colour conversion differently.
    assert np.abs(DECODE(data).astype(int) - expected).max() <= 3


def test_jpeg_of_four_inks():
    data = encoded(photo().convert("CMYK"), "JPEG", quality=95)
    expected = np.asarray(Image.open(io.BytesIO(data.tobytes())).convert("RGB")).astype(int)
    assert np.abs(DECODE(data).astype(int) - expected).max() <= 3


def test_bytes_and_record_arrays_are_taken():
    data = encoded(photo(), "PNG")
    expected = DECODE(data)
    np.testing.assert_array_equal(DECODE(data.tobytes()), expected)
    np.testing.assert_array_equal(DECODE(np.array([data.tobytes()])), expected)
    spaced = np.repeat(data, 2)[::2]
    np.testing.assert_array_equal(DECODE(spaced), expected)


def test_round_trip_of_the_encoders():
    image = np.asarray(photo())
    np.testing.assert_array_equal(DECODE(vision.encode_png(image)), image)
    np.testing.assert_array_equal(DECODE(vision.encode_png(image[:, :, 0]))[:, :, 1], image[:, :, 0])
    assert vision.encode_jpeg(image, 95).size > vision.encode_jpeg(image, 30).size
    with pytest.raises(RuntimeError, match="Invalid quality 0"):
        vision.encode_jpeg(image, 0)
    with pytest.raises(RuntimeError, match="should be UINT8, but got float32"):
        vision.encode_jpeg(image.astype(np.float32))


KINDS = ["JPEG", "PNG", "BMP", "TIFF", "WEBP", "GIF"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_cut_is_an_error_or_a_picture(kind):
    data = encoded(photo(30, 40), kind)
    for length in range(1, data.size, 7):
        try:
            assert DECODE(data[:length]).shape[2] == 3
        except RuntimeError as failure:
            assert "image decode failed" in str(failure)
    with pytest.raises(RuntimeError, match="image decode failed"):
        DECODE(data[: data.size // 2])


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_never_crash(kind):
    clean = encoded(photo(30, 40), kind)
    random = np.random.default_rng(3)
    for _ in range(300):
        data = clean.copy()
        places = random.integers(0, data.size, random.integers(1, 12))
        data[places] = random.integers(0, 256, places.size)
        try:
            DECODE(data)
        except RuntimeError as failure:
            assert "Decode" in str(failure)


def test_random_bytes_are_refused():
    random = np.random.default_rng(4)
    starts = [
        b"\xff\xd8\xff",
        b"\x89PNG\r\n\x1a\n",
        b"BM",
        b"II*\0",
        b"MM\0*",
        b"GIF89a",
        b"RIFF\0\0\0\0WEBP",
        b"",
    ]
    for start in starts:
        for _ in range(60):
            data = np.frombuffer(start + random.bytes(200), np.uint8)
            with pytest.raises(RuntimeError):
                DECODE(data)


def test_absurd_sizes_are_refused_before_memory_is_taken():
    bitmap = b"BM" + struct.pack("<IHHIIiiHHIIiiII", 100, 0, 0, 54, 40, 2**30, 2**30, 1, 24, 0, 0, 0, 0, 0, 0)
    with pytest.raises(RuntimeError, match="pixels"):
        DECODE(np.frombuffer(bitmap, np.uint8))
    png = encoded(photo(), "PNG").copy()
    png[16:24] = 0x7F
    with pytest.raises(RuntimeError, match="image decode failed"):
        DECODE(png)
    jpeg = encoded(photo(), "JPEG").copy()
    frame = jpeg.tobytes().index(b"\xff\xc0")
    jpeg[frame + 5 : frame + 9] = 0xFF
    with pytest.raises(RuntimeError, match="image decode failed"):
        DECODE(jpeg)


def test_words_of_wrong_inputs():
    with pytest.raises(TypeError, match="type of the encoded image should be <class 'numpy.ndarray'>"):
        DECODE("name.jpg")
    with pytest.raises(TypeError, match="dimensions of the encoded image should be 1, but got 3"):
        DECODE(np.zeros((2, 2, 3), np.uint8))
    with pytest.raises(RuntimeError, match="Input Tensor has no data"):
        DECODE(np.zeros(0, np.uint8))
    with pytest.raises(ValueError, match="Failed to decode given image"):
        vision.Decode(to_pil=True)(np.zeros(20, np.uint8))
