// SPDX-License-Identifier: Apache-2.0
// What operators of ONNX files have in common: axes, windows, parts of tensors.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "operator/stored_call.h"

namespace mycel::ops {

// Older versions have axes as an attribute, newer ones as an input; none: not given.
inline std::optional<op::IntList> onnx_axes(const op::StoredCall& call) {
  if (!call.has("axes")) return std::nullopt;
  return call.flat_integers("axes");
}

// Counted from the end when negative.
inline std::int64_t onnx_axis(const op::StoredCall& call, std::int64_t axis, std::int64_t rank) {
  call.require(-rank <= axis && axis < rank, platform::ErrorKind::Value, "the axis ", axis,
               " is not one of ", rank, " axes.");
  return axis < 0 ? axis + rank : axis;
}

inline op::Value numbers(const op::StoredCall& call, const op::IntList& values) {
  tensor::Tensor made =
      tensor::Tensor::empty({static_cast<std::int64_t>(values.size())}, op::DType::Int64);
  std::ranges::copy(values, made.data<std::int64_t>());
  return call.constant(std::move(made));
}

// Sums and the like: `run` gets the tensor, the axes, and whether they stay with length 1.
template <class Run>
op::StoredResult onnx_reduction(const op::StoredCall& call, const Run& run) {
  const op::Value x = call.tensor("data");
  op::IntList axes = onnx_axes(call).value_or(op::IntList());
  if (axes.empty() && call.has("axes") && call.flag("noop_with_empty_axes", false)) return x;
  if (x.rank() == 0) return run(call.reshape(x, {1}), op::IntList{0}, false);
  if (axes.empty()) {
    axes.resize(static_cast<std::size_t>(x.rank()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return run(x, axes, call.flag("keepdims", true));
}

// Kernel, strides, dilations and pads of an operator that moves over images.
struct OnnxWindow {
  op::IntList kernel, strides, dilations;
  op::IntList pads;  // all beginnings, then all ends

  // `lengths`: of the axes it moves along; `kernel_otherwise`: where the file does not tell.
  OnnxWindow(const op::StoredCall& call, const op::IntList& lengths, op::IntList kernel_otherwise,
             bool takes_mode = true)
      : kernel(given(call, "kernel_shape", std::move(kernel_otherwise))),
        strides(given(call, "strides", op::IntList(lengths.size(), 1))),
        dilations(given(call, "dilations", op::IntList(lengths.size(), 1))),
        pads(given(call, "pads", op::IntList(2 * lengths.size(), 0))) {
    const std::size_t rank = lengths.size();
    call.require(kernel.size() == rank && strides.size() == rank && dilations.size() == rank &&
                     pads.size() == 2 * rank,
                 platform::ErrorKind::Value, "its attributes do not fit ", rank, " axes.");
    require_moderate(call);
    const std::string mode = takes_mode ? call.text("auto_pad", "NOTSET") : "NOTSET";
    if (mode.starts_with("SAME_")) {
      pad_to_same(lengths, mode == "SAME_LOWER");
    } else if (mode != "NOTSET" && mode != "VALID" && !mode.empty()) {
      call.refuse("the padding '", mode, "'");
    }
  }

  std::size_t rank() const { return kernel.size(); }

  // Of the operators on images, for one or two of the axes; a missing one is a line. Beginning and
  // end of each axis in turn.
  op::IntList sides(std::size_t first, std::size_t count) const {
    op::IntList all(std::size_t{count < 2 ? 2U : 0U}, 0);
    for (std::size_t i = first; i < first + count; ++i) {
      all.push_back(pads[i]);
      all.push_back(pads[i + rank()]);
    }
    return all;
  }
  static op::IntList plane(const op::IntList& values, std::size_t first, std::size_t count) {
    op::IntList pair(std::size_t{count < 2 ? 1U : 0U}, 1);
    for (std::size_t i = first; i < first + count; ++i) pair.push_back(values[i]);
    return pair;
  }

 private:
  static op::IntList given(const op::StoredCall& call, std::string_view name,
                           op::IntList otherwise) {
    op::IntList values = call.has(name) ? call.integers(name) : op::IntList();
    return values.empty() ? std::move(otherwise) : values;
  }

  // So that products and sums of them fit.
  void require_moderate(const op::StoredCall& call) const {
    const auto require = [&](const op::IntList& values, std::int64_t least) {
      for (const std::int64_t value : values)
        call.require(value >= least && value < std::int64_t{1} << 31, platform::ErrorKind::Value,
                     "the number ", value, " among its attributes is out of range.");
    };
    require(kernel, 1);
    require(strides, 1);
    require(dilations, 1);
    require(pads, -(std::int64_t{1} << 31));
  }

  void pad_to_same(const op::IntList& lengths, bool is_lower) {
    for (std::size_t i = 0; i < rank(); ++i) {
      const std::int64_t count = (lengths[i] + strides[i] - 1) / strides[i];
      const std::int64_t reach = (count - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1;
      const std::int64_t total = std::max<std::int64_t>(reach - lengths[i], 0);
      pads[i] = is_lower ? total - total / 2 : total / 2;
      pads[i + rank()] = total - pads[i];
    }
  }
};

// Lengths of the axes after the rows and the channels.
inline op::IntList onnx_image(const op::StoredCall& call, const op::Value& x) {
  const tensor::Shape shape = x.shape();
  call.require(shape.size() > 2, platform::ErrorKind::Value,
               "a tensor with rows, channels and more axes is needed, but it has ", shape.size(),
               ".");
  return {shape.begin() + 2, shape.end()};
}

}  // namespace mycel::ops
