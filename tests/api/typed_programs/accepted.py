# SPDX-License-Identifier: Apache-2.0
"""What users write every day; a type checker has nothing to say about it."""

from __future__ import annotations

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
import mindspore.numpy as mnp
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer
from mindspore.dataset import transforms, vision
from mindspore.train import Callback, LossMonitor, Model, RunContext


class Net(nn.Cell):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=(1, 1), pad_mode="same", weight_init=Normal(0.02))
        self.norm = nn.BatchNorm2d(8)
        self.body = nn.SequentialCell([nn.ReLU(), nn.MaxPool2d(kernel_size=2, stride=2)])
        self.blocks = nn.CellList([nn.Dense(8, 8) for _ in range(2)])
        self.head = nn.Dense(8, classes, activation="relu")
        self.scale = Parameter(initializer("ones", (1,), ms.float32), name="scale")

    def construct(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.body(self.norm(self.conv(x)))
        x = ops.mean(x, axis=(2, 3))
        for block in self.blocks:
            x = x + block(x)
        if mask is not None:
            x = x.masked_fill(mask, 0.0)
        return self.head(x) * self.scale


class Recorder(Callback):
    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []

    def on_train_step_end(self, run_context: RunContext) -> None:
        self.losses.append(float(run_context.original_args().net_outputs.asnumpy()))


class Wide(nn.LossBase):
    def construct(self, first: Tensor, second: Tensor, third: Tensor) -> Tensor:
        return self.get_loss(ops.abs(first - second) + third)


def tensors() -> None:
    x = Tensor(np.zeros((2, 3)), dtype=ms.float32)
    y: Tensor = 2 * x + 1 - x / 3 @ x.T
    rows, columns = x.shape
    total: int = rows * columns + x.ndim
    y = x[0, 1:, None][..., x[0] > 0]
    x[0] = 1
    x += 1
    large = x.reshape(3, 2).astype(ms.int32).max()
    number = float(x.sum()) + total
    array: np.ndarray = x.asnumpy() + number
    y = ops.concat([x, Tensor(array)], axis=1)
    values, indices = ops.topk(x, 2)
    first, *_ = ops.split(x, 1)
    y = ops.where(values > 0, first, 0.0).sum(axis=(0, 1), keepdims=True)
    y = ops.ReLU()(y) + ops.Concat(axis=1)((x, x)) + ops.ReduceSum(keep_dims=True)(x, (0,))
    print(large, y, indices, mnp.arange(3).sum(), ms.ops.relu(x).shape, ms.nn.ReLU()(x).dtype)


def data(folder: str) -> ds.Dataset:
    rows = ds.MnistDataset(folder, usage="train", shuffle=True, num_parallel_workers=2)
    rows = rows.map([vision.Rescale(1 / 255, 0), vision.HWC2CHW()], "image")
    rows = rows.map(operations=transforms.TypeCast(ms.int32), input_columns=["label"])
    rows = rows.shuffle(100).batch(32, drop_remainder=True).repeat(2)
    for image, label in rows.create_tuple_iterator(num_epochs=1, output_numpy=True):
        print(image.shape, label.shape, rows.get_dataset_size() + 1)
    made = ds.GeneratorDataset(lambda: iter([(1,)]), ["number"], sampler=ds.SequentialSampler())
    return ds.zip((rows, made.batch(2)))


def training(folder: str) -> None:
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    ms.set_seed(1)
    net = Net()
    net = net.set_train()
    for name, parameter in net.parameters_and_names():
        print(name, parameter.name, parameter.shape, parameter.requires_grad)
    for _, cell in net.cells_and_names():
        cell.set_grad()
    print(net.head.weight.shape, net.head.in_channels + 1)
    loss = nn.CrossEntropyLoss(label_smoothing=0.1)
    groups = [{"params": net.trainable_params(), "weight_decay": 0.1}]
    optimizer = nn.AdamWeightDecay(groups, learning_rate=nn.CosineDecayLR(0.0, 0.1, 100))
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    value, gradients = step(Tensor(np.zeros((1, 3, 8, 8), np.float32)), Tensor([1]))
    optimizer(gradients)
    model = Model(net, loss, optimizer, metrics={"accuracy": nn.Accuracy()}, amp_level="O2")
    model.train(1, data(folder), callbacks=[Recorder(), LossMonitor()], dataset_sink_mode=False)
    print(model.eval(data(folder))["accuracy"], value)
    ms.save_checkpoint(net, "net.ckpt")
    ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
    ms.export(net, Tensor(np.zeros((1, 3, 8, 8), np.float32)), file_name="net", file_format="MINDIR")


@ms.jit
def compiled(x: Tensor, y: Tensor) -> Tensor:
    return ops.matmul(x, y)


print(ms.grad(compiled, grad_position=0)(Tensor(1.0), Tensor(2.0)))
