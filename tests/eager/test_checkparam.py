# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments."""

import pytest

import mindspore as ms
from mindspore import _checkparam as validator


@pytest.mark.parametrize(
    ("check", "good", "bad", "error"),
    [
        (validator.check_positive_int, 3, 0, ValueError),
        (validator.check_positive_int, 3, True, TypeError),
        (validator.check_non_negative_int, 0, -1, ValueError),
        (validator.check_positive_float, 0.5, 0.0, ValueError),
        (validator.check_is_float, 0.5, 1, TypeError),
        (validator.check_is_float, 0.5, float("nan"), ValueError),
        (validator.check_bool, True, 1, TypeError),
    ],
)
def test_single_values(check, good, bad, error):
    assert check(good, "size", "Layer") == good
    with pytest.raises(error, match="For 'Layer', the (type of )?'size'"):
        check(bad, "size", "Layer")


def test_ranges_relations_and_choices():
    assert validator.check_int_range(3, 1, 3, validator.INC_BOTH, "n") == 3
    with pytest.raises(ValueError, match=r"\[1, 3\)"):
        validator.check_int_range(3, 1, 3, validator.INC_LEFT, "n")
    assert validator.check_float_range(0.5, 0.0, 1.0, validator.INC_NEITHER, "p") == 0.5
    with pytest.raises(ValueError, match=">= 4"):
        validator.check_int(3, 4, validator.GE, "n")
    assert validator.check_string("same", ["same", "valid"], "mode") == "same"
    with pytest.raises(ValueError, match="must be in"):
        validator.check_string("all", ["same", "valid"], "mode")
    with pytest.raises(ValueError, match="other"):
        validator.check("rank", 2, "other", 3)


def test_types():
    assert validator.check_value_type("x", 3, (int, float), "Layer") == 3
    with pytest.raises(TypeError, match="bool"):
        validator.check_value_type("x", True, [int], "Layer")
    assert validator.check_type_name("x", ms.int32, (ms.int32, ms.int64), "Layer") == ms.int32
    with pytest.raises(TypeError, match="Int32"):
        validator.check_type_name("x", ms.float32, (ms.int32,), "Layer")
    with pytest.raises(TypeError, match="Int32, but got Float32"):
        validator.check_subclass("x", ms.float32, (ms.int32,), "Layer")
