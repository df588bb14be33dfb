// SPDX-License-Identifier: Apache-2.0
// Basic indexing as one strided window: what x[1, ::2, None, ..., -1] means, and every slicing
// operator with it.
#pragma once

#include "operator/define.h"

namespace mycel::ops {

// Per input axis: first position, number of positions and distance between them. `axes` names the
// input axis behind each result axis, -1 for a new axis of length one. Input axes that are not
// named have length one and disappear.
struct Window {
  IntList begin, length, step, axes;
};

// All of a tensor of this shape; the start for operators that narrow some axes.
Window whole_window(const Shape& shape);

Shape window_shape(const Window& window);

// Elements of `base` seen through the window; the caller has checked the bounds.
ViewSpec window_view(const Tensor& base, const Window& window);
Tensor window_of(const Tensor& base, const Window& window);

Window read_window(const AttributeReader& op);

// Gradient of reading through the window: zeros with `gradient` written into it.
Value spread_window(Emitter& emitter, const Value& gradient, const Window& window,
                    const Shape& shape);

// The operator index_view applied to a value, for operators that only describe a window.
Value call_window(Emitter& emitter, const Value& input, const Window& window);

}  // namespace mycel::ops
