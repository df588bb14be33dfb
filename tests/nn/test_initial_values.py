# SPDX-License-Identifier: Apache-2.0
"""Initial values: NumPy's generator is their seed, and the same seed gives MindSpore's weights."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import nn
from mindspore.common import initializer as init
from mindspore.common.initializer import initializer
from mindspore.common.seed import _get_graph_seed


def _draw(kind, shape=(3, 5), dtype=ms.float32):
    return initializer(kind, shape, dtype).init_data()


# What MindSpore 2.7.0 draws after np.random.seed(5): the first six of (3, 5), then np.random.randint(1000).
_VALUES = [
    (
        init.Uniform(0.5),
        [-0.148093566, 0.443933815, 0.196839109, -0.387516648, 0.379655182, -0.130172864],
        701,
    ),
    (
        init.Normal(1.0, 0.5),
        [-0.00996587239, 2.29258776, -0.0891620219, 0.118357278, -0.324300706, 1.61245954],
        701,
    ),
    ("he_uniform", [-0.324456751, 0.972610295, 0.431252897, -0.849006414, 0.831782877, -0.285194457], 701),
    ("he_normal", [-0.322530746, 1.13373208, -0.372618765, -0.241372049, -0.521333516, 0.703581154], 701),
    ("xavier_uniform", [-0.256505579, 0.768915892, 0.34093532, -0.671198487, 0.657582104, -0.225466013], 701),
    ("xavier_normal", [-0.254982948, 0.896293879, -0.294580996, -0.190821365, -0.412150353, 0.55622977], 701),
    (
        init.TruncatedNormal(1.0, 0.0, -0.5, 1.0),
        [-0.0099368738, 0.883334756, 0.46719116, -0.335909694, 0.762852013, 0.0139977224],
        701,
    ),
    (
        init.TruncatedNormal(),
        [-0.00380178541, 0.0158868115, 0.00515330909, -0.0121342661, 0.0117326481, -0.00332311215],
        701,
    ),
    (
        init.Orthogonal(),
        [-0.236601189, 0.83167994, -0.273344606, -0.17706503, -0.382438362, 0.411720186],
        701,
    ),
    (init.Sparse(0.5, 1.0), [0.0, 0.0, 0.0, -0.381642729, 0.0, 1.11245954], 624),
    (
        init.VarianceScaling(distribution="untruncated_normal"),
        [-0.228063673, 0.801669598, -0.263481259, -0.170675814, -0.368638486, 0.497507006],
        701,
    ),
]


@pytest.mark.parametrize("kind, values, after", _VALUES, ids=lambda value: str(value)[:24])
def test_values_and_the_state_of_numpy_after_them(kind, values, after):
    np.random.seed(5)
    drawn = _draw(kind).asnumpy().reshape(-1)[:6]
    assert np.random.randint(1000) == after
    np.testing.assert_allclose(drawn, values, rtol=3e-7)


def test_a_large_tensor_and_a_small_type():
    np.random.seed(5)
    drawn = _draw("normal", (100, 333)).asnumpy().reshape(-1)[[0, 1, 1023, 1024, 1025, 20001, 33299]]
    expected = [-0.005099658388644457, 0.01792587712407112, 0.000653489027172327, 0.008966897614300251]
    expected += [0.008214080706238747, 0.01793583109974861, 0.01090551819652319]
    np.testing.assert_array_equal(drawn, np.float32(expected))
    np.random.seed(5)
    half = _draw("normal", (4,), ms.float16).asnumpy()
    assert half.tolist() == [
        -0.005100250244140625,
        0.0179290771484375,
        -0.005889892578125,
        -0.0038166046142578125,
    ]


def _draws(make, seed) -> int | None:
    """How many seeds `make` took from NumPy's generator."""
    seed(7)
    make()
    after = np.random.random()
    for count in range(24):
        seed(7)
        for _ in range(count):
            np.random.randint(low=1, high=1 << 63, dtype=np.int64)
        if np.random.random() == after:
            return count
    return None


@pytest.mark.parametrize("seed", [np.random.seed, ms.set_seed], ids=["numpy", "set_seed"])
@pytest.mark.parametrize(
    "count, make",
    [
        (0, lambda: _draw("zeros")),
        (0, lambda: initializer("normal", (3, 4))),
        (0, lambda: _draw(3)),
        (1, lambda: ms.Parameter(initializer("normal", (3, 4)))),
        (2, lambda: nn.Dense(3, 4)),
        (1, lambda: nn.Conv2d(3, 4, 3)),
        (2, lambda: nn.Conv2d(3, 4, 3, has_bias=True)),
        (1, lambda: nn.Embedding(3, 4)),
        (0, lambda: nn.BatchNorm2d(3)),
        (3, lambda: nn.MultiheadAttention(4, 2)),
        (7, lambda: nn.TransformerEncoderLayer(4, 2)),
        (10, lambda: nn.TransformerDecoderLayer(4, 2)),
        (14, lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 3)),
        (20, lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2), 3)),
        (1, lambda: ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="a").clone("normal")),
        (3, lambda: nn.Dense(3, 4).weight.set_data(initializer("normal", (4, 3)))),
    ],
)
def test_layers_draw_one_seed_for_each_random_parameter(count, make, seed):
    assert _draws(make, seed) == count


def test_fans_and_gains():
    assert init._calculate_fan_in_and_fan_out((3, 4, 5, 6)) == (120, 90)
    assert init._calculate_correct_fan((3, 4), "FAN_OUT") == 3
    gains = [init._calculate_gain(name) for name in ("linear", "tanh", "relu", "leaky_relu")]
    np.testing.assert_allclose(gains, [1, 5 / 3, 2**0.5, (2 / 1.0001) ** 0.5])
    assert init._calculate_gain("leaky_relu", 1) == 1
    for call in (
        lambda: init._calculate_fan_in_and_fan_out((3,)),
        lambda: init._calculate_correct_fan((3, 4), "fan_avg"),
        lambda: init._calculate_gain("swish"),
        lambda: init._calculate_gain("leaky_relu", True),
    ):
        with pytest.raises(ValueError):
            call()


def test_what_initializers_of_scripts_use():
    array = np.zeros((2, 3), np.float32)
    assert init._assignment(array, 2) is array and (array == 2).all()
    assert init._assignment(np.zeros((), np.float32), 3) == 3
    assert init._assignment(np.float32(1), 3).dtype == np.float32
    assert init._INITIALIZER_ALIAS["xavier_uniform"] is init.XavierUniform
    np.random.seed(5)
    first = init._init_random_normal(0.5, 1.0, (2, 3))
    np.testing.assert_allclose(first[0, :2], [-0.00996587239, 2.29258776], rtol=3e-7)
    with pytest.raises(ValueError, match="sigma < 0"):
        init._init_random_normal(0, -1, (2,))


def test_seeds_of_operators():
    ms.set_seed(3)
    try:
        assert [_get_graph_seed(0, "Dropout"), _get_graph_seed(0, "Dropout")] == [(3, 0), (3, 533697028)]
        assert _get_graph_seed(5, "Dropout") == (3, 5)
        ms.set_seed(3)
        assert _get_graph_seed(0, "Dropout") == (3, 0)
        assert init.Normal().seed == (3, 3)
    finally:
        np.random.seed(None)
    chosen = init.Normal()
    chosen.seed = 4
    assert chosen.seed == (5, 0)


def test_recurrent_layers_draw_their_weights_from_numpy():
    np.random.seed(3)
    lstm = nn.LSTM(2, 3, num_layers=2, bidirectional=True)
    np.random.seed(3)
    expected = [np.random.uniform(-(3**-0.5), 3**-0.5, shape) for shape in ((12, 2), (12, 3), 12, 12)]
    given = [lstm.w_ih_list[0], lstm.w_hh_list[0], lstm.b_ih_list[0], lstm.b_hh_list[0]]
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.astype(np.float32))
    reverse = np.random.uniform(-(3**-0.5), 3**-0.5, (12, 2))
    np.testing.assert_array_equal(lstm.w_ih_list[1].asnumpy(), reverse.astype(np.float32))


@pytest.mark.parametrize(
    ("cell_class", "first", "next_drawn"),
    [
        (nn.RNNCell, [-0.19647737, 0.49239111, -0.13198113, 0.06937776], 0.38797125755564876),
        (nn.LSTMCell, [0.13775942, -0.00847701, -0.47476119, 0.20246558], 0.08979086952306481),
        (nn.GRUCell, [0.34009755, 0.48289075, 0.26734635, 0.18627532], 0.15186099700854105),
    ],
)
def test_single_steps_draw_as_mindspore_does(cell_class, first, next_drawn):
    np.random.seed(3)
    cell = cell_class(2, 3)
    drawn = [parameter.asnumpy().ravel()[0] for parameter in cell.get_parameters()]
    np.testing.assert_allclose(drawn, first, atol=3e-7)
    assert np.random.rand() == next_drawn
