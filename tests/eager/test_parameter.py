# SPDX-License-Identifier: Apache-2.0
"""Parameter and ParameterTuple."""

import copy
import pickle

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, ops
from mindspore.common.initializer import initializer


@pytest.mark.parametrize(
    "value, dtype",
    [
        (1, ms.int32),
        (1.5, ms.float32),
        ([1, 2], ms.int64),
        ([1.0], ms.float32),
        (np.zeros(2), ms.float64),
        (Tensor(True), ms.bool_),
        (Tensor([1], ms.int8), ms.int8),
    ],
)
def test_parameter_dtype(value, dtype):
    parameter = Parameter(value)
    assert parameter.dtype == dtype and isinstance(parameter, Tensor)


def test_parameter_refuses_other_values():
    with pytest.raises(ValueError, match="Parameter data can not be `bool`"):
        Parameter(True)
    with pytest.raises(TypeError, match="The type of the argument 'default_input' must be in"):
        Parameter((1, 2))
    with pytest.raises(ValueError, match="should be 'string' or 'None'"):
        Parameter(1.0, name=3)
    with pytest.raises(TypeError, match="The argument `requires_grad` must be bool type"):
        Parameter(1.0, requires_grad=1)


def test_parameter_text_and_name():
    parameter = Parameter(Tensor(np.ones((2, 2), np.float32)), name=" w ")
    assert repr(parameter) == "Parameter (name=w, shape=(2, 2), dtype=Float32, requires_grad=True)"
    assert str(parameter) == repr(parameter)
    assert Parameter(1.0).name == "Parameter"
    with pytest.raises(ValueError):
        parameter.name = "x" * 2000


def test_parameter_owns_its_data():
    source = Tensor([1.0, 2.0])
    parameter = Parameter(source)
    source[0] = 9.0
    assert parameter.asnumpy().tolist() == [1.0, 2.0]
    value = parameter.value()
    ops.assign(parameter, Tensor([5.0, 6.0]))
    assert value.asnumpy().tolist() == [1.0, 2.0]
    assert parameter.data is parameter
    assert type(parameter + 1) is Tensor


def test_parameter_from_initializer():
    parameter = Parameter(initializer("ones", (2, 3), ms.float16))
    assert parameter.shape == (2, 3) and parameter.dtype == ms.float16
    assert parameter.asnumpy().sum() == 6 and not parameter.has_init


def test_set_data():
    parameter = Parameter(Tensor([1.0, 2.0]))
    assert parameter.set_data(Tensor([3, 4], ms.int32)) is parameter
    assert parameter.dtype == ms.float32 and parameter.asnumpy().tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="Can not change the shape of Parameter"):
        parameter.set_data(Tensor([1.0]))
    with pytest.raises(TypeError, match="can not be converted to current dtype implicitly"):
        parameter.set_data(Tensor(np.zeros(2)))
    with pytest.raises(TypeError, match="Parameter data must be"):
        parameter.set_data([1.0, 2.0])
    assert parameter.set_data(Tensor([1.0]), slice_shape=True).shape == (1,)
    assert float(Parameter(1.0).set_data(3)) == 3.0


def test_assign_converts_within_the_parameters_type():
    parameter = Parameter(Tensor([1.0, 2.0]))
    ops.assign(parameter, Tensor([3, 4], ms.int32))
    assert parameter.asnumpy().tolist() == [3.0, 4.0]
    with pytest.raises(TypeError):
        ops.assign(parameter, Tensor(np.zeros(2)))
    with pytest.raises(ValueError):
        ops.assign(parameter, Tensor([1.0, 2.0, 3.0]))


def test_assign_value_takes_everything_over():
    parameter = Parameter(Tensor([1.0, 2.0]), name="w")
    assert parameter.assign_value(Tensor([1, 2, 3])) is parameter
    assert parameter.shape == (3,) and parameter.dtype == ms.int64 and parameter.name == "w"


def test_clone_and_copies():
    parameter = Parameter(Tensor([1.0, 2.0]), name="w", requires_grad=False)
    for other in (parameter.clone(), parameter.copy(), copy.deepcopy(parameter)):
        assert other.name == "w" and not other.requires_grad and isinstance(other, Parameter)
        other.set_data(Tensor([7.0, 8.0]))
        assert parameter.asnumpy().tolist() == [1.0, 2.0]
    assert parameter.clone("ones").asnumpy().tolist() == [1.0, 1.0]
    assert parameter.clone(3).asnumpy().tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match="the class corresponding to 'foo' was not found"):
        parameter.clone("foo")
    again = pickle.loads(pickle.dumps(parameter))
    assert again.name == "w" and again.asnumpy().tolist() == [1.0, 2.0]


def test_properties_are_checked():
    parameter = Parameter(1.0)
    with pytest.raises(TypeError):
        parameter.layerwise_parallel = 1
    with pytest.raises(ValueError):
        parameter.comm_fusion = -1
    parameter.comm_fusion = 3
    assert parameter.comm_fusion == 3


def test_an_assigned_description_is_copied_without_the_value():
    parameter = Parameter(Tensor([1.0, 2.0]), name="w", requires_grad=False)
    parameter.comm_fusion = 3
    state = Parameter(initializer("zeros", (2,), ms.float32))
    state.param_info = parameter.param_info.clone()
    assert (state.name, state.requires_grad, state.comm_fusion) == ("w", False, 3)
    assert state.asnumpy().tolist() == [0.0, 0.0]
    state.name = "moment." + state.name
    state.param_info.requires_grad = True
    state.add_pipeline_stage(1)
    assert parameter.name == "w" and not parameter.requires_grad and parameter._pipeline_stages == []
    with pytest.raises(TypeError, match="param_info"):
        state.param_info = "w"


def test_parameter_tuple():
    a, b = Parameter(1.0, name="a"), Parameter(2.0, name="b")
    both = ParameterTuple([a, b, a])
    assert isinstance(both, tuple) and len(both) == 3
    copies = ParameterTuple([a, b]).clone("m", init="zeros")
    assert [p.name for p in copies] == ["m.a", "m.b"] and float(copies[1]) == 0.0
    with pytest.raises(ValueError, match="already exists"):
        ParameterTuple([a, Parameter(3.0, name="a")])
    with pytest.raises(TypeError, match="ParameterTuple input should be 'Parameter' collection"):
        ParameterTuple([Tensor(1.0)])
    with pytest.raises(ValueError):
        both.clone("")


def test_copies_of_cached_parameters_have_keys_of_their_own():
    from mindspore.common.parameter import _get_unique_parameter_key

    before = _get_unique_parameter_key()
    table = Parameter(Tensor([1.0]), name="table")
    assert table.clone().key == -1
    table.cache_enable = True
    assert [table.clone().key, table.clone().key] == [before + 1, before + 2]


def test_the_names_of_the_limits_of_names():
    from mindspore.common.parameter import PARAMETER_NAME_DEFAULT, PARAMETER_NAME_PREFIX_MAX_LEN

    assert Parameter(Tensor([1.0])).name == PARAMETER_NAME_DEFAULT == "Parameter"
    assert PARAMETER_NAME_PREFIX_MAX_LEN == 1024


def test_names_of_the_initial_value_point_to_set_data():
    parameter = Parameter(Tensor([1.0]), name="w")
    with pytest.raises(AttributeError, match=r"'default_input'.*set_data"):
        parameter.default_input = Tensor([2.0])
    with pytest.raises(AttributeError, match=r"'default_input'.*set_data"):
        _ = parameter.default_input
    with pytest.raises(AttributeError, match=r"'set_parameter_data'.*set_data"):
        parameter.set_parameter_data(Tensor([2.0]))
    assert not hasattr(parameter, "default_input") and parameter.tolist() == [1.0]


def test_marks_of_other_kinds_of_training():
    parameter = Parameter(Tensor([1.0]), name="w")
    for name in ("is_param_ps", "init_in_server", "push_weight_to_server", "pull_weight_from_server"):
        assert getattr(parameter, name) is False
    assert parameter.requires_aggr is True and parameter.init_mode is None and parameter.slice_num == 1
    parameter.cache_shape = [1]
    with pytest.raises(TypeError, match="`cache_shape` must be tuple or list type, but got <class 'int'>"):
        parameter.cache_shape = 3
    with pytest.raises(TypeError, match="`parallel_optimizer_comm_recompute` must be bool"):
        parameter.parallel_optimizer_comm_recompute = 1
