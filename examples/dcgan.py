# SPDX-License-Identifier: Apache-2.0
"""DCGAN draws digits or clothes: two networks, two optimizers, one training cell that returns two losses."""

import argparse
from pathlib import Path

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Normal
from mindspore.dataset import vision


def convolution(kind, inputs, outputs, stride=2, padding=1):
    """Halves the size of images (`Conv2d`) or doubles it (`Conv2dTranspose`)."""
    return kind(inputs, outputs, 4, stride, pad_mode="pad", padding=padding, weight_init=Normal(0.02))


class Generator(nn.Cell):
    """Noise of shape (N, latent) becomes images of shape (N, 1, 32, 32) between -1 and 1."""

    def __init__(self, latent, width):
        super().__init__()
        layers: list[nn.Cell] = []
        inputs = latent
        for outputs in (4 * width, 2 * width, width):
            shape = {} if layers else {"stride": 1, "padding": 0}
            layers += [
                convolution(nn.Conv2dTranspose, inputs, outputs, **shape),
                nn.BatchNorm2d(outputs),
                nn.ReLU(),
            ]
            inputs = outputs
        self.layers = nn.SequentialCell(*layers, convolution(nn.Conv2dTranspose, width, 1), nn.Tanh())

    def construct(self, noise):
        """Each number of the noise is a channel of one pixel."""
        return self.layers(noise.reshape(noise.shape[0], noise.shape[1], 1, 1))


class Discriminator(nn.Cell):
    """Images become one number each: great for a real one."""

    def __init__(self, width):
        super().__init__()
        layers = [convolution(nn.Conv2d, 1, width), nn.LeakyReLU(0.2)]
        for inputs in (width, 2 * width):
            outputs = 2 * inputs
            layers += [convolution(nn.Conv2d, inputs, outputs), nn.BatchNorm2d(outputs), nn.LeakyReLU(0.2)]
        self.layers = nn.SequentialCell(*layers, convolution(nn.Conv2d, 4 * width, 1, 1, 0))

    def construct(self, images):
        return self.layers(images).reshape(-1)


class DiscriminatorLoss(nn.Cell):
    """Real images should pass, drawn ones should not; the generator is not to learn from it."""

    def __init__(self, generator, discriminator):
        super().__init__(auto_prefix=False)
        self.generator, self.discriminator, self.loss = generator, discriminator, nn.BCEWithLogitsLoss()

    def construct(self, images, noise):
        drawn = self.discriminator(ops.stop_gradient(self.generator(noise)))
        real = self.discriminator(images)
        return self.loss(real, ops.ones_like(real)) + self.loss(drawn, ops.zeros_like(drawn))


class GeneratorLoss(nn.Cell):
    """Drawn images should pass."""

    def __init__(self, generator, discriminator):
        super().__init__(auto_prefix=False)
        self.generator, self.discriminator, self.loss = generator, discriminator, nn.BCEWithLogitsLoss()

    def construct(self, noise):
        drawn = self.discriminator(self.generator(noise))
        return self.loss(drawn, ops.ones_like(drawn))


class Adversaries(nn.Cell):
    """One step of each side; returns the losses of discriminator and generator."""

    def __init__(self, generator, discriminator, rate):
        super().__init__(auto_prefix=False)
        drawing = nn.Adam(generator.trainable_params(), rate, beta1=0.5)
        judging = nn.Adam(discriminator.trainable_params(), rate, beta1=0.5)
        self.judge = nn.TrainOneStepCell(DiscriminatorLoss(generator, discriminator), judging)
        self.draw = nn.TrainOneStepCell(GeneratorLoss(generator, discriminator), drawing)

    def construct(self, images, noise):
        return self.judge(images, noise), self.draw(noise)


def synthetic_images(rows, size=32):
    """Rings of some size, somewhere."""
    rng = np.random.default_rng(0)
    grid = np.arange(size, dtype=np.float32)
    places, radii = rng.uniform(10, 22, (2, rows, 1, 1)), rng.uniform(4, 9, (rows, 1, 1))
    distance = np.hypot(grid[:, None] - places[0], grid - places[1])
    return (255 * np.exp(-((distance - radii) ** 2) / 2))[..., None].astype(np.uint8)


def make_dataset(folder, batch_size):
    """Batches of images between -1 and 1."""
    data: ds.Dataset = ds.NumpySlicesDataset({"image": synthetic_images(128)}, shuffle=True)
    if folder:
        data = ds.MnistDataset(folder, usage="train", shuffle=True).project(["image"])
    steps = [vision.Resize((32, 32)), vision.Rescale(1 / 127.5, -1.0), vision.HWC2CHW()]
    return data.map(steps, "image").batch(batch_size, drop_remainder=True)


def main(argv=None):
    """Trains; gives the two losses of every step, and saves some drawn images if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--steps", type=int, help="take only this many batches per epoch")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--latent", type=int, default=32)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--images", type=Path, help="file (.npy) for drawn images")
    parser.add_argument("--data", help="folder with the IDX files of MNIST or Fashion-MNIST")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    rng = np.random.default_rng(1)
    data = make_dataset(options.data, options.batch_size).take(options.steps or -1)
    generator, discriminator = Generator(options.latent, options.width), Discriminator(options.width)
    train_step = Adversaries(generator, discriminator, options.rate).set_train()

    def noise():
        return Tensor(rng.standard_normal((options.batch_size, options.latent)).astype(np.float32))

    losses = []
    rows = data.create_tuple_iterator(num_epochs=options.epochs)
    for epoch in range(1, options.epochs + 1):
        for (images,) in rows:
            losses.append([float(loss) for loss in train_step(images, noise())])
        print(f"epoch {epoch}: discriminator {losses[-1][0]:.4f}, generator {losses[-1][1]:.4f}")
    if options.images:
        np.save(options.images, generator.set_train(False)(noise()).asnumpy())
    return losses


if __name__ == "__main__":
    main()
