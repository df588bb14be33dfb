// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "data/image/image.h"
#include "platform/random/gamma.h"

namespace mycel::data {

namespace {

using Order = std::vector<std::int64_t>;

template <class T>
T rounded(float value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr auto low = static_cast<float>(std::numeric_limits<T>::lowest());
    constexpr auto high = static_cast<float>(std::numeric_limits<T>::max());
    const float whole = std::nearbyint(value);
    return whole <= low    ? std::numeric_limits<T>::lowest()
           : whole >= high ? std::numeric_limits<T>::max()
                           : static_cast<T>(whole);
  } else {
    return static_cast<T>(value);
  }
}

// Every row as a share of itself and the rest of the row that `order` names.
Tensor blended(const Tensor& rows, const Order& order, float share,
               const TransformContext& context) {
  const Tensor source = tensor::contiguous(rows);
  Tensor result = context.output(rows.dtype(), rows.shape());
  const std::int64_t length = rows.size() / static_cast<std::int64_t>(order.size());
  tensor::with_real_type(rows.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const T* own = source.data<T>() + static_cast<std::int64_t>(i) * length;
      const T* other = source.data<T>() + order[i] * length;
      T* to = result.data<T>() + static_cast<std::int64_t>(i) * length;
      for (std::int64_t k = 0; k < length; ++k)
        to[k] = rounded<T>(share * static_cast<float>(own[k]) +
                           (1.0F - share) * static_cast<float>(other[k]));
    }
  });
  return result;
}

Order shuffled(std::int64_t count, RowRandom& random) {
  Order order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::int64_t last = count - 1; last > 0; --last)
    std::swap(order[static_cast<std::size_t>(last)],
              order[static_cast<std::size_t>(random.integer(0, last))]);
  return order;
}

class MixUpBatch : public Transform {
 public:
  explicit MixUpBatch(double alpha)
      : alpha_(alpha),
        to_float_(make_transform("TypeCast", Parameters({{"data_type", std::string("float32")}}))) {
  }
  std::string name() const override { return "MixUpBatch"; }
  bool is_random() const override { return true; }

  void apply(Items& items, TransformContext& context) const override {
    require(items.size() >= 2, ErrorKind::Runtime, name(),
            ": size of input data should be 2 (including images or labels), but got: ",
            items.size(), ", check 'input_columns' when call this operator.");
    const Tensor images = numeric_array(items[0], name());
    check_images(images);
    check_labels(items[1], images.shape()[0]);
    const auto share = static_cast<float>(platform::draw_beta(context.random, alpha_, alpha_));
    const Order order = shuffled(images.shape()[0], context.random);
    TransformContext plain{context.random};
    Items labels{items[1]};
    to_float_->apply(labels, plain);
    items.resize(2);
    items[0] = blended(images, order, share, plain);
    items[1] = blended(labels[0].array(), order, share, plain);
  }

 private:
  void check_images(const Tensor& images) const {
    require(images.rank() == 4 && images.shape()[0] > 0, ErrorKind::Runtime, name(),
            ": rank of image shape should be: 4, but got: ", images.rank(),
            ", make sure image shape are <H,W,C> or <C,H,W> and batched before calling "
            "MixUpBatch.");
    const auto is_channels = [](std::int64_t length) { return length == 1 || length == 3; };
    require(is_channels(images.shape()[1]) || is_channels(images.shape()[3]), ErrorKind::Runtime,
            name(), ": images shape should in <N,H,W,C> or <N,C,H,W>, got one with ",
            images.shape()[1], " and ", images.shape()[3], " where 1 or 3 channels should be.");
    require(!tensor::is_complex(images.dtype()), ErrorKind::Runtime, name(),
            ": complex numbers are not supported.");
  }

  void check_labels(const Item& labels, std::int64_t images) const {
    require(labels.is_array() && !tensor::is_complex(labels.array().dtype()), ErrorKind::Runtime,
            name(),
            ": invalid label type, label must be in a numeric type, but got: ", labels.type_name(),
            ". You may need to perform OneHot first.");
    const Shape& shape = labels.array().shape();
    require(shape.size() == 2 || shape.size() == 3, ErrorKind::Runtime, name(),
            ": wrong labels shape. The second column (labels) must have a shape of NC or NLC where "
            "N is the batch size, L is the number of labels in each row, and C is the number of "
            "classes. labels must be in one-hot format and in a batch, but got rank: ",
            shape.size());
    require(shape[0] == images, ErrorKind::Runtime, name(), ": there are ", images,
            " images, but labels for ", shape[0], ".");
  }

  double alpha_;
  TransformPtr to_float_;
};

MYCEL_TRANSFORM(MixUpBatch)
    .in("vision")
    .doc(
        "Blends every image of a batch, and its label, with another one of the batch. The share "
        "that stays is one number of the distribution Beta(alpha, alpha) for the whole batch. "
        "Labels are one-hot, of shape <N,C> or <N,L,C>, and become float32.")
    .parameter({.name = "alpha",
                .kind = ParameterKind::Real,
                .doc = "Both parameters of the Beta distribution.",
                .fallback = 1.0,
                .low = 0,
                .high = 16777216,
                .low_is_open = true})
    .input(InputLayout::LabelledBatch)
    .takes_columns()
    .random()
    .sample({.shape = {4, 5, 6, 3}})
    .sample({.arguments = {{"alpha", 0.2}}, .dtype = DType::Float32, .shape = {3, 1, 5, 6}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<MixUpBatch>(parameters.real("alpha"));
    });

}  // namespace

}  // namespace mycel::data
