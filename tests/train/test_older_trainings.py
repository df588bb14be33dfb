# SPDX-License-Identifier: Apache-2.0
"""Training as scripts for MindSpore 1.x write it, in both modes, with the losses MindSpore gives on a CPU."""

import numpy as np
import older_steps as older
import pytest

import mindspore as ms
from mindspore import Model, Parameter, ParameterTuple, Tensor, context, nn
from mindspore.common import dtype as mstype
from mindspore.common.initializer import TruncatedNormal, initializer
from mindspore.communication.management import get_group_size, get_rank, init
from mindspore.ops import operations as P
from mindspore.train.callback import Callback, CheckpointConfig, LossMonitor, ModelCheckpoint, TimeMonitor
from mindspore.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager
from mindspore.train.serialization import load_checkpoint, load_param_into_net, save_checkpoint

CLOSE = {"rel": 0, "abs": 2e-5}
CLIPPED_BY_NORM = [1.07849, 1.15800, 1.26802, 0.88006, 0.87920, 0.92785]


@pytest.fixture(autouse=True)
def settings(each_mode):
    """Settings of such scripts."""
    context.set_context(mode=each_mode, device_target="CPU", save_graphs=False, enable_graph_kernel=False)
    yield each_mode
    context.reset_auto_parallel_context()


def momentum(net, rate=0.1):
    return nn.Momentum(net.trainable_params(), rate, 0.9)


# ---- steps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel_mode", ["stand_alone", "data_parallel"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (older.CLIP_BY_NORM, CLIPPED_BY_NORM),
        (older.CLIP_BY_VALUE, [1.07849, 1.14340, 1.22119, 0.81053, 0.77935, 0.84402]),
    ],
)
def test_a_step_that_clips(kind, expected, parallel_mode):
    init()
    context.set_auto_parallel_context(
        parallel_mode=parallel_mode, gradients_mean=True, device_num=get_group_size()
    )
    net, network = older.with_loss()
    assert older.losses(older.ClippingStep(network, momentum(net), kind=kind)) == pytest.approx(
        expected, **CLOSE
    )


@pytest.mark.parametrize("form", [list, iter])
def test_a_step_with_a_filled_sens_and_rates_for_each_step(form, capfd):
    net, network = older.with_loss()
    rates = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]
    optimizer = nn.SGD(net.trainable_params(), learning_rate=form(rates), momentum=0.9, weight_decay=1e-3)
    expected = [1.07849, 1.14339, 0.99368, 0.61736, 0.47017, 0.57724]
    assert older.losses(older.FilledStep(network, optimizer)) == pytest.approx(expected, **CLOSE)
    assert optimizer.init_learning_rate == rates
    assert "is not compiled" not in capfd.readouterr().err  # for rates that a generator makes


def test_a_step_that_checks_for_overflow():
    net, network = older.with_loss()
    scaling = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**10, scale_factor=2, scale_window=2)
    step = older.CheckedStep(network, momentum(net), scale_sense=scaling)
    assert older.losses(step) == pytest.approx(CLIPPED_BY_NORM, **CLOSE)
    assert float(step.scale_sense.asnumpy()) == 2**13


def test_a_step_that_counts_overflows_by_itself():
    net, network = older.with_loss()
    scaling = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**10, scale_factor=2, scale_window=3)
    step = older.CountingStep(network, momentum(net), scaling)
    plain_net, plain = older.with_loss()
    expected = older.losses(nn.TrainOneStepCell(plain, momentum(plain_net)))
    assert older.losses(step) == pytest.approx(expected, **CLOSE)
    assert float(step.loss_scale.asnumpy()) == 2**12


def test_a_step_with_infinite_gradients_is_skipped():
    net, network = older.with_loss()
    scaling = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**10, scale_factor=2, scale_window=3)
    step = older.CountingStep(network, momentum(net), scaling)
    before = net.fc2.weight.asnumpy().copy()
    _, overflow, _ = step.set_train()(Tensor(older.IMAGES[:4] + np.inf), Tensor(older.LABELS[:4]))
    assert overflow.asnumpy() and float(step.loss_scale.asnumpy()) == 2**9
    assert (net.fc2.weight.asnumpy() == before).all()


# ---- optimizers and rates --------------------------------------------------------------------------------


def test_an_optimizer_with_moments():
    net, network = older.with_loss()
    rates = nn.piecewise_constant_lr([2, 4, 6], [0.1, 0.05, 0.01])
    optimizer = older.HandMadeMomentum(net.trainable_params(), rates, 0.9, weight_decay=1e-3, loss_scale=2.0)
    expected = [1.07849, 1.14339, 1.19227, 0.81192, 0.78362, 0.81777]
    assert older.losses(nn.TrainOneStepCell(network, optimizer, sens=2.0)) == pytest.approx(expected, **CLOSE)
    assert [moment.name for moment in optimizer.moments][:2] == ["moments.fc1.weight", "moments.fc1.bias"]


def test_an_optimizer_for_groups():
    net, network = older.with_loss()
    groups = [
        {"params": [p for p in net.trainable_params() if "bn" not in p.name], "lr": 0.1},
        {
            "params": list(filter(lambda p: "bn" in p.name, net.trainable_params())),
            "lr": nn.ExponentialDecayLR(0.1, 0.9, 2),
        },
        {"order_params": net.trainable_params()},
    ]
    expected = [1.07849, 1.14340, 1.19122, 0.95521, 0.97890, 0.94862]
    step = nn.TrainOneStepCell(network, older.HandMadeDescent(groups, 0.05))
    assert older.losses(step) == pytest.approx(expected, **CLOSE)


def test_a_schedule_with_warm_up_and_groups_of_decay():
    net, network = older.with_loss()

    def undecayed(parameter):
        return "bias" in parameter.name or "beta" in parameter.name

    groups = [
        {"params": [p for p in net.trainable_params() if not undecayed(p)], "weight_decay": 0.01},
        {"params": [p for p in net.trainable_params() if undecayed(p)], "weight_decay": 0.0},
        {"order_params": net.trainable_params()},
    ]
    optimizer = nn.AdamWeightDecay(groups, older.WarmedRate(0.05, 0.0, 2, 10, 1.0), eps=1e-4)
    expected = [1.07849, 1.19342, 1.10396, 0.61220, 0.59073, 0.54802]
    assert older.losses(nn.TrainOneStepCell(network, optimizer)) == pytest.approx(expected, **CLOSE)


def test_rates_as_lists():
    assert nn.piecewise_constant_lr([2, 5], [0.1, 0.01]) == [0.1, 0.1, 0.01, 0.01, 0.01]
    assert nn.dynamic_lr.warmup_lr(0.1, 6, 2, 2) == [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]
    assert nn.cosine_decay_lr(0.01, 0.1, 4, 2, 2) == pytest.approx([0.1, 0.1, 0.055, 0.055])
    assert nn.polynomial_decay_lr(0.1, 0.01, 4, 1, 2, 0.5) == pytest.approx([0.1, 0.07363961, 0.01, 0.01])
    step = Tensor(3, mstype.int32)
    assert float(nn.CosineDecayLR(0.01, 0.1, 4)(step).asnumpy()) == pytest.approx(0.02318019)
    assert float(nn.learning_rate_schedule.WarmUpLR(0.2, 4)(step).asnumpy()) == pytest.approx(0.15)


# ---- Model -----------------------------------------------------------------------------------------------


class Diary(Callback):
    """Reads what callbacks of that time read."""

    def __init__(self):
        self.losses, self.beginnings = {}, []

    def begin(self, run_context):
        params = run_context.original_args()
        self.beginnings.append((params.mode, params.epoch_num, params.batch_num, params.device_number))
        assert params.parallel_mode == "stand_alone" and params.train_dataset.get_dataset_size() == 3
        assert params.network is not params.train_network and params.optimizer is not None

    def step_end(self, run_context):
        params = run_context.original_args()
        loss = params.net_outputs
        if isinstance(loss, (tuple, list)) and isinstance(loss[0], Tensor):
            loss = loss[0]
        if isinstance(loss, Tensor) and isinstance(loss.asnumpy(), np.ndarray):
            loss = np.mean(loss.asnumpy())
        assert params.cur_epoch_num == (params.cur_step_num - 1) // params.batch_num + 1
        self.losses[params.cur_step_num] = float(loss)


@pytest.mark.parametrize(
    ("level", "expected", "tolerance"),
    [("O0", [1.19235, 0.85915], 2e-5), ("O2", [1.19201, 0.85901], 1e-3)],  # O2 computes in float16
)
def test_sinking_with_checkpoints(tmp_path, capfd, level, expected, tolerance):
    net, diary = older.Net(), Diary()
    rates = Tensor(nn.cosine_decay_lr(0.01, 0.1, 6, 3, 2), mstype.float32)
    optimizer = nn.Momentum(filter(lambda p: p.requires_grad, net.get_parameters()), rates, 0.9, 1e-4, 1024)
    model = Model(
        net,
        loss_fn=older.cross_entropy(),
        optimizer=optimizer,
        metrics={"acc"},
        amp_level=level,
        keep_batchnorm_fp32=False,
        loss_scale_manager=FixedLossScaleManager(1024, drop_overflow_update=False),
    )
    checkpoints = ModelCheckpoint(
        prefix="old",
        directory=str(tmp_path),
        config=CheckpointConfig(save_checkpoint_steps=3, keep_checkpoint_max=5),
    )
    callbacks = [TimeMonitor(data_size=3), LossMonitor(), diary, checkpoints]
    model.train(2, older.batches(), callbacks=callbacks, dataset_sink_mode=True)

    assert len(optimizer.init_params["params"]) == 6
    assert diary.beginnings == [("train", 2, 3, 1)]
    assert [diary.losses[3], diary.losses[6]] == pytest.approx(expected, rel=0, abs=tolerance)
    assert model.eval(older.batches(), dataset_sink_mode=False)["acc"] == pytest.approx(10 / 12)
    assert sorted(file.name for file in tmp_path.glob("*.ckpt")) == ["old-1_3.ckpt", "old-2_3.ckpt"]
    saved = load_checkpoint(str(tmp_path / "old-2_3.ckpt"))
    assert {"bn.moving_mean", "moments.fc1.weight", "learning_rate", "global_step", "momentum"} <= set(saved)
    said = capfd.readouterr()
    assert "epoch: 2 step: 3, loss is" in said.out and "per step time:" in said.out
    assert "is not compiled" not in said.err  # for the iterator that filter() makes


def test_a_step_of_the_users_own_in_a_model():
    net, network = older.with_loss()
    scaling = nn.FixedLossScaleUpdateCell(128.0)
    model = Model(older.CountingStep(network, momentum(net), scaling))
    before = net.fc2.weight.asnumpy().copy()
    model.train(1, older.batches(), dataset_sink_mode=True, sink_size=3)
    assert (net.fc2.weight.asnumpy() != before).any()


def test_dynamic_scales_of_a_model():
    net, diary = older.Net(), Diary()
    manager = DynamicLossScaleManager(init_loss_scale=2**8, scale_factor=2, scale_window=2)
    model = Model(net, older.cross_entropy(), momentum(net), amp_level="O3", loss_scale_manager=manager)
    model.train(1, older.batches(), callbacks=[diary], dataset_sink_mode=False)
    assert diary.losses[3] == pytest.approx(1.192, abs=5e-3)
    assert type(model._train_network).__name__ == "TrainOneStepWithLossScaleCell"


class DoubledLoss(nn.WithLossCell):
    def __init__(self, backbone, loss_fn):
        super().__init__(backbone, loss_fn)
        self.backbone, self.loss = backbone, loss_fn

    def construct(self, data, label):
        return self.loss(self.backbone(data), label) * 2


class LossAndOutput(nn.WithEvalCell):
    def construct(self, data, label):
        outputs = self._network(data)
        return self._loss_fn(outputs, label), outputs, label


def test_networks_with_loss_and_for_evaluation():
    net, loss = older.Net(), older.cross_entropy()
    model = Model(
        DoubledLoss(net, loss),
        optimizer=momentum(net),
        eval_network=LossAndOutput(net, loss),
        eval_indexes=[0, 1, 2],
        metrics={"acc": nn.Accuracy(), "loss": nn.Loss()},
    )
    model.train(1, older.batches(), dataset_sink_mode=False)
    found = model.eval(older.batches(), dataset_sink_mode=False)
    assert found == pytest.approx({"acc": 10 / 12, "loss": 0.942212}, abs=2e-5)


# ---- checkpoints -----------------------------------------------------------------------------------------


def test_names_are_changed_before_loading(tmp_path):
    source, file = older.Net(), str(tmp_path / "old.ckpt")
    source.fc1.weight.set_data(Tensor(np.full((6, 4), 3, np.float32)))
    save_checkpoint([{"name": "network." + p.name, "data": p} for p in source.get_parameters()], file)
    assert set(load_checkpoint(file, filter_prefix="network.fc")) == {
        "network.bn.gamma",
        "network.bn.beta",
        "network.bn.moving_mean",
        "network.bn.moving_variance",
    }
    renamed = {}
    for name, value in load_checkpoint(file).items():
        if name.startswith("moments."):
            continue
        renamed[name[8:] if name.startswith("network.") else name] = value
    net = older.Net()
    assert load_param_into_net(net, renamed) == ([], [])
    assert (net.fc1.weight.asnumpy() == 3).all()
    del renamed["fc2.bias"]
    assert load_param_into_net(older.Net(), renamed) == (["fc2.bias"], [])


def test_training_goes_on_from_states_of_the_optimizer(tmp_path):
    def step():
        net, network = older.with_loss()
        return net, nn.TrainOneStepCell(network, momentum(net))

    _, first = step()
    older.losses(first, 1)
    save_checkpoint(first, str(tmp_path / "step.ckpt"))
    states = load_checkpoint(str(tmp_path / "step.ckpt"))
    net, second = step()
    assert load_param_into_net(net, states)[0] == []
    assert load_param_into_net(second.optimizer, states)[0] == []
    assert older.losses(second, 1) == older.losses(first, 1)


# ---- parameters, cells, one process ----------------------------------------------------------------------


def test_parameters_of_initializers():
    weight = Parameter(default_input=initializer("ones", [2, 3], mstype.float32), name="w")
    assert weight.init_data().asnumpy().sum() == 6
    weight.set_data(initializer("zeros", weight.shape, weight.dtype))
    assert weight.asnumpy().sum() == 0
    drawn = Parameter(initializer(TruncatedNormal(0.02), (3,)), name="q", requires_grad=False)
    assert drawn.init_data().shape == (3,) and not drawn.requires_grad
    assert ParameterTuple((weight,)).clone(prefix="m", init="zeros")[0].name == "m.w"


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = []
        for i in range(2):
            layer = nn.Dense(3, 3, weight_init="ones", bias_init="zeros")
            self.insert_child_to_cell(f"layer_{i}", layer)
            self.layers.append(layer)
        self.insert_param_to_cell("extra", Parameter(Tensor(np.zeros(3, np.float32)), name="extra"))
        self.print, self.summary = P.Print(), P.ScalarSummary()

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        self.print("shape", x.shape)
        self.summary("mean", x.mean())
        return x + self.extra


def test_children_by_name_in_half_precision(capfd):
    cell = Layers()
    cell.set_train().set_grad()
    cell.to_float(mstype.float16)
    given = cell(Tensor(np.ones((2, 3), np.float32)))
    assert given.dtype == mstype.float16 and given.asnumpy().sum() == 54
    assert "shape" in capfd.readouterr().out
    cell.update_parameters_name("pre.")
    assert [p.name for p in cell.get_parameters()][:2] == ["pre.extra", "pre.layer_0.weight"]
    assert list(cell.name_cells()) == ["layer_0", "layer_1"]
    cell.update_cell_prefix()
    assert [child.param_prefix for child in cell.cells()] == ["layer_0", "layer_1"]


def test_one_process():
    init()
    assert (get_rank(), get_group_size()) == (0, 1)
    context.set_auto_parallel_context(device_num=get_group_size(), parameter_broadcast=True)
    assert context.get_auto_parallel_context("device_num") == 1
    assert ms.get_context("device_target") == "CPU"
