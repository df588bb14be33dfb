// SPDX-License-Identifier: Apache-2.0
// What rules for writing share that look along axes.
#pragma once

#include "operator/mindir_call.h"
#include "ops/reduce/searched.h"
#include "ops/shape/mindir_windows.h"

namespace mycel::ops {

// A reduction; nothing where there is no axis.
inline op::mindir::Symbol reduced(const op::mindir::Symbol& x, std::string_view primitive,
                                  const tensor::IntList& axes, bool keeps_axes = true) {
  if (axes.empty() || x.shape().empty()) return x;
  tensor::Shape shape;
  for (std::int64_t i = 0; i < x.rank(); ++i) {
    if (!holds(axes, i))
      shape.push_back(x.size(i));
    else if (keeps_axes)
      shape.push_back(1);
  }
  return x.add(primitive, {axes}, {.shape = shape}, {{"keep_dims", keeps_axes}});
}

// One that is an operator of its own.
inline op::mindir::Symbol reduction(const op::mindir::Call& call, std::string_view primitive,
                                    std::string_view axes = "axis",
                                    std::string_view keeps_axes = "keep_dims") {
  return reduced(call.typed(), primitive, call.axes(axes), call.flag(keeps_axes));
}

// Of the whole population.
inline op::mindir::Symbol squared_distance(const op::mindir::Symbol& x,
                                           const tensor::IntList& axes) {
  return (x - reduced(x, "ReduceMean", axes)).add("Square");
}

inline op::mindir::Symbol over_all(const op::mindir::Symbol& x, std::string_view primitive) {
  return reduced(x, primitive, counted(0, x.rank()), false);
}

// Position and value of an extreme; the primitive with both knows more types than that with one.
inline std::vector<op::mindir::Symbol> found_extreme(const op::mindir::Symbol& x,
                                                     std::string_view primitive, std::int64_t axis,
                                                     bool keeps_axis) {
  tensor::Shape shape;
  for (std::int64_t i = 0; i < x.rank(); ++i)
    if (i != axis || keeps_axis) shape.push_back(i == axis ? 1 : x.size(i));
  const std::vector<op::TensorSpec> types{{tensor::DType::Int32, shape}, {x.dtype(), shape}};
  const auto found = x.several(primitive, {}, types, {{"axis", axis}, {"keep_dims", keeps_axis}});
  return {found[0].cast(tensor::DType::Int32), found[1]};  // some releases count in int64
}

inline std::vector<op::mindir::Symbol> sorted(const op::mindir::Symbol& x, std::int64_t axis,
                                              bool descending) {
  const std::vector<op::TensorSpec> types{{x.dtype(), x.shape()},
                                          {tensor::DType::Int32, x.shape()}};
  return x.several("Sort", {}, types, {{"axis", axis}, {"descending", descending}});
}

}  // namespace mycel::ops
