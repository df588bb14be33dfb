// SPDX-License-Identifier: Apache-2.0
// Transforms of the values and their order: from bytes of pixels to what a network takes.
#include <cmath>
#include <cstring>

#include "data/image/parameters.h"
#include "data/image/pass.h"

namespace mycel::data {

namespace {

float as_float(auto value) { return static_cast<float>(value); }

// Applies `convert(value, channel)` to every element; channels are the last axis or the first of
// three.
template <class Convert>
Tensor converted(const Tensor& input, std::int64_t channels, bool channels_last,
                 const TransformContext& context, const Convert& convert) {
  const Tensor source = tensor::contiguous(input);
  Tensor result = context.output(DType::Float32, input.shape());
  const std::int64_t plane = channels_last || channels == 0 ? 0
                                                            : input.shape()[input.rank() - 1] *
                                                                  input.shape()[input.rank() - 2];
  tensor::with_real_type(source.dtype(), [&]<class T>() {
    const T* from = source.data<T>();
    float* to = result.data<float>();
    const std::int64_t count = source.size();
    if (channels_last) {
      for (std::int64_t i = 0; i < count; i += channels)
        for (std::int64_t c = 0; c < channels; ++c)
          to[i + c] = convert(as_float(from[i + c]), static_cast<std::size_t>(c));
    } else {
      for (std::int64_t i = 0; i < count; i += plane) {
        const auto c = static_cast<std::size_t>(i / plane % channels);
        for (std::int64_t k = 0; k < plane; ++k) to[i + k] = convert(as_float(from[i + k]), c);
      }
    }
  });
  return result;
}

void require_real(const Tensor& array, std::string_view name) {
  require(!tensor::is_complex(array.dtype()), ErrorKind::Runtime, name,
          ": complex numbers are not supported.");
}

class Normalize : public PassStep {
 public:
  explicit Normalize(const Parameters& parameters) : channels_last_(parameters.flag("is_hwc")) {
    for (const double value : parameters.reals("mean")) mean_.push_back(static_cast<float>(value));
    for (const double value : parameters.reals("std"))
      deviation_.push_back(static_cast<float>(value));
    require(mean_.size() == deviation_.size() && !mean_.empty(), ErrorKind::Value,
            "Length of mean and std must be equal.");
  }
  std::string name() const override { return "Normalize"; }

  bool join(PassPlan& plan) const override {
    if (plan.is_planar == channels_last_) return false;
    if (mean_.size() > 1) {
      if (plan.channels > 1 && plan.channels != mean_.size()) return false;
      plan.channels = mean_.size();
    }
    return join_converting(plan);
  }
  float convert(float value, std::size_t channel) const override {
    const std::size_t at = mean_.size() == 1 ? 0 : channel;
    return (value - mean_[at]) / deviation_[at];
  }

  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const Tensor& array = numeric_array(item, name());
      require_real(array, name());
      require(array.rank() >= 2, ErrorKind::Runtime, name(),
              ": the image tensor should have at least two dimensions. You may need to perform "
              "Decode first.");
      const bool is_flat = array.rank() == 2;
      const std::int64_t channels =
          is_flat ? 1 : array.shape()[array.rank() - (channels_last_ ? 1 : 3)];
      require(
          mean_.size() == 1 || static_cast<std::int64_t>(mean_.size()) == channels,
          ErrorKind::Runtime, name(),
          ": number of channels does not match the size of mean and std vectors, got channels: ",
          channels, ", size of mean: ", mean_.size());
      item = converted(array, channels, channels_last_ || is_flat, context,
                       [&](float value, std::size_t channel) {
                         const std::size_t at = mean_.size() == 1 ? 0 : channel;
                         return (value - mean_[at]) / deviation_[at];
                       });
    }
  }

 private:
  std::vector<float> mean_;
  std::vector<float> deviation_;
  bool channels_last_;
};

MYCEL_TRANSFORM(Normalize)
    .in("vision")
    .doc("Subtracts a mean and divides by a standard deviation, channel by channel, in float32.")
    .parameter(mean_parameter())
    .parameter(deviation_parameter())
    .parameter(channels_last_parameter())
    .input(InputLayout::Video)
    .sample({.arguments = {{"mean", Reals{121, 115, 100}}, {"std", Reals{70, 68, 71}}},
             .shape = {5, 6, 3}})
    .sample({.arguments = {{"mean", Reals{0.5}}, {"std", Reals{0.25}}},
             .dtype = DType::Float64,
             .shape = {5, 6}})
    .sample({.arguments = {{"mean", Reals{1, 2, 3}}, {"std", Reals{4, 5, 6}}, {"is_hwc", false}},
             .dtype = DType::Int32,
             .shape = {3, 5, 6}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<Normalize>(parameters);
    });

class Rescale : public PassStep {
 public:
  Rescale(double rescale, double shift)
      : rescale_(static_cast<float>(rescale)), shift_(static_cast<float>(shift)) {}
  std::string name() const override { return "Rescale"; }
  bool join(PassPlan& plan) const override { return join_converting(plan); }
  // One rounding for both operations.
  float convert(float value, std::size_t) const override {
    return std::fma(value, rescale_, shift_);
  }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const Tensor& array = numeric_array(item, name());
      require_real(array, name());
      item = converted(array, 1, true, context,
                       [rescale = rescale_, shift = shift_](float value, std::size_t) {
                         return std::fma(value, rescale, shift);
                       });
    }
  }

 private:
  float rescale_;
  float shift_;
};

MYCEL_TRANSFORM(Rescale)
    .in("vision")
    .doc("Multiplies by a factor and adds a shift, in float32.")
    .parameter({.name = "rescale", .kind = ParameterKind::Real, .doc = "The factor."})
    .parameter({.name = "shift", .kind = ParameterKind::Real, .doc = "What is added."})
    .sample({.arguments = {{"rescale", 1.0 / 255.0}, {"shift", -1.0}}, .shape = {5, 6, 3}})
    .sample({.arguments = {{"rescale", 2.0}, {"shift", 0.5}},
             .dtype = DType::Float16,
             .shape = {7}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<Rescale>(parameters.real("rescale"), parameters.real("shift"));
    });

// Channels before rows and columns, bit by bit.
Tensor channels_first(const Tensor& array, const Shape& shape, const TransformContext& context) {
  const Tensor source = tensor::contiguous(array);
  Tensor result = context.output(array.dtype(), shape);
  const std::int64_t channels = array.rank() == 2 ? 1 : array.shape()[2];
  const std::int64_t plane = array.shape()[0] * array.shape()[1];
  tensor::with_bits_type(array.dtype(), [&]<class T>() {
    const T* from = source.data<T>();
    T* to = result.data<T>();
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t i = 0; i < plane; ++i) to[c * plane + i] = from[i * channels + c];
  });
  return result;
}

class ChannelsFirst : public PassStep {
 public:
  std::string name() const override { return "HWC2CHW"; }
  bool join(PassPlan& plan) const override { return !plan.is_planar && (plan.is_planar = true); }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const Tensor& array = numeric_array(item, name());
      if (array.rank() == 2) continue;
      require(array.rank() == 3, ErrorKind::Runtime,
              "HWC2CHW: image shape should be <H,W> or <H,W,C>, but got rank: ", array.rank());
      const Shape& shape = array.shape();
      item = channels_first(array, {shape[2], shape[0], shape[1]}, context);
    }
  }
};

MYCEL_TRANSFORM(HWC2CHW)
    .in("vision")
    .doc("Puts the channels before rows and columns.")
    .input(InputLayout::Image)
    .sample({.shape = {5, 6, 3}})
    .sample({.dtype = DType::Float64, .shape = {5, 6, 4}})
    .sample({.shape = {5, 6}})
    .make([](const Parameters&) -> TransformPtr { return std::make_shared<ChannelsFirst>(); });

class ToTensor : public PassStep {
 public:
  explicit ToTensor(const std::string& output_type)
      : output_type_(output_type),
        cast_(output_type == "float32"
                  ? nullptr
                  : make_transform("TypeCast", Parameters({{"data_type", output_type}}))) {}
  std::string name() const override { return "ToTensor"; }
  bool join(PassPlan& plan) const override {
    if (plan.is_planar || cast_ != nullptr) return false;
    plan.is_planar = true;
    return join_converting(plan);
  }
  float convert(float value, std::size_t) const override { return value * (1.0f / 255.0f); }
  void apply(Items& items, TransformContext& context) const override {
    TransformContext plain{context.random};
    for (Item& item : items) {
      const DType dtype = item.is_array() ? item.array().dtype() : DType::UInt64;
      require(item.is_array() && dtype != DType::UInt32 && dtype != DType::Int64 &&
                  dtype != DType::UInt64 && !tensor::is_complex(dtype),
              ErrorKind::Runtime,
              "ToTensor: Input includes unsupported data type in [uint32, int64, uint64, string, "
              "bytes].");
      const Tensor& array = item.array();
      require(array.rank() == 2 || array.rank() == 3, ErrorKind::Runtime,
              "ToTensor: image shape should be <H,W> or <H,W,C>, but got rank: ", array.rank());
      const Tensor scaled = converted(
          array, 1, true, plain, [](float value, std::size_t) { return value * (1.0f / 255.0f); });
      const Shape& shape = array.shape();
      const Shape planes{array.rank() == 2 ? 1 : shape[2], shape[0], shape[1]};
      item = channels_first(scaled, planes, cast_ == nullptr ? context : plain);
    }
    if (cast_ != nullptr) cast_->apply(items, context);
  }

 private:
  std::string output_type_;
  TransformPtr cast_;
};

MYCEL_TRANSFORM(ToTensor)
    .in("vision")
    .doc("Scales by 1/255 to float32, puts the channels first, then converts to `output_type`.")
    .parameter({.name = "output_type",
                .kind = ParameterKind::DataType,
                .doc = "Type of the result.",
                .fallback = std::string("float32")})
    .input(InputLayout::Image)
    .sample({.shape = {5, 6, 3}})
    .sample({.shape = {5, 6}})
    .sample({.arguments = {{"output_type", std::string("float64")}},
             .dtype = DType::Float32,
             .shape = {5, 6, 1}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<ToTensor>(parameters.string("output_type"));
    });

}  // namespace

}  // namespace mycel::data
