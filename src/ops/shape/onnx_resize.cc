// SPDX-License-Identifier: Apache-2.0
// Resizing of ONNX files: along every axis a choice of positions, or a product with a table of
// weights.
#include <cmath>

#include "operator/define.h"
#include "ops/onnx_arguments.h"

namespace mycel::ops {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 40;

// How the file wants it.
struct Resizing {
  std::string mode, coordinates, rounding;
  double cubic = -0.75;
  bool excludes_outside = false;
};

// One axis.
struct AxisChange {
  std::int64_t size, count;
  double scale;
};

// Where a result lies among the inputs.
double position_of(const StoredCall& call, const Resizing& resizing, const AxisChange& axis,
                   std::int64_t index) {
  const std::string& mode = resizing.coordinates;
  const auto x = static_cast<double>(index), size = static_cast<double>(axis.size);
  const double centred = (x + 0.5) / axis.scale - 0.5;
  if (mode == "half_pixel") return centred;
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "align_corners") return axis.count > 1 ? x * (size - 1) / (size * axis.scale - 1) : 0;
  if (mode == "pytorch_half_pixel") return axis.count > 1 ? centred : 0;
  if (mode == "half_pixel_symmetric")
    return size / 2 * (1 - static_cast<double>(axis.count) / (axis.scale * size)) + centred;
  call.refuse("the coordinate mode '", mode, "'");
}

double rounded(const StoredCall& call, const std::string& mode, double x) {
  if (mode == "round_prefer_floor") return std::ceil(x - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5);
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  call.refuse("the rounding '", mode, "'");
}

std::int64_t inside(double place, std::int64_t size) {
  return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(size - 1)));
}

Value nearest(const StoredCall& call, const Resizing& resizing, const AxisChange& change,
              const Value& x, std::int64_t axis) {
  Tensor places = Tensor::empty({change.count}, DType::Int64);
  for (std::int64_t i = 0; i < change.count; ++i) {
    const double place = position_of(call, resizing, change, i);
    places.data<std::int64_t>()[i] = inside(rounded(call, resizing.rounding, place), change.size);
  }
  return call.call("gather", {x, call.constant(std::move(places))}, {{"axis", axis}});
}

// The share of an input at a distance.
double share_of(const Resizing& resizing, double distance) {
  const double d = std::abs(distance), a = resizing.cubic;
  if (resizing.mode != "cubic") return 1 - d;
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

// The share of every input in a result.
void fill_shares(const Resizing& resizing, double where, std::span<double> shares) {
  const auto size = static_cast<std::int64_t>(shares.size());
  const int before = resizing.mode == "cubic" ? -1 : 0, after = resizing.mode == "cubic" ? 2 : 1;
  double total = 0;
  for (int offset = before; offset <= after; ++offset) {
    const double place = std::floor(where) + offset;
    const bool is_outside = place < 0 || place >= static_cast<double>(size);
    if (is_outside && resizing.excludes_outside) continue;
    const double share = share_of(resizing, where - place);
    shares[static_cast<std::size_t>(inside(place, size))] += share;
    total += share;
  }
  if (!resizing.excludes_outside) return;
  for (double& share : shares) share /= total;
}

Value weighted(const StoredCall& call, const Resizing& resizing, const AxisChange& change,
               const Value& x, std::int64_t axis) {
  Tensor table = Tensor::empty({change.count, change.size}, DType::Float32);
  std::vector<double> shares(static_cast<std::size_t>(change.size));
  for (std::int64_t i = 0; i < change.count; ++i) {
    std::ranges::fill(shares, 0);
    fill_shares(resizing, position_of(call, resizing, change, i), shares);
    std::ranges::transform(shares, table.data<float>() + i * change.size,
                           [](double share) { return static_cast<float>(share); });
  }
  const auto last = x.rank() - 1;
  const auto turned = [&](const Value& value) {
    return call.call("swapaxes", {value}, {{"axis0", axis}, {"axis1", last}});
  };
  const Value weights = call.cast(call.constant(std::move(table)), x.dtype());
  return turned(call.call("matmul", {turned(x), weights}, {{"transpose_b", true}}));
}

std::int64_t length_of(const StoredCall& call, double length) {
  call.require(length >= 0 && length <= static_cast<double>(kLongest), ErrorKind::Value,
               "it asks for the impossible length ", length, ".");
  return static_cast<std::int64_t>(length);
}

// New length and scale of every axis.
std::vector<AxisChange> changes(const StoredCall& call, const Value& x) {
  const Shape shape = x.shape();
  std::vector<AxisChange> all;
  for (const std::int64_t size : shape) all.push_back({size, size, 1});
  IntList axes = call.has("axes") ? call.integers("axes") : IntList();
  for (std::int64_t axis = 0; axis < x.rank() && !call.has("axes"); ++axis) axes.push_back(axis);
  for (std::int64_t& axis : axes) axis = onnx_axis(call, axis, x.rank());
  std::vector<double> given = call.has("sizes") ? call.reals("sizes") : std::vector<double>();
  const bool has_sizes = !given.empty();
  if (!has_sizes && call.has("scales")) given = call.reals("scales");
  call.require(given.size() == axes.size(), ErrorKind::Value, "it gives no size for every axis.");
  const auto size_of_axis = [&](std::size_t i) {
    return static_cast<double>(shape[static_cast<std::size_t>(axes[i])]);
  };
  const std::string policy = call.text("keep_aspect_ratio_policy", "stretch");
  if (has_sizes && policy != "stretch" && !axes.empty()) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < axes.size(); ++i) shares.push_back(given[i] / size_of_axis(i));
    const double scale = policy == "not_larger" ? *std::ranges::min_element(shares)
                                                : *std::ranges::max_element(shares);
    for (std::size_t i = 0; i < axes.size(); ++i)
      given[i] = std::floor(size_of_axis(i) * scale + 0.5);
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    AxisChange& change = all[static_cast<std::size_t>(axes[i])];
    const double wanted = has_sizes ? given[i] : std::floor(size_of_axis(i) * given[i]);
    change.count = length_of(call, wanted);
    change.scale = has_sizes ? given[i] / size_of_axis(i) : given[i];
  }
  return all;
}

Value resized(const StoredCall& call, const Resizing& resizing) {
  Value x = call.tensor("X");
  if (call.flag("antialias", false)) call.refuse("smoothing");
  const std::vector<AxisChange> all = changes(call, x);
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    const AxisChange& change = all[axis];
    if (change.size == change.count && change.scale == 1) continue;
    call.require(change.size > 0, ErrorKind::Value, "the axis ", axis, " has no elements.");
    const auto along = resizing.mode == "nearest" ? nearest : weighted;
    x = along(call, resizing, change, x, static_cast<std::int64_t>(axis));
  }
  return x;
}

}  // namespace

MYCEL_ONNX(Resize, "X roi.numbers scales.numbers sizes.numbers") {
  return resized(call, {call.text("mode", "nearest"),
                        call.text("coordinate_transformation_mode", "half_pixel"),
                        call.text("nearest_mode", "round_prefer_floor"),
                        call.real("cubic_coeff_a", -0.75), call.flag("exclude_outside", false)});
}

MYCEL_ONNX(Upsample, "X scales.numbers") {
  return resized(call, {call.text("mode", "nearest"),
                        call.text("coordinate_transformation_mode", "asymmetric"),
                        call.text("nearest_mode", "floor"), call.real("cubic_coeff_a", -0.75),
                        call.flag("exclude_outside", false)});
}

}  // namespace mycel::ops
