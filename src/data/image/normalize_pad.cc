// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "data/image/image.h"
#include "data/image/parameters.h"

namespace mycel::data {

namespace {

// The same array with zeros as one more channel.
Tensor with_zero_channel(const Tensor& array, bool channels_last, const TransformContext& context) {
  Shape shape = array.shape();
  const std::size_t axis = channels_last ? 2 : 0;
  if (shape.size() == 2) shape.push_back(1);
  // Runs of bytes that stay together: the channels of a pixel, or all planes.
  const std::int64_t runs = channels_last ? shape[0] * shape[1] : 1;
  const std::size_t run_bytes =
      static_cast<std::size_t>(array.size() / std::max<std::int64_t>(runs, 1)) *
      size_of(array.dtype());
  ++shape[axis];
  Tensor result = context.output(array.dtype(), shape);
  const std::size_t result_bytes = static_cast<std::size_t>(result.size()) * size_of(array.dtype());
  std::memset(result.raw(), 0, result_bytes);
  const std::size_t stride = runs > 0 ? result_bytes / static_cast<std::size_t>(runs) : 0;
  const auto* from = static_cast<const std::byte*>(array.raw());
  auto* to = static_cast<std::byte*>(result.raw());
  for (std::int64_t i = 0; i < runs; ++i, from += run_bytes, to += stride)
    std::memcpy(to, from, run_bytes);
  return result;
}

class NormalizePad : public Transform {
 public:
  explicit NormalizePad(const Parameters& parameters)
      : channels_last_(parameters.flag("is_hwc")),
        normalize_(make_transform("Normalize", Parameters({{"mean", parameters.reals("mean")},
                                                           {"std", parameters.reals("std")},
                                                           {"is_hwc", channels_last_}}))),
        cast_(make_transform("TypeCast", Parameters({{"data_type", parameters.string("dtype")}}))) {
    const std::string dtype = parameters.string("dtype");
    require(dtype == "float32" || dtype == "float16", ErrorKind::Value,
            "dtype only supports float32 or float16.");
  }
  std::string name() const override { return "NormalizePad"; }

  void apply(Items& items, TransformContext& context) const override {
    for (const Item& item : items) {
      const auto rank = static_cast<std::int64_t>(item.shape().size());
      require(rank == 3 || (rank == 2 && channels_last_), ErrorKind::Runtime, name(),
              ": image shape should be ", channels_last_ ? "<H,W> or <H,W,C>" : "<C,H,W>",
              ", but got rank: ", rank);
    }
    TransformContext plain{context.random};
    normalize_->apply(items, plain);
    cast_->apply(items, plain);
    for (Item& item : items) item = with_zero_channel(item.array(), channels_last_, context);
  }

 private:
  bool channels_last_;
  TransformPtr normalize_;
  TransformPtr cast_;
};

MYCEL_TRANSFORM(NormalizePad)
    .in("vision")
    .doc(
        "Subtracts a mean and divides by a standard deviation, channel by channel, and adds a "
        "channel of zeros behind the others.")
    .parameter(mean_parameter())
    .parameter(deviation_parameter())
    .parameter({.name = "dtype",
                .kind = ParameterKind::Text,
                .doc = "Type of the result, \"float32\" or \"float16\".",
                .fallback = std::string("float32")})
    .parameter(channels_last_parameter())
    .input(InputLayout::Image)
    .sample({.arguments = {{"mean", Reals{121, 115, 100}}, {"std", Reals{70, 68, 71}}},
             .shape = {5, 6, 3}})
    .sample({.arguments = {{"mean", Reals{0.5}},
                           {"std", Reals{0.25}},
                           {"dtype", std::string("float16")},
                           {"is_hwc", false}},
             .shape = {3, 5, 6}})
    .sample({.arguments = {{"mean", Reals{0.5}}, {"std", Reals{0.25}}}, .shape = {5, 6}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<NormalizePad>(parameters);
    });

}  // namespace

}  // namespace mycel::data
