// SPDX-License-Identifier: Apache-2.0
// The first frame of a GIF file, over black where the frame does not reach.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "data/image/codec/decode_image.h"

namespace mycel::data {

namespace {

class GifFile {
 public:
  explicit GifFile(std::string_view bytes) : bytes_(bytes) {}

  Tensor decode(const TransformContext& context) {
    position_ = 6;
    const std::int64_t width = word();
    const std::int64_t height = word();
    size_ = checked_size(height, width);
    const int flags = byte();
    position_ += 2;
    if (flags & 0x80) read_palette(flags);
    skip_to_frame();
    Tensor pixels = context.output(DType::UInt8, {height, width, 3});
    std::memset(pixels.raw(), 0, pixels.bytes());
    read_frame(pixels.data<std::uint8_t>());
    return pixels;
  }

 private:
  int byte() {
    if (position_ >= bytes_.size()) fail_decode("The GIF file is cut off.");
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }
  int word() {
    const int low = byte();
    return low | byte() << 8;
  }
  void read_palette(int flags) {
    palette_size_ = std::size_t{2} << (flags & 7);
    for (std::size_t i = 0; i < 3 * palette_size_; ++i)
      palette_[i] = static_cast<std::uint8_t>(byte());
  }
  void skip_to_frame() {
    for (int mark = byte(); mark != 0x2C; mark = byte()) {
      if (mark != 0x21) fail_decode("The GIF file holds no picture.");
      byte();
      for (int count = byte(); count != 0; count = byte()) position_ += count;
    }
  }

  void read_frame(std::uint8_t* target) {
    const std::int64_t left = word(), top = word(), width = word(), height = word();
    if (left + width > size_.width || top + height > size_.height || width == 0 || height == 0)
      fail_decode("The first frame of the GIF file does not fit its canvas.");
    const int flags = byte();
    if (flags & 0x80) read_palette(flags);
    std::vector<std::uint8_t> indices(static_cast<std::size_t>(width) * height);
    expand(indices);
    const bool interlaced = flags & 0x40;
    static constexpr std::array<std::array<int, 2>, 4> kPasses{{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    std::size_t stored = 0;
    for (std::size_t pass = 0; pass < (interlaced ? kPasses.size() : 1); ++pass) {
      const int step = interlaced ? kPasses[pass][1] : 1;
      for (std::int64_t y = interlaced ? kPasses[pass][0] : 0; y < height; y += step, ++stored) {
        std::uint8_t* row = target + 3 * ((top + y) * size_.width + left);
        for (std::int64_t x = 0; x < width; ++x)
          std::memcpy(row + 3 * x, &palette_[3 * indices[stored * width + x]], 3);
      }
    }
  }

  // The dictionary is a chain: every code is another code followed by one value.
  void expand(std::vector<std::uint8_t>& indices) {
    const int first_bits = byte();
    if (first_bits < 1 || first_bits > 8) fail_decode("The GIF file has a wrong code size.");
    const int clear = 1 << first_bits;
    std::array<std::uint16_t, 4096> prefix{};
    std::array<std::uint8_t, 4096> last{};
    std::array<std::uint8_t, 4097> stack{};
    int next = clear + 2, bits = first_bits + 1, previous = -1;
    std::uint8_t first_value = 0;
    std::size_t written = 0;
    while (written < indices.size()) {
      const int code = next_code(bits);
      if (code == clear + 1) break;
      if (code == clear) {
        next = clear + 2, bits = first_bits + 1, previous = -1;
        continue;
      }
      if (code > next || (code == next && previous < 0) || (previous < 0 && code > clear))
        fail_decode("The GIF file holds an impossible code.");
      std::size_t depth = 0;
      int walk = code;
      if (code == next) {
        stack[depth++] = first_value;
        walk = previous;
      }
      for (; walk >= clear; walk = prefix[walk]) stack[depth++] = last[walk];
      stack[depth++] = first_value = static_cast<std::uint8_t>(walk);
      while (depth > 0 && written < indices.size()) indices[written++] = stack[--depth];
      if (previous >= 0 && next < 4096) {
        prefix[next] = static_cast<std::uint16_t>(previous);
        last[next++] = first_value;
        if (next == 1 << bits && bits < 12) ++bits;
      }
      previous = code;
    }
    if (written < indices.size()) fail_decode("The GIF file is cut off.");
  }

  int next_code(int bits) {
    while (available_ < bits) {
      if (block_left_ == 0) {
        block_left_ = byte();
        if (block_left_ == 0) fail_decode("The GIF file is cut off.");
      }
      pending_ |= static_cast<std::uint32_t>(byte()) << available_;
      available_ += 8;
      --block_left_;
    }
    const int code = static_cast<int>(pending_ & ((1u << bits) - 1));
    pending_ >>= bits;
    available_ -= bits;
    return code;
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
  ImageSize size_;
  std::array<std::uint8_t, 3 * 256> palette_{};
  std::size_t palette_size_ = 0;
  std::uint32_t pending_ = 0;
  int available_ = 0;
  int block_left_ = 0;
};

}  // namespace

Tensor decode_gif(std::string_view bytes, const TransformContext& context) {
  return GifFile(bytes).decode(context);
}

}  // namespace mycel::data
