# SPDX-License-Identifier: Apache-2.0
"""LeNet-5 classifies digits or clothes: `Model.train` with callbacks, checkpoints and an evaluation."""

import argparse

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import transforms, vision
from mindspore.train import Callback, CheckpointConfig, LossMonitor, Model, ModelCheckpoint, TimeMonitor


class LeNet5(nn.Cell):
    """Two convolutions and three dense layers, for images of shape (N, 1, 28, 28)."""

    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="same", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, classes)

    def construct(self, x):
        """Scores of the classes."""
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


class LossRecorder(Callback):
    """Keeps the loss of every step it hears of."""

    def __init__(self):
        super().__init__()
        self.losses = []

    def on_train_step_end(self, run_context):
        """Takes the loss from what the network returned."""
        self.losses.append(float(run_context.original_args().net_outputs.asnumpy()))


def synthetic_images(rows, seed):
    """A bright square on noise; where it stands is the class."""
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 100, (rows, 28, 28, 1)).astype(np.uint8)
    labels = rng.integers(0, 10, rows).astype(np.int32)
    for image, label in zip(images, labels, strict=True):
        top, left = 14 * (label // 5) + 2, 5 * (label % 5) + 1
        image[top : top + 8, left : left + 5] += 100
    return images, labels


def make_dataset(folder, usage, batch_size):
    """Batches of images around zero, and labels."""
    training = usage == "train"
    data: ds.Dataset
    if folder:
        data = ds.MnistDataset(folder, usage=usage, shuffle=training)
    else:
        arrays = synthetic_images(512 if training else 256, seed=training)
        data = ds.NumpySlicesDataset(arrays, ["image", "label"], shuffle=training)
    normalise = [vision.Rescale(1 / 255, 0), vision.Normalize([0.286], [0.353]), vision.HWC2CHW()]
    data = data.map(normalise, "image").map(transforms.TypeCast(ms.int32), "label")
    return data.batch(batch_size, drop_remainder=training)


def main(argv=None):
    """Trains and evaluates; gives the loss of every step and the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--steps", type=int, help="take only this many batches per epoch")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--sink", action="store_true", help="run the steps of an epoch in one call")
    parser.add_argument("--data", help="folder with the four IDX files of MNIST or Fashion-MNIST")
    parser.add_argument("--checkpoints", help="folder for a checkpoint per epoch")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    train_data = make_dataset(options.data, "train", options.batch_size)
    train_data = train_data.take(options.steps or -1)
    test_data = make_dataset(options.data, "test", 256)

    network = LeNet5()
    steps = train_data.get_dataset_size()
    rate = nn.CosineDecayLR(0.0, options.rate, options.epochs * steps)
    model = Model(
        network,
        loss_fn=nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        optimizer=nn.Adam(network.trainable_params(), learning_rate=rate),
        metrics={"accuracy": nn.Accuracy()},
    )
    recorder = LossRecorder()
    callbacks = [recorder, LossMonitor(max(1, steps // 4)), TimeMonitor()]
    if options.checkpoints:
        config = CheckpointConfig(save_checkpoint_steps=steps, keep_checkpoint_max=3)
        callbacks.append(ModelCheckpoint("lenet", options.checkpoints, config))
    model.train(options.epochs, train_data, callbacks, dataset_sink_mode=options.sink)
    accuracy = model.eval(test_data)["accuracy"]
    print(f"accuracy: {accuracy:.2%}")
    return recorder.losses, accuracy


if __name__ == "__main__":
    main()
