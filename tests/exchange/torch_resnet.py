# SPDX-License-Identifier: Apache-2.0
"""Weights of torchvision's ResNet-50 find their places in a network with other names, and give its outputs.

python torch_resnet.py torch_writes folder
python torch_resnet.py package_reads folder
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np


def torch_writes(folder: Path) -> None:
    """A state dict inside what a training script saves, and outputs of the network."""
    import torch
    import torchvision

    torch.manual_seed(1)
    net = torchvision.models.resnet50(weights=None).eval()
    with torch.no_grad():
        for name, buffer in net.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(0, 0.1)
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
        image = torch.randn(2, 3, 64, 64)
        np.savez(folder / "io.npz", input_0=image.numpy(), output_0=net(image).numpy())
    state = {f"module.{name}": value for name, value in net.state_dict().items()}
    torch.save({"epoch": 3, "state_dict": state}, folder / "resnet50.pth")


def resnet50():
    """The same network, as it is written with this package."""
    from mindspore import nn

    def convolution(inputs, outputs, size=1, stride=1):
        return nn.Conv2d(inputs, outputs, size, stride, pad_mode="pad", padding=size // 2)

    class Bottleneck(nn.Cell):
        """Narrow, convolve, widen, beside a shortcut."""

        def __init__(self, inputs, width, stride):
            super().__init__()
            self.conv1, self.bn1 = convolution(inputs, width), nn.BatchNorm2d(width)
            self.conv2, self.bn2 = convolution(width, width, 3, stride), nn.BatchNorm2d(width)
            self.conv3, self.bn3 = convolution(width, 4 * width), nn.BatchNorm2d(4 * width)
            self.relu, self.down_sample_layer = nn.ReLU(), None
            if stride != 1 or inputs != 4 * width:
                parts = [convolution(inputs, 4 * width, 1, stride), nn.BatchNorm2d(4 * width)]
                self.down_sample_layer = nn.SequentialCell(parts)

        def construct(self, x):
            """The block."""
            y = self.relu(self.bn1(self.conv1(x)))
            y = self.relu(self.bn2(self.conv2(y)))
            y = self.bn3(self.conv3(y))
            return self.relu(y + (x if self.down_sample_layer is None else self.down_sample_layer(x)))

    class ResNet(nn.Cell):
        """Four stages."""

        def __init__(self):
            super().__init__()
            self.conv1, self.bn1, self.relu = convolution(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU()
            self.pad, self.pool = nn.Pad(((0, 0), (0, 0), (1, 1), (1, 1))), nn.MaxPool2d(3, 2)
            stages, inputs = [], 64
            for stage, count in enumerate((3, 4, 6, 3)):
                blocks = []
                for place in range(count):
                    blocks.append(Bottleneck(inputs, 64 << stage, 2 if stage and not place else 1))
                    inputs = 256 << stage
                stages.append(nn.SequentialCell(blocks))
            self.layer1, self.layer2, self.layer3, self.layer4 = stages
            self.end_point = nn.Dense(2048, 1000)

        def construct(self, x):
            """Scores of classes."""
            x = self.pool(self.pad(self.relu(self.bn1(self.conv1(x)))))
            x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
            return self.end_point(x.mean((2, 3)))

    return ResNet()


def package_reads(folder: Path) -> None:
    """Converts without a map, and compares outputs."""
    from mindspore.tools.convert import load_weights_into, verify

    try:
        net = resnet50()
        matching = load_weights_into(net, str(folder / "resnet50.pth"))
        assert not matching.missing, matching.missing
        assert set(matching.unused.values()) == {"not needed"}, matching.unused
        told = {"runs": len(matching.matches), "difference": verify(net, str(folder / "io.npz"), 1e-4)}
    except Exception as failure:
        told = {"failure": f"{type(failure).__name__}: {failure}"[:600]}
    print(json.dumps({"case": "resnet50.pth", **told}))


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
