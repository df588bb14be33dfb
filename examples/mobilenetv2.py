# SPDX-License-Identifier: Apache-2.0
"""MobileNetV2 on a folder of images: `Model.fit` with early stopping, or a new head on a frozen body."""

import argparse
from pathlib import Path

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import transforms, vision
from mindspore.train import EarlyStopping, LambdaCallback, LossMonitor, Model, ReduceLROnPlateau

# Of each stage: how much wider inside, channels, blocks, stride of the first.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def convolution(inputs, outputs, size=1, stride=1, group=1):
    """A convolution, normalised, with ReLU6."""
    return [
        nn.Conv2d(inputs, outputs, size, stride, pad_mode="pad", padding=size // 2, group=group),
        nn.BatchNorm2d(outputs),
        nn.ReLU6(),
    ]


class InvertedResidual(nn.Cell):
    """Widen, convolve every channel by itself, narrow."""

    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        width = inputs * expansion
        layers = convolution(inputs, width) if expansion > 1 else []
        layers += convolution(width, width, 3, stride, group=width)
        layers += convolution(width, outputs)[:2]
        self.body = nn.SequentialCell(layers)
        self.has_shortcut = stride == 1 and inputs == outputs

    def construct(self, x):
        """Adds the input where the shapes allow it."""
        y = self.body(x)
        return x + y if self.has_shortcut else y


class MobileNetV2(nn.Cell):
    """A body that finds features, a head that classifies them; `alpha` scales the channels."""

    def __init__(self, classes, alpha=1.0):
        super().__init__()

        def scaled(channels):
            return max(8, int(channels * alpha + 4) // 8 * 8)

        inputs, outputs = scaled(32), max(1280, scaled(1280)) if alpha > 1 else scaled(1280)
        layers = convolution(3, inputs, 3, 2)
        for expansion, channels, blocks, stride in STAGES:
            for place in range(blocks):
                layers.append(
                    InvertedResidual(inputs, scaled(channels), stride if place == 0 else 1, expansion)
                )
                inputs = scaled(channels)
        self.body = nn.SequentialCell(layers + convolution(inputs, outputs))
        self.head = nn.SequentialCell(nn.Dropout(p=0.2), nn.Dense(outputs, classes, weight_init="normal"))

    def construct(self, x):
        """Scores of the classes for images of shape (N, 3, H, W)."""
        return self.head(self.body(x).mean((2, 3)))


def synthetic_images(rows, seed, size=64):
    """Stripes on noise; their direction and colour tell the class."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 6, rows).astype(np.int32)
    images = rng.integers(0, 120, (rows, size, size, 3)).astype(np.uint8)
    for image, label in zip(images, labels, strict=True):
        stripes = image[::4] if label < 3 else image[:, ::4]
        stripes[..., label % 3] += 130
    return images, labels


def make_dataset(folder, usage, batch_size):
    """Batches of images and labels from `folder`/train or `folder`/val, and the number of classes."""
    training, classes = usage == "train", 6
    data: ds.Dataset
    if folder:
        data = ds.ImageFolderDataset(str(Path(folder) / usage), shuffle=training)
        classes = data.num_classes()
        cut = [vision.RandomCropDecodeResize(224), vision.RandomHorizontalFlip()]
        steps = cut if training else [vision.Decode(), vision.Resize(256), vision.CenterCrop(224)]
    else:
        arrays = synthetic_images(128 if training else 64, seed=int(training))
        data, steps = ds.NumpySlicesDataset(arrays, ["image", "label"], shuffle=training), []
    steps = [*steps, vision.Normalize([123.7, 116.3, 103.5], [58.4, 57.1, 57.4]), vision.HWC2CHW()]
    data = data.map(steps, "image").map(transforms.TypeCast(ms.int32), "label")
    return data.batch(batch_size, drop_remainder=training), classes


def main(argv=None):
    """Trains and evaluates; gives the loss of every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--steps", type=int, help="take only this many batches per epoch")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--alpha", type=float, default=0.5, help="factor of all channels")
    parser.add_argument("--start", help="checkpoint of a trained network: only the head is trained")
    parser.add_argument("--save", help="file (.ckpt) for the trained network")
    parser.add_argument("--data", help="folder with 'train' and 'val', each with one folder per class")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    train_data, classes = make_dataset(options.data, "train", options.batch_size)
    test_data, _ = make_dataset(options.data, "val", options.batch_size)
    train_data = train_data.take(options.steps or -1)
    network = MobileNetV2(classes, options.alpha)
    if options.start:
        learned = ms.load_checkpoint(options.start)
        ms.load_param_into_net(network.body, {n: p for n, p in learned.items() if n.startswith("body.")})
        for one in network.body.get_parameters():
            one.requires_grad = False

    optimizer = nn.Momentum(network.trainable_params(), options.rate, momentum=0.9, weight_decay=4e-5)
    loss = nn.CrossEntropyLoss()
    model = Model(network, loss, optimizer, metrics={"loss": nn.Loss(), "accuracy": nn.Accuracy()})
    losses = []
    callbacks = [
        LambdaCallback(on_train_step_end=lambda run: losses.append(float(run.original_args().net_outputs))),
        LossMonitor(train_data.get_dataset_size()),
        ReduceLROnPlateau("loss", factor=0.5, patience=2),
        EarlyStopping("accuracy", patience=4, restore_best_weights=True),
    ]
    model.fit(options.epochs, train_data, test_data, callbacks=callbacks)
    print(f"accuracy: {model.eval(test_data)['accuracy']:.2%}")
    if options.save:
        ms.save_checkpoint(network, options.save)
    return losses


if __name__ == "__main__":
    main()
