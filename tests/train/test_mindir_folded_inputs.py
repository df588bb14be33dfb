# SPDX-License-Identifier: Apache-2.0
"""Exported networks whose inputs were partly numbers: these are in the graph, and may be given again."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn

X = np.arange(4, dtype=np.float32)


class _Scaled(nn.Cell):
    def construct(self, x, factor, offsets=(0,), doubled=False):
        y = x * factor + offsets[0]
        return y + y if doubled else y


def _loaded(path, *inputs, **options):
    ms.export(_Scaled(), *inputs, file_name=str(path / "net"), file_format="MINDIR", **options)
    return nn.GraphCell(ms.load(str(path / "net.mindir")))


@pytest.mark.parametrize("folded", [(3,), (2.5, (1,)), (3, [1, 2], True), (3, (0,), False)])
def test_numbers_may_be_given_again(tmp_path, folded):
    x = Tensor(X)
    net = _loaded(tmp_path, x, *folded)
    expected = _Scaled()(x, *folded).asnumpy()
    assert np.array_equal(net(x, *folded).asnumpy(), expected)
    assert np.array_equal(net(x).asnumpy(), expected)
    assert np.array_equal(net(x, folded[0]).asnumpy(), expected)


@pytest.mark.parametrize("other", [(4,), ("3",), (True,), (3.0,), (3, 7), (np.ones(2),), (Tensor(3),)])
def test_another_number_is_refused(tmp_path, other):
    net = _loaded(tmp_path, Tensor(X), 3, (0,))
    with pytest.raises(ValueError, match="is part of it"):
        net(Tensor(X), *other)


def test_numbers_that_are_like_no_other(tmp_path):
    net = _loaded(tmp_path, Tensor(X), float("nan"), (0,), 1j)
    assert np.isnan(net(Tensor(X), float("nan")).asnumpy()).all()
    with pytest.raises(ValueError, match="of a kind that a file does not hold"):
        net(Tensor(X), float("nan"), (0,), 1j)


def test_too_many_inputs_are_refused(tmp_path):
    net = _loaded(tmp_path, Tensor(X), 3)
    with pytest.raises(RuntimeError, match="takes 1 inputs"):
        net(Tensor(X), 3, Tensor(X))


def test_a_damaged_entry_is_named(tmp_path):
    def damage(model):
        model.user_info["folded_inputs"] = "[1, 2"

    net = _loaded(tmp_path, Tensor(X), 3, custom_func=damage)
    assert net(Tensor(X)).asnumpy().tolist() == [0, 3, 6, 9]
    with pytest.raises(ValueError, match="damaged"):
        net(Tensor(X), 3)
