# SPDX-License-Identifier: Apache-2.0
"""build_train_network: levels, loss scales and skipped steps, in both modes; lists of mixed precision."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, amp, nn, ops
from mindspore._capture import explain

OVERFLOWS = (4, 8)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def network():
    weight = np.linspace(-1, 1, 32).reshape(8, 4).astype(np.float32)
    head = np.linspace(1, -1, 16).reshape(2, 8).astype(np.float32)
    return nn.SequentialCell(
        nn.Dense(4, 8, weight_init=Tensor(weight), bias_init="zeros"),
        nn.ReLU(),
        nn.Dense(8, 2, weight_init=Tensor(head), bias_init="zeros"),
    )


def batches():
    rng = np.random.default_rng(0)
    for i in range(10):
        x, y = rng.standard_normal((3, 4)), rng.standard_normal((3, 2))
        if i in OVERFLOWS:
            x[0, 0] = np.inf
        yield Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32))


def train(level, **options):
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    step = amp.build_train_network(net, optimizer, nn.MSELoss(), level=level, **options)
    results = [step(*batch) for batch in batches()]
    return net, optimizer, step, results


def plain_reference():
    """Steps without overflow, in float32."""
    net = network()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.05, 0.9)
    )
    losses = [float(step(*batch)) for i, batch in enumerate(batches()) if i not in OVERFLOWS]
    return net, losses


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_overflowed_steps_are_skipped(mode, level):
    manager = ms.DynamicLossScaleManager(16, 2, 3)
    net, optimizer, step, results = train(level, loss_scale_manager=manager)
    losses, overflows, scales = zip(*results, strict=True)
    assert [bool(one) for one in overflows] == [i in OVERFLOWS for i in range(10)]
    assert [float(one) for one in scales] == [16, 16, 32, 32, 16, 16, 16, 32, 16, 16]
    assert int(optimizer.global_step) == 8
    wanted, wanted_losses = plain_reference()
    tolerance = 1e-5 if level == "O0" else 2e-2
    found = [float(loss) for i, loss in enumerate(losses) if i not in OVERFLOWS]
    np.testing.assert_allclose(found, wanted_losses, rtol=tolerance)
    assert all(loss.dtype == ms.float32 for loss in losses)
    for mine, plain in zip(net.trainable_params(), wanted.trainable_params(), strict=True):
        assert mine.dtype == ms.float32
        np.testing.assert_allclose(mine.asnumpy(), plain.asnumpy(), rtol=tolerance, atol=tolerance)
    if mode == ms.GRAPH_MODE:
        assert "eagerly" not in explain(step)


def test_fixed_scales(mode):
    net, _, _, results = train("O0", loss_scale_manager=ms.FixedLossScaleManager(8.0))
    assert {float(scale) for _, _, scale in results} == {8.0}
    wanted, _ = plain_reference()
    np.testing.assert_allclose(net[0].weight.asnumpy(), wanted[0].weight.asnumpy(), rtol=1e-5)
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=8.0)
    manager = ms.FixedLossScaleManager(8.0, drop_overflow_update=False)
    step = amp.build_train_network(net, optimizer, nn.MSELoss(), loss_scale_manager=manager)
    assert type(step) is nn.TrainOneStepCell
    for i, batch in enumerate(batches()):
        if i not in OVERFLOWS:
            step(*batch)
    np.testing.assert_allclose(net[0].weight.asnumpy(), wanted[0].weight.asnumpy(), rtol=1e-5)


@pytest.mark.parametrize(
    "level, options, kind, lowered",
    [
        ("O0", {}, nn.TrainOneStepCell, False),
        ("O1", {}, nn.TrainOneStepCell, True),
        ("O2", {}, nn.TrainOneStepWithLossScaleCell, True),
        ("O3", {}, nn.TrainOneStepCell, True),
        ("O2", {"loss_scale_manager": None}, nn.TrainOneStepCell, True),
        ("O2", {"cast_model_type": ms.float32}, nn.TrainOneStepWithLossScaleCell, False),
        ("O0", {"cast_model_type": ms.float16}, nn.TrainOneStepCell, True),
        ("auto", {}, nn.TrainOneStepCell, False),
    ],
)
def test_levels(level, options, kind, lowered):
    net = network()
    optimizer = nn.SGD(net.trainable_params())
    step = amp.build_train_network(net, optimizer, nn.MSELoss(), level=level, **options)
    assert type(step) is kind and step.training
    assert (net[0]._compute_type is not None) == lowered
    assert [p.name for p in step.trainable_params()] == [p.name for p in net.trainable_params()]


def test_batch_normalisation_stays_in_float32():
    for kept in (True, False):
        net = nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4))
        amp.build_train_network(
            net, nn.SGD(net.trainable_params()), nn.MSELoss(), level="O2", keep_batchnorm_fp32=kept
        )
        assert net[1]._compute_type == (ms.float32 if kept else ms.float16)


@pytest.mark.parametrize(
    "error, options",
    [
        (ValueError, {"level": "O4"}),
        (ValueError, {"boost_level": "O9"}),
        (ValueError, {"no_such_argument": 1}),
        (TypeError, {"cast_model_type": ms.float64}),
        (TypeError, {"keep_batchnorm_fp32": 1}),
        (TypeError, {"loss_scale_manager": 8.0}),
        (TypeError, {"optimizer": 1}),
        (TypeError, {"network": 1}),
    ],
)
def test_wrong_arguments(error, options):
    net = network()
    given = {"network": net, "optimizer": nn.SGD(net.trainable_params()), "loss_fn": nn.MSELoss()}
    with pytest.raises(error):
        amp.build_train_network(**{**given, **options})


class WithPrimitives(nn.Cell):
    """Primitives as attributes, and one cell that the user gave a type."""

    def __init__(self):
        super().__init__()
        self.product, self.relu, self.own = ops.MatMul(), ops.ReLU(), nn.Dense(3, 3)
        self.own.to_float(ms.bfloat16)

    def construct(self, x, y):
        return self.relu(self.product(x, y))


def test_primitives_of_the_white_list_are_lowered(mode):
    x = Tensor(np.full((2, 3), 1 + 2**-12, np.float32))
    y = Tensor(np.ones((3, 2), np.float32))
    plain, lowered = WithPrimitives(), WithPrimitives()
    product = lowered.product
    amp.auto_mixed_precision(lowered, "O1")
    assert isinstance(lowered.product, ops.MatMul) and type(product) is ops.MatMul
    assert lowered.own._compute_type == ms.bfloat16
    found = lowered(x, y)
    assert found.dtype == ms.float32
    assert float(plain(x, y)[0, 0]) != 3.0 and float(found[0, 0]) == 3.0
    custom = WithPrimitives()
    amp.custom_mixed_precision(custom, white_list=[ops.ReLU], dtype=ms.bfloat16)
    assert float(custom(x, y)[0, 0]) == 3.0 and type(custom.product) is ops.MatMul


def test_lists():
    white = {entry.__name__ for entry in amp.get_white_list()}
    assert {"Conv2d", "Dense", "LSTMCell", "Conv2D", "MatMul", "BatchMatMul", "ReLU", "PReLU"} <= white
    assert {entry.__name__ for entry in amp.get_black_list()} == {
        "BatchNorm1d",
        "BatchNorm2d",
        "BatchNorm3d",
        "LayerNorm",
    }
    amp.get_white_list().clear()
    assert amp.get_white_list()
    net = network()
    for wrong in ({"white_list": [], "black_list": []}, {}):
        with pytest.raises(ValueError):
            amp.custom_mixed_precision(net, **wrong)
    with pytest.raises(TypeError):
        amp.custom_mixed_precision(net, black_list=[ops.ReLU])


def test_loss_scalers_inside_compiled_functions():
    scaler = amp.DynamicLossScaler(16, 2, 3)

    @ms.jit
    def step(value):
        scaled = scaler.scale(value)
        finite = amp.all_finite((scaled, (value, None)))
        scaler.adjust(finite)
        return scaler.unscale(scaled), finite

    scales = []
    for i in range(10):
        value = np.inf if i in OVERFLOWS else 1.0
        back, finite = step(Tensor([value], ms.float32))
        assert bool(finite) == (i not in OVERFLOWS)
        assert i in OVERFLOWS or float(back) == 1.0 or float(back) == 2.0 or float(back) == 0.5
        scales.append(float(scaler.scale_value))
    assert scales == [16, 16, 32, 32, 16, 16, 16, 32, 16, 16]
