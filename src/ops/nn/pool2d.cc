// SPDX-License-Identifier: Apache-2.0
// Maximum and mean over windows of (N, C, H, W), and what their gradients need.
#include <algorithm>
#include <limits>

#include "backend/cpu/half_tensor.h"
#include "backend/cpu/loops/pool_loops.h"
#include "operator/blocking.h"
#include "operator/define.h"
#include "operator/onnx_call.h"
#include "ops/index/mindir_places.h"
#include "ops/nn/onnx_pads.h"
#include "ops/nn/pool_window.h"
#include "ops/nn/sliding_window.h"
#include "ops/reduce/mindir_reductions.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

void require_planes(const InferContext& op) {
  op.require(op.input(0).rank() == 4, ErrorKind::Value,
             "the dimension of the input must be 4, but got ", op.input(0).rank(), ".");
}

Pair plane_of(const Shape& shape) { return {shape[2], shape[3]}; }

// float for everything but float64
template <class Body>
void with_wide_type(DType dtype, const Body& body) {
  if (dtype == DType::Float64) {
    body.template operator()<double>();
  } else {
    body.template operator()<float>();
  }
}

void require_index_range(const InferContext& op, const Pair& size) {
  op.require(size[0] == 0 || size[1] <= ((std::int64_t{1} << 31) - 1) / size[0], ErrorKind::Value,
             "a plane must have fewer than 2^31 cells, but got (", size[0], ", ", size[1], ").");
}

bool all_inside(const std::int32_t* cells, std::int64_t count, std::int64_t limit) {
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, static_cast<std::uint32_t>(cells[i]));  // negative ones become huge
  }
  return count == 0 || largest < limit;
}

NamedAttribute passed_on(GradientContext& op, std::string_view name) {
  return {name, op.attribute(name)};
}

void average_rule(GradientContext& op) {
  const Shape& shape = op.input_shape(0);
  op.set_input_gradient(0, op.call("avg_pool2d_gradient", {op.output_gradient(0)},
                                   {{"input_size", IntList{shape[2], shape[3]}},
                                    passed_on(op, "kernel_size"),
                                    passed_on(op, "stride"),
                                    passed_on(op, "pad"),
                                    passed_on(op, "ceil_mode"),
                                    passed_on(op, "count_include_pad"),
                                    passed_on(op, "divisor_override")}));
}

// Positions lie beside their values.
bool plan_blocked_maxima(BlockPlan& plan) {
  if (!block_first(plan)) return false;
  plan.results = {0, 1};
  return true;
}

bool plan_scattering_blocks(BlockPlan& plan) {
  plan.operands = {0, 1};
  plan.results = {0};
  return plan.input(0).dtype == DType::Float32;
}

}  // namespace

MYCEL_OP(max_pool2d)
    .doc("Largest value of every window of a plane, and where in the plane it stands.")
    .input("input", "(N, C, H, W).", kFloating)
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .output("output", "(N, C, H', W').")
    .output("indices", "Position in the plane, row by row; int32.")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& x = op.input(0).shape;
      require_index_range(op, plane_of(x));
      const backend::PoolWindow w = pool_window_of(op, plane_of(x));
      op.require(w.pad_top < w.dilation_height * (w.kernel_height - 1) + 1 &&
                     w.pad_left < w.dilation_width * (w.kernel_width - 1) + 1,
                 ErrorKind::Value, "'pad' must be smaller than the window, but got ",
                 op.ints("pad"), ".");
      const Shape shape{x[0], x[1], w.out_height, w.out_width};
      op.set_output(0, op.input(0).dtype, shape);
      op.set_output(1, DType::Int32, shape);
    })
    .gradient([](GradientContext& op) {
      const Shape& shape = op.input_shape(0);
      op.set_input_gradient(0, op.call("plane_scatter", {op.output_gradient(0), op.output(1)},
                                       {{"size", IntList{shape[2], shape[3]}}}));
    })
    .keeps({"indices"})
    .traits({.plan_blocks = plan_blocked_maxima})
    .sample("plain", {normal({2, 3, 5, 6})}, {{"kernel_size", IntList{2, 2}}})
    .sample("stride and pad", {normal({1, 2, 7, 6})},
            {{"kernel_size", IntList{3, 3}},
             {"stride", IntList{2, 2}},
             {"pad", IntList{1, 1, 1, 1}}})
    .sample("dilation, ceiling", {normal({1, 2, 8, 7})},
            {{"kernel_size", IntList{2, 3}},
             {"stride", IntList{3, 2}},
             {"dilation", IntList{2, 1}},
             {"ceil_mode", true}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(max_pool2d) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  if (y.size() == 0) return;
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(x.shape()));
  const std::int64_t in = w.height * w.width, out = w.out_height * w.out_width;
  with_wide_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(y.size() / out, in * 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        backend::pool_loops<T>().max(w, x.data<T>() + p * in, y.data<T>() + p * out,
                                     kernel.output(1).data<std::int32_t>() + p * out);
      }
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(plane_scatter)
    .doc("Adds every value to the cell of its plane that its index names.")
    .input("input", "(N, C, H', W').", kFloating)
    .input("indices", "Cells of a plane.", DTypeSet{DType::Int32})
    .attribute("size", "Height and width of a plane.", required(AttributeType::Ints))
    .output("output", "(N, C, H, W).")
    .infer([](InferContext& op) {
      require_planes(op);
      op.require(op.input(0).shape == op.input(1).shape, ErrorKind::Value,
                 "'input' and 'indices' must have the same shape, but got ", op.input(0).shape,
                 " and ", op.input(1).shape, ".");
      const Pair size = pair_of(op, "size");
      op.require(size[0] >= 0 && size[1] >= 0, ErrorKind::Value,
                 "'size' must not be negative, but got ", to_string(op.ints("size")), ".");
      require_index_range(op, size);
      op.set_output(0, op.input(0).dtype,
                    {op.input(0).shape[0], op.input(0).shape[1], size[0], size[1]});
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("plane_gather", {op.output_gradient(0), op.input(1)}));
    })
    .keeps({"indices"})
    .traits({.plan_blocks = plan_scattering_blocks})
    .sample("plain", {normal({1, 2, 2, 2}), integers({1, 2, 2, 2}, 0, 12, DType::Int32)},
            {{"size", IntList{3, 4}}});

MYCEL_CPU_KERNEL(plane_scatter) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor indices = kernel.dense(1);
  const Tensor y = backend::wide_like(kernel.output(0));
  const std::int64_t from = x.shape()[2] * x.shape()[3], to = y.shape()[2] * y.shape()[3];
  const std::int64_t planes = x.shape()[0] * x.shape()[1];
  with_wide_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(planes, from * 2 + to, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const std::int32_t* cells = indices.data<std::int32_t>() + p * from;
        kernel.require(all_inside(cells, from, to), ErrorKind::Index, "every index must be in [0, ",
                       to, ").");
        const T* values = x.data<T>() + p * from;
        T* plane = y.data<T>() + p * to;
        std::fill_n(plane, to, T(0));
        for (std::int64_t i = 0; i < from; ++i) plane[cells[i]] += values[i];
      }
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(plane_gather)
    .doc("The value of every cell that the indices name, plane by plane.")
    .input("input", "(N, C, H, W).", kFloating)
    .input("indices", "(N, C, H', W'), cells of a plane.", DTypeSet{DType::Int32})
    .output("output", "Shape of `indices`.")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& x = op.input(0).shape;
      const Shape& i = op.input(1).shape;
      op.require(i.size() == 4 && i[0] == x[0] && i[1] == x[1], ErrorKind::Value,
                 "'indices' must have four axes and the first two of 'input', but got ", i, " and ",
                 x, ".");
      op.set_output(0, op.input(0).dtype, i);
    })
    .gradient([](GradientContext& op) {
      const Shape& shape = op.input_shape(0);
      op.set_input_gradient(0, op.call("plane_scatter", {op.output_gradient(0), op.input(1)},
                                       {{"size", IntList{shape[2], shape[3]}}}));
    })
    .keeps({"indices"})
    .sample("plain", {normal({1, 2, 3, 4}), integers({1, 2, 2, 2}, 0, 12, DType::Int32)});

MYCEL_CPU_KERNEL(plane_gather) {
  const Tensor x = kernel.dense(0);
  const Tensor indices = kernel.dense(1);
  const Tensor& y = kernel.output(0);
  const std::int64_t from = x.shape()[2] * x.shape()[3], to = y.shape()[2] * y.shape()[3];
  with_bits_type(x.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < y.size(); ++i) {
      const std::int32_t cell = indices.data<std::int32_t>()[i];
      kernel.require(cell >= 0 && cell < from, ErrorKind::Index, "an index must be in [0, ", from,
                     "), but got ", cell, ".");
      y.data<T>()[i] = x.data<T>()[i / to * from + cell];
    }
  });
}

MYCEL_OP(avg_pool2d)
    .doc("Mean of every window of a plane.")
    .input("input", "(N, C, H, W).", kFloating)
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", false)
    .attribute("divisor_override", "Divisor; 0: the number of cells.", 0)
    .output("output", "(N, C, H', W').")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& x = op.input(0).shape;
      const backend::PoolWindow w = pool_window_of(op, plane_of(x));
      op.set_output(0, op.input(0).dtype, {x[0], x[1], w.out_height, w.out_width});
    })
    .gradient(average_rule)
    .traits({.plan_blocks = block_first})
    .sample("plain", {normal({2, 3, 5, 6})}, {{"kernel_size", IntList{2, 2}}})
    .sample("padding counts", {normal({1, 2, 7, 6})},
            {{"kernel_size", IntList{3, 3}},
             {"stride", IntList{2, 2}},
             {"pad", IntList{1, 1, 1, 1}},
             {"count_include_pad", true},
             {"ceil_mode", true}})
    .sample("padding does not count", {normal({1, 2, 7, 6})},
            {{"kernel_size", IntList{3, 3}},
             {"stride", IntList{2, 3}},
             {"pad", IntList{0, 1, 1, 1}}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(avg_pool2d) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  if (y.size() == 0) return;
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(x.shape()));
  const std::int64_t in = w.height * w.width, out = w.out_height * w.out_width;
  with_wide_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(y.size() / out, in * 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        backend::pool_loops<T>().average(w, x.data<T>() + p * in, y.data<T>() + p * out);
      }
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(avg_pool2d_gradient)
    .doc("Adjoint of avg_pool2d: spreads every value over its window.")
    .input("output_gradient", "(N, C, H', W').", kFloating)
    .attribute("input_size", "Height and width of a plane.", required(AttributeType::Ints))
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", false)
    .attribute("divisor_override", "Divisor; 0: the number of cells.", 0)
    .output("input_gradient", "(N, C, H, W).")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& dy = op.input(0).shape;
      const Pair size = positive_pair_of(op, "input_size");
      const backend::PoolWindow w = pool_window_of(op, size);
      op.require(w.out_height == dy[2] && w.out_width == dy[3], ErrorKind::Value,
                 "the output gradient must have planes of (", w.out_height, ", ", w.out_width,
                 "), but got ", dy, ".");
      op.set_output(0, op.input(0).dtype, {dy[0], dy[1], size[0], size[1]});
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("avg_pool2d", {op.output_gradient(0)},
                     {passed_on(op, "kernel_size"), passed_on(op, "stride"), passed_on(op, "pad"),
                      passed_on(op, "ceil_mode"), passed_on(op, "count_include_pad"),
                      passed_on(op, "divisor_override")}));
    })
    .traits({.plan_blocks = block_first})
    .sample("stride", {normal({1, 2, 3, 2})},
            {{"input_size", IntList{6, 5}},
             {"kernel_size", IntList{2, 2}},
             {"stride", IntList{2, 2}}});

MYCEL_CPU_KERNEL(avg_pool2d_gradient) {
  const Tensor dy = backend::widened(kernel.input(0));
  const Tensor dx = backend::wide_like(kernel.output(0));
  if (dx.size() == 0) return;
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(dx.shape()));
  const std::int64_t in = w.height * w.width, out = w.out_height * w.out_width;
  with_wide_type(dy.dtype(), [&]<class T>() {
    platform::parallel_for(dx.size() / in, in * 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        backend::pool_loops<T>().average_gradient(w, dy.data<T>() + p * out, dx.data<T>() + p * in);
      }
    });
  });
  backend::narrow_into(dx, kernel.output(0));
}

// Padding so that windows end where the input does.
static Rims rims_of(const mindir::Call& call) {
  const auto planes = static_cast<std::size_t>(call.rank_of() - 2);
  Rims rims(planes);
  const bool has_gaps = call.definition().find_attribute("dilation") >= 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t before = call.ints("pad")[2 * i];
    const std::int64_t gap = has_gaps ? call.ints("dilation")[i] : 1;
    const std::int64_t end = (call.shape()[planes + i] - 1) * call.ints("stride")[i] +
                             (call.ints("kernel_size")[i] - 1) * gap + 1;
    rims.emplace_back(before,
                      std::max<std::int64_t>(end - before - call.shape_of()[planes + i], 0));
  }
  return rims;
}

// What padding may not win against.
static double lowest(DType dtype) {
  switch (dtype) {
    case DType::Float16: return -65504;
    case DType::BFloat16: return -0x1.FEp127;
    case DType::Float32: return -std::numeric_limits<float>::max();
    case DType::Float64: return -std::numeric_limits<double>::max();
    default: return -std::numeric_limits<double>::infinity();
  }
}

// (windows, elements of one): positions in the plane; -1 for those outside of it.
static mindir::Table window_places(const mindir::Call& call) {
  const std::int64_t height = call.shape_of()[call.shape_of().size() - 2];
  const std::int64_t width = call.shape_of().back();
  const std::int64_t lines = call.shape()[call.shape().size() - 2];
  const std::int64_t columns = call.shape().back();
  const IntList size = call.ints("kernel_size");
  const IntList step = call.ints("stride");
  const IntList gap = call.ints("dilation");
  const IntList pad = call.ints("pad");
  mindir::Table places{{lines * columns, size[0] * size[1]}, {}};
  for (std::int64_t number = 0; number < lines * columns * size[0] * size[1]; ++number) {
    const std::int64_t cell = number % (size[0] * size[1]);
    const std::int64_t window = number / (size[0] * size[1]);
    const std::int64_t y = window / columns * step[0] - pad[0] + cell / size[1] * gap[0];
    const std::int64_t x = window % columns * step[1] - pad[2] + cell % size[1] * gap[1];
    const bool is_inside = y >= 0 && y < height && x >= 0 && x < width;
    places.values.push_back(is_inside ? static_cast<double>(y * width + x) : -1);
  }
  return places;
}

// Windows laid out one after the other, where the place is asked for or windows have gaps.
static std::vector<mindir::Symbol> max_by_place(const mindir::Call& call, const mindir::Symbol& x) {
  mindir::Table places = window_places(call);
  mindir::Table inside{places.shape, {}};
  for (double& place : places.values) {
    inside.values.push_back(place >= 0 ? 1 : 0);
    place = std::max(place, 0.0);
  }
  const std::int64_t rank = x.rank();
  const auto flat =
      x.reshape(joint({cut(x.shape(), 0, rank - 2), {x.size(rank - 2) * x.size(rank - 1)}}));
  auto spread = flat.take(places, rank - 2);
  if (std::count(inside.values.begin(), inside.values.end(), 0.0) > 0)
    spread = spread.table(inside, DType::Bool).where(spread, lowest(x.dtype()));
  const auto found = found_extreme(spread, "ArgMaxWithValue", spread.rank() - 1, false);
  const std::int64_t size = places.shape[1];
  const auto starts =
      mindir::Table::of(places.shape[0], [&](std::int64_t window) { return window * size; });
  const std::int64_t count = places.shape[0] * size;
  const auto table = found[0].table(std::move(places).shaped({count}));
  const auto at = found[0] + found[0].table({{1, 1, starts.shape[0]}, starts.values});
  const auto taken = table.take(at, 0);
  const auto most = found[1].reshape(call.shape());
  return {most, taken.reshape(call.shape())};
}

// Whether windows lie as the mode "same" has them.
static bool has_same_windows(const mindir::Call& call) {
  const IntList pad = call.ints("pad");
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t size = call.shape_of()[call.rank() - 2 + i], step = call.ints("stride")[i];
    const Pair wanted = same_padding(size, call.ints("kernel_size")[i], step, 1);
    if (pad[2 * i] != wanted[0] || pad[2 * i + 1] != wanted[1] ||
        call.shape()[call.rank() - 2 + i] != (size + step - 1) / step)
      return false;
  }
  return true;
}

MYCEL_WRITES_MINDIR(max_pool2d) {
  const auto x = call.input();
  if (call.is_read(1) || call.ints("dilation") != IntList{1, 1}) return max_by_place(call, x);
  const IntList size = call.ints("kernel_size");
  const IntList step = call.ints("stride");
  const IntList pad = call.ints("pad");
  const bool is_same =
      std::count(pad.begin(), pad.end(), 0) < std::ssize(pad) && has_same_windows(call);
  return (is_same ? x : padded(x, rims_of(call), lowest(x.dtype())))
      .add("MaxPool", {}, {.shape = call.shape()},
           {{"kernel_size", IntList{1, 1, size[0], size[1]}},
            {"strides", IntList{1, 1, step[0], step[1]}},
            {"pad_mode", is_same ? "SAME" : "VALID"},
            {"format", "NCHW"}});
}

// What the sum of each window is divided by.
static mindir::Table window_counts(const mindir::Call& call) {
  const std::size_t planes = call.shape().size() - 2;
  const auto counted_on = [&](std::size_t i, std::int64_t place) {
    const IntList pad = call.ints("pad");
    const bool has_pad = call.flag("count_include_pad");
    const std::int64_t start = place * call.ints("stride")[i] - pad[2 * i];
    const std::int64_t end = std::min(start + call.ints("kernel_size")[i],
                                      call.shape_of()[planes + i] + (has_pad ? pad[2 * i + 1] : 0));
    return end - std::max(start, has_pad ? -pad[2 * i] : 0);
  };
  const Shape shape = cut(call.shape(), call.rank() - 2, call.rank());
  return mindir::Table::of(element_count(shape),
                           [&](std::int64_t number) {
                             const std::int64_t divisor = call.integer("divisor_override");
                             return divisor != 0 ? divisor
                                                 : counted_on(0, number / shape[1]) *
                                                       counted_on(1, number % shape[1]);
                           })
      .shaped(shape);
}

// Whether a mean of windows is one of the mode "same", in which only elements count.
static bool is_same_mode(const mindir::Call& call) {
  return !call.flag("count_include_pad") && call.integer("divisor_override") == 0 &&
         has_same_windows(call);
}

static mindir::Symbol mean_of_windows(const mindir::Call& call, const mindir::Symbol& x, int mode) {
  constexpr int kFirstChannels = 0;
  return x.add("AvgPool", {}, {.shape = call.shape()},
               {{"kernel_size", call.ints("kernel_size")},
                {"strides", call.ints("stride")},
                {"pad_mode", mode},
                {"data_format", kFirstChannels}});
}

// A mean of windows, put right where other elements count.
MYCEL_WRITES_MINDIR(avg_pool2d) {
  constexpr int kSame = 1, kValid = 2;  // texts of newer primitives are numbers
  const auto x = call.input();
  if (is_same_mode(call)) return mean_of_windows(call, x, kSame);
  const auto pooled = mean_of_windows(call, padded(x, rims_of(call)), kValid);
  mindir::Table shares = window_counts(call);
  const auto size = static_cast<double>(element_count(call.ints("kernel_size")));
  bool is_whole = true;
  for (double& share : shares.values) {
    is_whole &= share == size;
    share = size / share;
  }
  return is_whole ? pooled : pooled * x.table(shares);
}

static mindir::Symbol flat_planes(const mindir::Symbol& x) {
  return x.reshape({x.size(0), x.size(1), x.size(2) * x.size(3)});
}

MYCEL_WRITES_MINDIR(plane_gather) {
  const auto places = flat_planes(call.input(1));
  return flat_planes(call.input())
      .add("GatherD", {mindir::Plain(2), places}, {.shape = places.shape()})
      .reshape(call.shape());
}

MYCEL_WRITES_MINDIR(plane_scatter) {
  const Shape& shape = call.shape();
  const auto zeros = call.number(0).broadcast({shape[0], shape[1], shape[2] * shape[3]});
  const auto values = flat_planes(call.input(0));
  const auto places = flat_planes(call.input(1));
  return written_along(zeros, places, values, 2, true).reshape(shape);
}

static onnx::NamedList window_attributes(const onnx::Call& call, const onnx::Named& last) {
  return {{"kernel_shape", call.ints("kernel_size")},
          {"strides", call.ints("stride")},
          {"pads", onnx_pads(call.ints("pad"))},
          {"ceil_mode", call.flag("ceil_mode")},
          last};
}

MYCEL_WRITES_ONNX(max_pool2d) {
  const auto x = call.input();
  const auto attributes = window_attributes(call, {"dilations", call.ints("dilation")});
  if (!call.is_read(1)) return x.add("MaxPool", {}, attributes);
  const std::vector<DType> types{x.dtype(), DType::Int64};
  const auto found = x.several("MaxPool", {}, types, attributes);
  const std::int64_t plane = call.shape_of()[2] * call.shape_of()[3];
  return std::vector{found[0], found[1].modulo(plane)};  // counted over all planes
}

MYCEL_WRITES_ONNX(avg_pool2d) {
  const std::int64_t divisor = call.integer("divisor_override");
  const bool counts_pad = divisor != 0 || call.flag("count_include_pad");
  const auto pooled = call.input().add("AveragePool", {},
                                       window_attributes(call, {"count_include_pad", counts_pad}));
  const IntList size = call.ints("kernel_size");
  if (divisor == 0) return pooled;
  return pooled * (static_cast<double>(size[0] * size[1]) / static_cast<double>(divisor));
}

static onnx::Symbol flat_planes(const onnx::Symbol& x, const Shape& shape) {
  return x.reshape({shape[0], shape[1], shape[2] * shape[3]});
}

MYCEL_WRITES_ONNX(plane_gather) {
  const auto places = flat_planes(call.input(1), call.shape_of(1));
  return flat_planes(call.input(0), call.shape_of(0))
      .add("GatherElements", {places}, {{"axis", 2}})
      .reshape(call.shape());
}

MYCEL_WRITES_ONNX(plane_scatter) {
  const auto places = flat_planes(call.input(1), call.shape_of(1));
  const auto values = flat_planes(call.input(0), call.shape_of(0));
  const Shape& shape = call.shape();
  return call.number(0)
      .expand({shape[0], shape[1], shape[2] * shape[3]})
      .add("ScatterElements", {places, values}, {{"axis", 2}, {"reduction", "add"}})
      .reshape(shape);
}

}  // namespace mycel::ops
