# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 on CIFAR-10 or a folder of images: groups of parameters, a warm start, mixed precision."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.common.initializer import HeNormal
from mindspore.dataset import transforms, vision
from mindspore.train import DynamicLossScaleManager, LambdaCallback, LossMonitor, Model, TimeMonitor

MEAN, DEVIATION = [123.7, 116.3, 103.5], [58.4, 57.1, 57.4]


def convolution(inputs, outputs, size=1, stride=1, gamma="ones"):
    """A convolution, normalised."""
    return nn.SequentialCell(
        nn.Conv2d(inputs, outputs, size, stride, pad_mode="same", weight_init=HeNormal()),
        nn.BatchNorm2d(outputs, gamma_init=gamma),
    )


class Bottleneck(nn.Cell):
    """Narrow, convolve, widen, beside a shortcut."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.narrow = convolution(inputs, width)
        self.middle = convolution(width, width, 3, stride)
        self.widen = convolution(width, 4 * width, gamma="zeros")  # at first the block does nothing
        self.shortcut = None
        if stride != 1 or inputs != 4 * width:
            self.shortcut = convolution(inputs, 4 * width, 1, stride)
        self.relu = nn.ReLU()

    def construct(self, x):
        """Twice narrower and four times deeper after a stage begins, else of the same shape."""
        y = self.relu(self.narrow(x))
        y = self.relu(self.middle(y))
        y = self.widen(y)
        if self.shortcut is not None:
            x = self.shortcut(x)
        return self.relu(x + y)


class ResNet50(nn.Cell):
    """Four stages of bottlenecks; small images keep their size at first."""

    def __init__(self, classes, small_images=True, width=64, stages=(3, 4, 6, 3)):
        super().__init__()
        stem = [convolution(3, width, 3 if small_images else 7, 1 if small_images else 2), nn.ReLU()]
        if not small_images:
            stem.append(nn.MaxPool2d(3, 2, pad_mode="same"))
        self.stem = nn.SequentialCell(stem)
        blocks, inputs = [], width
        for stage, count in enumerate(stages):
            for place in range(count):
                blocks.append(Bottleneck(inputs, width << stage, 2 if place == 0 and stage > 0 else 1))
                inputs = 4 * width << stage
        self.blocks = nn.SequentialCell(blocks)
        self.classifier = nn.Dense(inputs, classes)

    def construct(self, x):
        """Scores of the classes for images of shape (N, 3, H, W)."""
        x = self.blocks(self.stem(x))
        return self.classifier(x.mean((2, 3)))


def synthetic_images(rows, classes=10):
    """Noise around a colour that tells the class."""
    rng = np.random.default_rng(0)
    colours = rng.integers(60, 200, (classes, 1, 1, 3))
    labels = rng.integers(0, classes, rows).astype(np.int32)
    images = colours[labels] + rng.integers(-50, 50, (rows, 16, 16, 3))
    return images.astype(np.uint8), labels


def make_dataset(folder, batch_size):
    """Batches of images and labels; which reader is used depends on what the folder holds."""
    data: ds.Dataset
    augment: list = []
    if not folder:
        data = ds.NumpySlicesDataset(synthetic_images(64), ["image", "label"], shuffle=True)
        classes = 10
    elif (Path(folder) / "data_batch_1.bin").exists():
        data = ds.Cifar10Dataset(folder, usage="train", shuffle=True)
        classes, augment = 10, [vision.RandomCrop(32, 4), vision.RandomHorizontalFlip()]
    else:
        data = ds.ImageFolderDataset(folder, shuffle=True)
        classes = data.num_classes()
        augment = [vision.RandomCropDecodeResize(224), vision.RandomHorizontalFlip()]
    data = data.map([*augment, vision.Normalize(MEAN, DEVIATION), vision.HWC2CHW()], "image")
    data = data.map(transforms.TypeCast(ms.int32), "label")
    return data.batch(batch_size, drop_remainder=True), classes


def rates(peak, epochs, steps):
    """Up to the peak during the first tenth, then down along half a cosine: one rate per step."""
    total = epochs * steps
    warm = max(1, total // 10)
    return [peak * (step + 1) / warm for step in range(warm)] + nn.cosine_decay_lr(
        0.0, peak, max(1, total - warm), 1, max(1, total - warm)
    )


def loss_of(run_context):
    """The loss of the step; a scaled one comes with its scale and whether it overflowed."""
    outputs = run_context.original_args().net_outputs
    return float(outputs[0] if isinstance(outputs, tuple) else outputs)


def main(argv=None):
    """Trains; gives the loss of every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--steps", type=int, help="take only this many batches per epoch")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--width", type=int, default=64, help="channels of the first stage")
    parser.add_argument("--amp", choices=("O0", "O1", "O2", "O3"), default="O0", help="mixed precision")
    parser.add_argument("--data", help="folder of CIFAR-10 (binary files), or of one folder per class")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    data, classes = make_dataset(options.data, options.batch_size)
    data = data.take(options.steps or -1)
    network = ResNet50(classes, data.output_shapes()[0][2] < 100, options.width)

    # Weights decay; biases and the parameters of normalisations do not.
    decayed = [one for one in network.trainable_params() if one.ndim > 1]
    others = [one for one in network.trainable_params() if one.ndim == 1]
    groups = [{"params": decayed, "weight_decay": 1e-4}, {"params": others, "weight_decay": 0.0}]
    rate = rates(options.rate, options.epochs, data.get_dataset_size())
    optimizer = nn.Momentum(groups, learning_rate=rate, momentum=0.9, use_nesterov=True)
    scaled: dict[str, Any] = {}
    if options.amp not in ("O0", "O1"):
        scaled["loss_scale_manager"] = DynamicLossScaleManager(2.0**12)
    smoothed = nn.CrossEntropyLoss(label_smoothing=0.1)
    model = Model(network, smoothed, optimizer, metrics={"accuracy"}, amp_level=options.amp, **scaled)
    losses = []
    recorder = LambdaCallback(on_train_step_end=lambda context: losses.append(loss_of(context)))
    model.train(options.epochs, data, [recorder, LossMonitor(), TimeMonitor()])
    print(f"accuracy on the training data: {model.eval(data)['accuracy']:.2%}")
    return losses


if __name__ == "__main__":
    main()
