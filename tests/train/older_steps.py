# SPDX-License-Identifier: Apache-2.0
"""A network and steps of training as scripts for MindSpore 1.x write them."""

import numpy as np

import mindspore.dataset as ds
from mindspore import Parameter, ParameterTuple, Tensor, context, nn
from mindspore.common import dtype as mstype
from mindspore.context import ParallelMode
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.nn.wrap.cell_wrapper import WithLossCell
from mindspore.nn.wrap.grad_reducer import DistributedGradReducer
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

CLIP_BY_VALUE, CLIP_BY_NORM = 0, 1
IMAGES = (np.arange(48).reshape(12, 4) % 11 / 5 - 1).astype(np.float32)
LABELS = (np.arange(12) % 3).astype(np.int32)


def weights(*shape):
    return Tensor((np.arange(np.prod(shape)).reshape(shape) % 7 - 3).astype(np.float32) / 10)


def batches():
    """Three batches of four."""
    return ds.NumpySlicesDataset({"image": IMAGES, "label": LABELS}, shuffle=False).batch(4)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(4, 6, weight_init=weights(6, 4), bias_init="zeros")
        self.bn = nn.BatchNorm1d(6)
        self.relu = P.ReLU()
        self.fc2 = nn.Dense(6, 3, weight_init=weights(3, 6), bias_init="zeros")

    def construct(self, x):
        return self.fc2(self.relu(self.bn(self.fc1(x))))


def cross_entropy():
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def with_loss():
    net = Net()
    return net, WithLossCell(net, cross_entropy())


def losses(step, epochs=2):
    step.set_train()
    found = []
    for _ in range(epochs):
        for image, label in batches().create_tuple_iterator():
            given = step(image, label)
            found.append(float((given[0] if isinstance(given, tuple) else given).asnumpy()))
    return found


clip_grad = C.MultitypeFuncGraph("clip_grad")
scale_grad = C.MultitypeFuncGraph("scale_grad")
overflowed = C.MultitypeFuncGraph("overflowed")
reciprocal = P.Reciprocal()
float_status = P.FloatStatus()


@clip_grad.register("Number", "Number", "Tensor")
def _clip(kind, limit, grad):
    if kind not in (CLIP_BY_VALUE, CLIP_BY_NORM):
        return grad
    dtype = F.dtype(grad)
    upper = F.cast(F.tuple_to_array((limit,)), dtype)
    if kind == CLIP_BY_VALUE:
        return C.clip_by_value(grad, F.cast(F.tuple_to_array((-limit,)), dtype), upper)
    return nn.ClipByNorm()(grad, upper)


@scale_grad.register("Tensor", "Tensor")
def _scale(scale, grad):
    return grad * F.cast(reciprocal(scale), F.dtype(grad))


@overflowed.register("Tensor")
def _overflowed(grad):
    return float_status(grad)


class ClippingStep(nn.TrainOneStepCell):
    """Says everything again that its base has said, as subclasses did."""

    def __init__(self, network, optimizer, sens=1.0, kind=CLIP_BY_NORM):
        super().__init__(network, optimizer, sens)
        self.network = network
        self.network.set_grad()
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens, self.kind = sens, kind
        self.reducer_flag = False
        self.grad_reducer = F.identity
        if _get_parallel_mode() in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL):
            self.reducer_flag = True
        if self.reducer_flag:
            self.grad_reducer = DistributedGradReducer(
                optimizer.parameters, _get_gradients_mean(), _get_device_num()
            )
        self.hyper_map = C.HyperMap()
        self.cast = P.Cast()

    def construct(self, x, y):
        loss = self.network(x, y)
        sens = self.cast(F.tuple_to_array((self.sens,)), mstype.float32).reshape(())
        grads = self.grad(self.network, self.weights)(x, y, sens)
        grads = self.hyper_map(F.partial(clip_grad, self.kind, 0.5), grads)
        if self.reducer_flag:
            grads = self.grad_reducer(grads)
        return F.depend(loss, self.optimizer(grads))


class FilledStep(nn.Cell):
    """A step of its own, whose parameters keep their names."""

    def __init__(self, network, optimizer, sens=1.0):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.network.add_flags(defer_inline=True)
        self.weights = optimizer.parameters
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return F.depend(loss, self.optimizer(grads))


class CheckedStep(nn.TrainOneStepWithLossScaleCell):
    """Overflow by the methods of the base."""

    def construct(self, x, y):
        loss = self.network(x, y)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        grads = self.grad(self.network, self.weights)(x, y, C.ones_like(loss) * F.cast(scale, F.dtype(loss)))
        grads = self.hyper_map(F.partial(scale_grad, scale), grads)
        grads = self.hyper_map(F.partial(clip_grad, CLIP_BY_NORM, 0.5), grads)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        if not self.process_loss_scale(cond):
            loss = F.depend(loss, self.optimizer(grads))
        return loss, cond, scale


class CountingStep(nn.Cell):
    """Overflow counted by hand, with a scale in a parameter of its own."""

    def __init__(self, network, optimizer, scale_update_cell):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = optimizer.parameters
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.parallel_mode = context.get_auto_parallel_context("parallel_mode")
        self.degree = context.get_auto_parallel_context("device_num")
        self.grad_reducer = F.identity
        self.base = Tensor(1, mstype.float32)
        self.cast, self.addn, self.less_equal, self.reshape = P.Cast(), P.AddN(), P.LessEqual(), P.Reshape()
        self.hyper_map = C.HyperMap()
        self.loss_scaling_manager = scale_update_cell
        self.loss_scale = Parameter(
            Tensor(scale_update_cell.get_loss_scale(), dtype=mstype.float32), name="loss_scale"
        )

    def construct(self, x, y, sens=None):
        loss = self.network(x, y)
        scale = self.loss_scale if sens is None else sens
        grads = self.grad(self.network, self.weights)(x, y, self.cast(scale, mstype.float32))
        grads = self.grad_reducer(grads)
        grads = self.hyper_map(F.partial(scale_grad, scale * self.degree), grads)
        flags = self.hyper_map(F.partial(overflowed), grads)
        cond = self.less_equal(self.base, self.reshape(self.addn(flags), (())))
        overflow = cond
        if sens is None:
            overflow = self.loss_scaling_manager(self.loss_scale, cond)
        if overflow:
            done = False
        else:
            done = self.optimizer(grads)
        return F.depend((loss, cond, scale), done)


update = C.MultitypeFuncGraph("update")
descend = C.MultitypeFuncGraph("descend")


@update.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor")
def _update(rate, momentum, grad, param, moment):
    following = P.Mul()(moment, momentum) + grad
    kept = F.assign(moment, following)
    return F.depend(True, (kept, F.assign_sub(param, rate * following)))


@descend.register("Tensor", "Tensor", "Tensor")
def _descend(rate, param, grad):
    return F.depend(True, F.assign_sub(param, rate * grad))


class HandMadeMomentum(Optimizer):
    def __init__(self, params, learning_rate, momentum=0.9, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self.params = self.parameters
        self.moments = self.params.clone(prefix="moments", init="zeros")
        self.hyper_map = C.HyperMap()

    def construct(self, gradients):
        gradients = self.scale_grad(self.decay_weight(gradients))
        return self.hyper_map(
            F.partial(update, self.get_lr(), self.momentum), gradients, self.params, self.moments
        )


class HandMadeDescent(Optimizer):
    def __init__(self, params, learning_rate):
        super().__init__(learning_rate, params)
        self.map_ = C.Map()

    def construct(self, grads):
        rate = self.get_lr()
        if self.is_group_lr:
            return self.map_(F.partial(descend), rate, self.parameters, grads)
        return self.map_(F.partial(descend, rate), self.parameters, grads)


class WarmedRate(nn.learning_rate_schedule.LearningRateSchedule):
    def __init__(self, rate, end, warm_up, decay, power):
        super().__init__()
        self.warms = warm_up > 0
        if self.warms:
            self.warm = nn.WarmUpLR(rate, warm_up)
        self.decay = nn.PolynomialDecayLR(rate, end, decay, power)
        self.warm_up = Tensor(np.array([warm_up]).astype(np.float32))
        self.one = Tensor(np.array([1.0]).astype(np.float32))
        self.greater, self.cast = P.Greater(), P.Cast()

    def construct(self, global_step):
        rate = self.decay(global_step)
        if self.warms:
            warming = self.cast(self.greater(self.warm_up, global_step), mstype.float32)
            rate = (self.one - warming) * rate + warming * self.warm(global_step)
        return rate
