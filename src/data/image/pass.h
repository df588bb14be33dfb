// SPDX-License-Identifier: Apache-2.0
// Neighbouring steps of a map as one pass over a picture: decode the box that is needed, resize it,
// turn it round, convert and reorder its values, straight into the place of the result.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/image/image.h"

namespace mycel::data {

// Where the pixels of one row's result come from.
struct Placement {
  explicit Placement(const ImageSize& size) : source{0, 0, size.height, size.width} {}

  Box source;  // of the picture as it came
  bool resizes = false;
  ImageSize resized;  // the size the box is given
  Interpolation mode = Interpolation::Linear;
  Box target;  // what later crops leave of that
  bool mirrored = false;
  bool upside_down = false;

  ImageSize size() const {
    return resizes ? ImageSize{target.height, target.width}
                   : ImageSize{source.height, source.width};
  }
  void crop(const Box& box);  // of what there is so far
  void resize(const ImageSize& size, Interpolation mode);
};

class PassStep;

// The steps taken into a pass so far.
struct PassPlan {
  bool decodes = false;
  bool resizes = false;
  bool flips = false;
  bool is_float = false;      // the values are float32 by now
  bool is_planar = false;     // channels come first by now
  std::size_t channels = 0;   // how many a step asks for; 0: any
  bool one_or_three = false;  // a step takes grey or colour only
  std::vector<const PassStep*> placing;
  std::vector<std::uint64_t> places;  // of those, in the list of the user
  std::vector<const PassStep*> converting;

  bool has_pixels_work() const { return is_float || is_planar; }
  bool empty() const { return !decodes && placing.empty() && !has_pixels_work(); }
};

// A transform that can be part of a pass. It does one of the two things below.
class PassStep : public Transform {
 public:
  // Enters itself into the plan, or declines: then the pass ends before this step.
  virtual bool join(PassPlan& plan) const = 0;
  // Moves the placement of one row. False: this row needs the steps one by one (padding, say).
  virtual bool place(Placement&, RowRandom&) const { return true; }
  // The new value of a channel's value, as the step computes it on its own.
  virtual float convert(float value, std::size_t /*channel*/) const { return value; }

 protected:
  // Joins a step that moves pixels: before any flip and any change of values.
  bool join_placing(PassPlan& plan) const;
  bool join_converting(PassPlan& plan) const;
};

// The loop of a pass from bytes to the result: flips, converts by table, reorders.
class RowWriter {
 public:
  // `table`: 256 results per channel of the table; null keeps the bytes.
  RowWriter(const Tensor& result, const float* table, std::size_t table_channels, bool is_planar,
            const ImageSize& size, std::int64_t channels, bool mirrored, bool upside_down);
  void write(std::int64_t y, const std::uint8_t* pixels) const;

 private:
  template <bool mirrored>
  void write_planes(std::int64_t y, const std::uint8_t* pixels) const;
  template <bool mirrored>
  void write_pixels(std::int64_t y, const std::uint8_t* pixels) const;
  void write_bytes(std::int64_t y, const std::uint8_t* pixels) const;

  const Tensor& result_;
  const float* table_;
  std::size_t table_channels_;
  bool is_planar_;
  ImageSize size_;
  std::int64_t channels_;
  bool mirrored_;
  bool upside_down_;
};

// Bilinear resize of a box row by row with OpenCV's arithmetic; only the target's rows and columns
// are computed. Scratch is kept between calls of a thread.
void resize_linear_rows(const PixelView& source, const ImageSize& resized, const Box& target,
                        const RowWriter& writer);

}  // namespace mycel::data
