# SPDX-License-Identifier: Apache-2.0
"""Decode, random resized crop, flip, normalise and reorder in one pass, against decoding alone; one thread.

    python benchmarks/image_pass.py [FOLDER of JPEG files]

Without a folder pictures of 500 x 375 pixels are made whose spectrum falls like that of photographs.
Prints one JSON line; the pass is held to 0.75 of what decoding the whole picture reaches.
"""

from __future__ import annotations

import io
import json
import pathlib
import statistics
import sys
import time

import numpy as np
from PIL import Image

from mindspore import _c_data
from mindspore.dataset import vision

BOUND = 0.75
ROUNDS = 7


def made_picture(seed: int, height: int = 375, width: int = 500) -> np.ndarray:
    """Noise of all scales, each as strong as its wavelength is long."""
    random = np.random.default_rng(seed)
    picture = np.zeros((height, width, 3))
    for size in (2, 4, 8, 16, 32, 64, 128, 256):
        noise = random.normal(size=(size, size, 3)) * 110 / size**0.75
        layer = [Image.fromarray(noise[:, :, c].astype(np.float32)).resize((width, height)) for c in range(3)]
        picture += np.stack([np.asarray(channel) for channel in layer], -1)
    memory = io.BytesIO()
    Image.fromarray(np.clip(picture + 128, 0, 255).astype(np.uint8)).save(memory, "JPEG", quality=90)
    return np.frombuffer(memory.getvalue(), np.uint8)


def pictures() -> list[np.ndarray]:
    """Files of a folder, or made ones."""
    if len(sys.argv) > 1:
        return [np.fromfile(path, np.uint8) for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jp*g"))]
    return [made_picture(seed) for seed in range(16)]


def rate(transforms: list, files: list[np.ndarray]) -> float:
    """Pictures per second of one thread."""
    begin = time.perf_counter()
    count = 0
    while time.perf_counter() - begin < 0.5:
        for data in files:
            values = [data]
            for transform in transforms:
                values = transform.apply(values, 1, count)
            count += 1
    return count / (time.perf_counter() - begin)


def main() -> None:
    """Alternates the two, so that a busy machine slows both."""
    files = pictures()
    steps = [
        vision.Decode(),
        vision.RandomResizedCrop(224),
        vision.RandomHorizontalFlip(),
        vision.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]),
        vision.HWC2CHW(),
    ]
    natives = [step._native() for step in steps]
    joined = _c_data.join_neighbours(natives)
    ratios, apart, decoded = [], [], []
    for _ in range(ROUNDS):
        decoded.append(rate(natives[:1], files))
        ratios.append(rate(joined, files) / decoded[-1])
        apart.append(rate(natives, files) / decoded[-1])
    result = {
        "name": "image_pass",
        "decode_per_second": round(statistics.median(decoded)),
        "joined_to_decode": round(statistics.median(ratios), 3),
        "steps_to_decode": round(statistics.median(apart), 3),
        "mean_bytes": round(float(np.mean([data.size for data in files]))),
        "bound": BOUND,
    }
    print(json.dumps(result))
    if result["joined_to_decode"] < BOUND:
        sys.exit("image_pass is below its bound")


if __name__ == "__main__":
    main()
