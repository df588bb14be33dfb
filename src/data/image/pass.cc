// SPDX-License-Identifier: Apache-2.0
#include "data/image/pass.h"

#include <cstring>
#include <optional>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "data/image/codec/jpeg.h"

namespace mycel::data {

void Placement::crop(const Box& box) {
  Box& current = resizes ? target : source;
  current = {current.top + box.top, current.left + box.left, box.height, box.width};
}

void Placement::resize(const ImageSize& size, Interpolation how) {
  resizes = true;
  resized = size;
  mode = how;
  target = {0, 0, size.height, size.width};
}

bool PassStep::join_placing(PassPlan& plan) const {
  if (plan.flips || plan.has_pixels_work()) return false;
  plan.placing.push_back(this);
  return true;
}

bool PassStep::join_converting(PassPlan& plan) const {
  plan.is_float = true;
  plan.converting.push_back(this);
  return true;
}

namespace {

// The steps of a pass; rows that do not fit it run through them one by one.
class ImagePass : public Transform {
 public:
  ImagePass(PassPlan plan, ListedTransforms steps)
      : plan_(std::move(plan)), steps_(std::move(steps)) {
    if (!plan_.is_float) return;
    table_channels_ = std::max<std::size_t>(1, plan_.channels);
    table_.resize(table_channels_ * 256);
    for (std::size_t c = 0; c < table_channels_; ++c) {
      for (int i = 0; i < 256; ++i) {
        auto value = static_cast<float>(i);
        for (const PassStep* step : plan_.converting) value = step->convert(value, c);
        table_[256 * c + i] = value;
      }
    }
  }

  std::string name() const override {
    std::string text;
    for (const ListedTransform& step : steps_)
      text += (text.empty() ? "" : ", ") + step.transform->name();
    return text;
  }
  bool is_random() const override {
    for (const ListedTransform& step : steps_)
      if (step.transform->is_random()) return true;
    return false;
  }
  // Messages begin with the name of the transform they come from.
  std::string failing_name(const std::string& message) const override {
    for (const ListedTransform& step : steps_)
      if (message.starts_with(step.transform->name() + ":")) return step.transform->name();
    return steps_[0].transform->name();
  }

  void apply(Items& items, TransformContext& context) const override {
    if (items.size() == 1 && run(items[0], context)) return;
    run_list(steps_, context.streams(), items, context);
  }

 private:
  bool run(Item& item, TransformContext& context) const {
    if (plan_.decodes) {
      const std::string_view bytes = encoded_bytes(item, steps_[0].transform->name());
      if (image_format(bytes) == ImageFormat::Jpeg) return run_jpeg(item, bytes, context);
      TransformContext plain{context.random};
      return run_pixels(item, decode_image(bytes, plain), context);
    }
    if (!item.is_array()) return false;
    const Tensor& array = item.array();
    if (array.dtype() != DType::UInt8 || array.rank() != 3 || array.size() == 0) return false;
    return run_pixels(item, tensor::contiguous(array), context);
  }

  bool run_jpeg(Item& item, std::string_view bytes, TransformContext& context) const {
    static thread_local std::vector<std::uint8_t> memory;
    JpegFile file(bytes);
    const std::optional<Placement> placement = place(file.size(), 3, context.streams());
    if (!placement.has_value()) return false;
    finish(item, file.read_box(placement->source, memory), *placement, context);
    // One huge picture must not keep its memory for the life of the thread.
    constexpr std::size_t kKeptBytes = 64 << 20;
    if (memory.size() > kKeptBytes) std::vector<std::uint8_t>().swap(memory);
    return true;
  }

  bool run_pixels(Item& item, const Tensor& array, TransformContext& context) const {
    const Shape& shape = array.shape();
    const std::optional<Placement> placement =
        place({shape[0], shape[1]}, shape[2], context.streams());
    if (!placement.has_value()) return false;
    const std::int64_t row_bytes = shape[1] * shape[2];
    const Box& box = placement->source;
    const PixelView view{array.data<std::uint8_t>() + box.top * row_bytes + box.left * shape[2],
                         row_bytes, box.height, box.width, shape[2]};
    finish(item, view, *placement, context);
    return true;
  }

  std::optional<Placement> place(const ImageSize& size, std::int64_t channels,
                                 const RowStreams& streams) const {
    if (plan_.channels > 1 && channels != static_cast<std::int64_t>(plan_.channels))
      return std::nullopt;
    if (channels > CV_CN_MAX) return std::nullopt;
    if (plan_.one_or_three && channels != 1 && channels != 3) return std::nullopt;
    Placement placement(size);
    for (std::size_t i = 0; i < plan_.placing.size(); ++i) {
      RowRandom random = streams.at(plan_.places[i]);
      if (!plan_.placing[i]->place(placement, random)) return std::nullopt;
    }
    if (placement.resizes && placement.mode == Interpolation::PillowCubic && channels != 3)
      return std::nullopt;
    constexpr std::int64_t kMaxGrowth = 1000;
    if (placement.resizes && (placement.resized.height > kMaxGrowth * placement.source.height ||
                              placement.resized.width > kMaxGrowth * placement.source.width))
      return std::nullopt;
    return placement;
  }

  void finish(Item& item, const PixelView& view, const Placement& placement,
              TransformContext& context) const {
    const ImageSize size = placement.size();
    const Shape shape = plan_.is_planar ? Shape{view.channels, size.height, size.width}
                                        : Shape{size.height, size.width, view.channels};
    Tensor result = context.output(plan_.is_float ? DType::Float32 : DType::UInt8, shape);
    const RowWriter writer(result, plan_.is_float ? table_.data() : nullptr, table_channels_,
                           plan_.is_planar, size, view.channels, placement.mirrored,
                           placement.upside_down);
    if (!placement.resizes || placement.resized == ImageSize{view.height, view.width}) {
      const Box kept = placement.resizes ? placement.target : Box{0, 0, size.height, size.width};
      for (std::int64_t y = 0; y < size.height; ++y)
        writer.write(y, view.row(kept.top + y) + kept.left * view.channels);
    } else {
      resize_rows(view, placement, writer);
    }
    item = std::move(result);
  }

  static void resize_rows(const PixelView& view, const Placement& placement,
                          const RowWriter& writer) {
    const ImageSize& resized = placement.resized;
    // OpenCV takes the mean of four pixels when both sides are exactly halved.
    const bool halves = view.height == 2 * resized.height && view.width == 2 * resized.width;
    if (placement.mode == Interpolation::Linear && !halves)
      return resize_linear_rows(view, resized, placement.target, writer);
    cv::Mat whole(static_cast<int>(resized.height), static_cast<int>(resized.width),
                  CV_8UC(static_cast<int>(view.channels)));
    if (placement.mode == Interpolation::PillowCubic) {
      resize_pillow_cubic(view, resized, whole.data);
    } else {
      const cv::Mat source(static_cast<int>(view.height), static_cast<int>(view.width),
                           whole.type(), const_cast<std::uint8_t*>(view.data), view.row_bytes);
      cv::resize(source, whole, whole.size(), 0, 0, opencv_interpolation(placement.mode));
    }
    for (std::int64_t y = 0; y < placement.target.height; ++y)
      writer.write(y, whole.ptr(static_cast<int>(placement.target.top + y)) +
                          placement.target.left * view.channels);
  }

  PassPlan plan_;
  ListedTransforms steps_;
  std::vector<float> table_;
  std::size_t table_channels_ = 0;
};

}  // namespace

namespace {

// Whether the step is part of the pass now.
bool joins(PassPlan& plan, const PassStep* step, std::uint64_t place) {
  if (step == nullptr || !step->join(plan)) return false;
  plan.places.resize(plan.placing.size(), place);
  return true;
}

}  // namespace

ListedTransforms join_neighbours(ListedTransforms list) {
  ListedTransforms result;
  PassPlan plan;
  ListedTransforms steps;
  const auto close = [&] {
    // A step that decodes and crops gains from skipping what it does not need even alone.
    if (steps.size() > 1 || (plan.decodes && plan.resizes)) {
      const std::uint64_t place = steps[0].place;
      result.push_back({std::make_shared<ImagePass>(std::move(plan), std::move(steps)), place});
    } else {
      result.insert(result.end(), steps.begin(), steps.end());
    }
    plan = {};
    steps.clear();
  };
  for (ListedTransform& one : list) {
    const auto* step = dynamic_cast<const PassStep*>(one.transform.get());
    if (!joins(plan, step, one.place)) {
      close();
      if (!joins(plan, step, one.place)) {
        result.push_back(std::move(one));
        continue;
      }
    }
    steps.push_back(std::move(one));
  }
  close();
  return result;
}

}  // namespace mycel::data
