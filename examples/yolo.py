# SPDX-License-Identifier: Apache-2.0
"""A YOLO-type detector: a loss of three parts, its own training cell, `Model` without loss and optimizer."""

import argparse

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from mindspore.dataset import vision
from mindspore.train import Callback, Model, TimeMonitor

SIZE, GRID = 64, 8  # pixels and cells of a side; each cell finds at most one box


class Detector(nn.Cell):
    """Convolutions down to the grid, and a head: place, size, presence and class of a box per cell."""

    def __init__(self, classes, width=16):
        super().__init__()
        layers, inputs = [], 3
        for outputs in (width, 2 * width, 4 * width):
            for stride in (2, 1):
                layers += [nn.Conv2d(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs), nn.LeakyReLU(0.1)]
                inputs = outputs
        self.body = nn.SequentialCell(layers)
        self.head = nn.Conv2d(inputs, 5 + classes, 1, has_bias=True)

    def construct(self, images):
        return self.head(self.body(images)).transpose(0, 2, 3, 1)


class DetectorLoss(nn.Cell):
    """Three losses: of place and class where a box is, of presence everywhere."""

    def __init__(self, detector):
        super().__init__(auto_prefix=False)
        self.detector = detector
        self.presence = nn.BCEWithLogitsLoss(reduction="sum")
        self.classes = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="none")

    def construct(self, images, boxes, present, labels):
        """The losses per box: of its place and size, of presence, of its class."""
        found = self.detector(images)
        place = (ops.sigmoid(found[..., :4]) - boxes).square().sum(-1)
        kind = self.classes(found[..., 5:].reshape(labels.size, -1), labels.reshape(-1))
        presence = self.presence(found[..., 4], present)
        sums = (place * present).sum(), presence, (kind * present.reshape(-1)).sum()
        return [one / (present.sum() + 1e-6) for one in sums]


class WeightedStep(nn.TrainOneStepCell):
    """Trains with a weighted sum of losses; returns the sum and each of them."""

    def __init__(self, network, optimizer, weights):
        super().__init__(network, optimizer)

        def weighted(*inputs):
            losses = network(*inputs)
            return losses[0] * weights[0] + losses[1] * weights[1] + losses[2] * weights[2], losses

        self.value_and_grad = ms.value_and_grad(weighted, None, optimizer.parameters, has_aux=True)

    def construct(self, *inputs):
        (total, losses), gradients = self.value_and_grad(*inputs)
        self.optimizer(gradients)
        return (total, *losses)


class LossParts(Callback):
    """Prints and keeps all the losses."""

    def __init__(self):
        self.losses = []

    def on_train_step_end(self, run_context):
        """`net_outputs` is what the training cell returned."""
        self.losses.append([float(loss) for loss in run_context.original_args().net_outputs])

    def on_train_epoch_end(self, run_context):
        """The last step of the epoch: the sum, place, presence, class."""
        print(run_context.original_args().cur_epoch_num, *(f"{loss:.4f}" for loss in self.losses[-1]))


def cells_of(boxes, labels):
    """Targets of the grid: a box (left, top, width, height, all in images) goes to the cell of its middle."""
    where, present = np.zeros((GRID, GRID, 4), np.float32), np.zeros((GRID, GRID), np.float32)
    kinds = np.zeros((GRID, GRID), np.int32)
    for (left, top, width, height), label in zip(boxes, labels, strict=True):
        x, y = (left + width / 2) * GRID, (top + height / 2) * GRID
        where[int(y), int(x)] = x % 1, y % 1, width, height
        present[int(y), int(x)], kinds[int(y), int(x)] = 1, label
    return where, present, kinds


def synthetic_scenes(count=128):
    """Up to three rectangles on noise; the colour of each is its class."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        image = rng.integers(0, 80, (SIZE, SIZE, 3)).astype(np.uint8)
        labels = rng.integers(0, 3, rng.integers(1, 4))
        boxes = rng.integers((0, 0, 8, 8), (40, 40, 24, 24), (len(labels), 4))
        for (left, top, width, height), label in zip(boxes, labels, strict=True):
            image[top : top + height, left : left + width, label] += 150
        yield image, *cells_of(boxes / SIZE, labels)


def voc_scenes(folder):
    """Images of PASCAL VOC with their boxes."""
    rows = ds.VOCDataset(folder, task="Detection", usage="train", decode=True, shuffle=False)
    for image, boxes, labels, *_ in rows.create_tuple_iterator(num_epochs=1, output_numpy=True):
        shares = boxes / [image.shape[1], image.shape[0], image.shape[1], image.shape[0]]
        yield vision.Resize((SIZE, SIZE))(image), *cells_of(shares, labels[:, 0])


def main(argv=None):
    """Trains; gives the losses of every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--steps", type=int, help="take only this many batches per epoch")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--data", help="folder of PASCAL VOC (Annotations, ImageSets, JPEGImages)")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    scenes = list(voc_scenes(options.data) if options.data else synthetic_scenes())
    data = ds.GeneratorDataset(scenes, ["image", "boxes", "present", "labels"], shuffle=True)
    data = data.map([vision.Rescale(1 / 128, -1.0), vision.HWC2CHW()], "image")
    data = data.batch(options.batch_size, drop_remainder=True).take(options.steps or -1)

    detector = Detector(classes=int(max(kinds.max() for *_, kinds in scenes)) + 1)
    optimizer = nn.Adam(detector.trainable_params(), options.rate)
    train_step = WeightedStep(DetectorLoss(detector), optimizer, weights=(5.0, 1.0, 1.0))
    parts = LossParts()
    Model(train_step).train(options.epochs, data, [parts, TimeMonitor()])

    detector.set_train(False)
    images, _, present, labels = (column.asnumpy() for column in next(iter(data)))
    found = detector(ms.Tensor(images)).asnumpy()
    right = (found[..., 4] > 0) & (present > 0) & (found[..., 5:].argmax(-1) == labels)
    print(f"boxes found with their class: {right.sum()} of {present.sum():.0f}")
    return parts.losses


if __name__ == "__main__":
    main()
