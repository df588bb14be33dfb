# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, for layers and primitives that scripts write themselves."""

import sys as _sys

from mindspore._argument_checks.calls import (  # noqa: F401
    args_type_check,
    check_input_data,
    check_input_dataset,
    check_output_data,
    is_stub_tensor,
)
from mindspore._argument_checks.numbers import (  # noqa: F401
    EQ,
    GE,
    GT,
    IN,
    INC_BOTH,
    INC_LEFT,
    INC_NEITHER,
    INC_RIGHT,
    LE,
    LT,
    NE,
    NOT_IN,
    Rel,
    _check_number,
    check,
    check_bool,
    check_equal_int,
    check_float,
    check_float_range,
    check_int,
    check_int_range,
    check_is_float,
    check_is_int,
    check_is_number,
    check_negative_float,
    check_negative_int,
    check_non_negative_float,
    check_non_negative_int,
    check_non_negative_int_sequence,
    check_non_positive_float,
    check_non_positive_int,
    check_number,
    check_number_range,
    check_positive_float,
    check_positive_float_sequence,
    check_positive_int,
    check_positive_int_sequence,
)
from mindspore._argument_checks.shapes import (  # noqa: F401
    _check_3d_int_or_tuple,
    _check_dup,
    check_and_canonicalize_axes,
    check_axis_in_range,
    check_axis_type,
    check_axis_valid,
    check_reduce_shape,
    expanded_shape,
    infer_out_shape,
    max_,
    min_,
    once,
    triple,
    tuple_slice,
    twice,
)
from mindspore._argument_checks.texts import (  # noqa: F401
    check_file_name_by_regular,
    check_input_format,
    check_pad_value_by_mode,
    check_str_and_none_by_regular,
    check_str_by_regular,
    check_string,
)
from mindspore._argument_checks.types import (  # noqa: F401
    check_element_type_of_dict,
    check_element_type_of_iterable,
    check_isinstance,
    check_scalar_or_tensor_types_same,
    check_size_and_element_type_of_tuple,
    check_subclass,
    check_tensor_dtype_valid,
    check_tensors_dtypes_same_and_valid,
    check_type_name,
    check_type_support,
    check_types_same_and_valid,
    check_valid_input,
    check_value_type,
)

# Scripts of 1.x know the checks as methods of a class of this name.
Validator = _sys.modules[__name__]
