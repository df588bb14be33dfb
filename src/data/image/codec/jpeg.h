// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "data/image/codec/decode_image.h"

namespace mycel::data {

// One JPEG file, header read; pixels are decoded once, all of them or those of a box. The pixels of
// a box are the same as those of the whole picture there: what lies around it is only skipped.
class JpegFile {
 public:
  explicit JpegFile(std::string_view bytes);  // borrowed
  ~JpegFile();
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  ImageSize size() const { return size_; }
  void read_all(std::uint8_t* target);  // height x width x 3 bytes
  // The pixels live in `memory`, which grows as needed and can serve the next file.
  PixelView read_box(const Box& box, std::vector<std::uint8_t>& memory);

 private:
  struct State;
  std::unique_ptr<State> state_;
  ImageSize size_;
};

}  // namespace mycel::data
