# SPDX-License-Identifier: Apache-2.0
"""Mistakes that a type checker has to see, each named at the end of its line."""

import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops

x = Tensor([1.0])
ops.rellu(x)  # expected: attr-defined
ops.relu("text")  # expected: arg-type
ops.relu(x, 1)  # expected: call-arg
ops.concat([x], dim=1)  # expected: call-arg
ops.matmul(x)  # expected: call-arg
ops.sum(x, keepdim="yes")  # expected: arg-type
ops.Softmax(dim=1)  # expected: call-arg
ops.ReLU()(x, x)  # expected: call-arg
x.cuda()  # expected: attr-defined
x.reshap(1)  # expected: attr-defined
x.astype()  # expected: call-arg
x.shape = (1, 2)  # expected: misc
x + "text"  # expected: operator
x.shape.sum()  # expected: attr-defined
nn.Bilinear(1, 2, 3)  # expected: attr-defined
nn.Dense(1)  # expected: call-arg
nn.Dense("1", 2)  # expected: arg-type
nn.Dense(1, 2, bias=False)  # expected: call-arg
nn.Dense(1, 2)("text")  # expected: arg-type
nn.Conv2d(1, 2, kernel_size="3")  # expected: arg-type
nn.Adam(learning_rate=0.1)  # expected: call-arg
nn.Adam([x])  # expected: arg-type
nn.CrossEntropyLoss()(x)  # expected: call-arg
ms.set_seed("one")  # expected: arg-type
ms.Modell  # expected: attr-defined
ms.float32 + 1  # expected: operator
ms.Model(nn.ReLU).train("ten")  # expected: arg-type, call-arg
ds.MnistDataset()  # expected: call-arg
ds.MnistDataset("folder", shufle=True)  # expected: call-arg
ds.MnistDataset("folder").bach(32)  # expected: attr-defined
ds.vision.Resize()  # expected: call-arg
ds.vision.Resize("large")  # expected: arg-type
