// SPDX-License-Identifier: Apache-2.0
#include "data/image/codec/jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

#include <jpeglib.h>

namespace mycel::data {

namespace {

// A progressive file may hold any number of scans over the same pixels; real ones have about ten.
constexpr int kMaxScans = 500;

}  // namespace

// The library reports errors by a jump: functions below that set the jump target hold no objects
// with destructors.
struct JpegFile::State {
  jpeg_decompress_struct decoder{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf escape{};
  char text[JMSG_LENGTH_MAX] = {};
  bool reached_end = false;        // of the bytes, before the picture was complete
  std::vector<std::uint8_t> inks;  // a row of a four-colour picture

  static State& of(j_common_ptr info) { return *static_cast<State*>(info->client_data); }
  static State& of(j_decompress_ptr info) { return *static_cast<State*>(info->client_data); }

  [[noreturn]] static void on_error(j_common_ptr info) {
    State& state = of(info);
    info->err->format_message(info, state.text);
    std::longjmp(state.escape, 1);
  }

  // A warning after the last byte means that pixels are being made up.
  static void on_message(j_common_ptr info, int level) {
    State& state = of(info);
    if (level >= 0 || !state.reached_end) return;
    std::snprintf(state.text, sizeof(state.text), "The JPEG file is cut off");
    std::longjmp(state.escape, 1);
  }

  // Files without an end marker are common and complete: pretend there is one.
  static boolean on_end_of_bytes(j_decompress_ptr info) {
    static const JOCTET end_marker[] = {0xFF, JPEG_EOI};
    of(info).reached_end = true;
    info->src->next_input_byte = end_marker;
    info->src->bytes_in_buffer = sizeof(end_marker);
    return TRUE;
  }

  static void on_progress(j_common_ptr info) {
    State& state = of(info);
    if (state.decoder.input_scan_number <= kMaxScans) return;
    std::snprintf(state.text, sizeof(state.text), "The JPEG file has more than %d scans",
                  kMaxScans);
    std::longjmp(state.escape, 1);
  }

  bool read_header(std::string_view bytes) {
    decoder.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    errors.emit_message = on_message;
    decoder.client_data = this;
    if (setjmp(escape) != 0) return false;
    jpeg_create_decompress(&decoder);
    decoder.client_data = this;
    progress.progress_monitor = on_progress;
    decoder.progress = &progress;
    jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    decoder.src->fill_input_buffer = on_end_of_bytes;
    jpeg_save_markers(&decoder, JPEG_APP0 + 14, 16);
    jpeg_read_header(&decoder, TRUE);
    const bool four_inks = decoder.num_components == 4;
    decoder.out_color_space = four_inks ? JCS_CMYK : JCS_RGB;
    return true;
  }

  int samples_per_pixel() const { return decoder.out_color_space == JCS_CMYK ? 4 : 3; }

  // Chooses the columns (aligned by the library to whole blocks; one block more on each side keeps
  // the colour interpolation at the borders of the box exact).
  bool start(std::int64_t left, std::int64_t width, JDIMENSION* first, JDIMENSION* count) {
    if (setjmp(escape) != 0) return false;
    jpeg_start_decompress(&decoder);
    *first = 0;
    *count = decoder.output_width;
    const std::int64_t block = static_cast<std::int64_t>(decoder.max_h_samp_factor) * DCTSIZE;
    const std::int64_t begin = std::max<std::int64_t>(0, left - block);
    const std::int64_t end = std::min<std::int64_t>(decoder.output_width, left + width + block);
    if (begin == 0 && end == decoder.output_width) return true;
    *first = static_cast<JDIMENSION>(begin);
    *count = static_cast<JDIMENSION>(end - begin);
    jpeg_crop_scanline(&decoder, first, count);
    return true;
  }

  bool read_rows(std::int64_t top, std::int64_t height, std::uint8_t* target,
                 std::size_t row_bytes) {
    if (setjmp(escape) != 0) return false;
    if (top > 0) jpeg_skip_scanlines(&decoder, static_cast<JDIMENSION>(top));
    constexpr int kRowsAtOnce = 16;
    JSAMPROW rows[kRowsAtOnce];
    std::int64_t done = 0;
    while (done < height) {
      const std::int64_t wanted = std::min<std::int64_t>(kRowsAtOnce, height - done);
      for (std::int64_t i = 0; i < wanted; ++i) rows[i] = target + (done + i) * row_bytes;
      done += jpeg_read_scanlines(&decoder, rows, static_cast<JDIMENSION>(wanted));
    }
    return true;
  }

  bool read_ink_row() {
    if (setjmp(escape) != 0) return false;
    JSAMPROW row = inks.data();
    while (jpeg_read_scanlines(&decoder, &row, 1) == 0) {
    }
    return true;
  }

  // Adobe stores the inks inverted.
  void inks_to_colours(std::uint8_t* target) const {
    const bool inverted = decoder.saw_Adobe_marker;
    for (JDIMENSION x = 0; x < decoder.output_width; ++x) {
      const std::uint8_t* ink = inks.data() + 4 * static_cast<std::size_t>(x);
      for (int c = 0; c < 3; ++c) {
        const int value = inverted ? ink[3] * ink[c] / 255 : (255 - ink[c]) * (255 - ink[3]) / 255;
        target[3 * static_cast<std::size_t>(x) + c] = static_cast<std::uint8_t>(value);
      }
    }
  }

  [[noreturn]] void fail() const { fail_decode(std::string(text) + "."); }
  void require(bool ok) const {
    if (!ok) fail();
  }
};

JpegFile::JpegFile(std::string_view bytes) : state_(std::make_unique<State>()) {
  if (!state_->read_header(bytes)) {
    const std::string reason = std::string(state_->text) + ".";
    jpeg_destroy_decompress(&state_->decoder);
    state_.reset();
    fail_decode(reason);
  }
  try {
    size_ = checked_size(state_->decoder.image_height, state_->decoder.image_width);
  } catch (...) {
    jpeg_destroy_decompress(&state_->decoder);
    throw;
  }
}

JpegFile::~JpegFile() { jpeg_destroy_decompress(&state_->decoder); }

void JpegFile::read_all(std::uint8_t* target) {
  JDIMENSION first = 0, count = 0;
  state_->require(state_->start(0, size_.width, &first, &count));
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(size_.width);
  if (state_->samples_per_pixel() == 3)
    return state_->require(state_->read_rows(0, size_.height, target, row_bytes));
  state_->inks.resize(4 * static_cast<std::size_t>(size_.width));
  for (std::int64_t y = 0; y < size_.height; ++y) {
    state_->require(state_->read_ink_row());
    state_->inks_to_colours(target + y * row_bytes);
  }
}

PixelView JpegFile::read_box(const Box& box, std::vector<std::uint8_t>& memory) {
  if (state_->samples_per_pixel() != 3) {
    const std::size_t row_bytes = 3 * static_cast<std::size_t>(size_.width);
    memory.resize(row_bytes * size_.height);
    read_all(memory.data());
    return {memory.data() + box.top * row_bytes + 3 * box.left,
            static_cast<std::int64_t>(row_bytes), box.height, box.width};
  }
  JDIMENSION first = 0, count = 0;
  state_->require(state_->start(box.left, box.width, &first, &count));
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(count);
  const std::size_t needed = row_bytes * static_cast<std::size_t>(box.height);
  if (memory.size() < needed) memory.resize(needed);
  state_->require(state_->read_rows(box.top, box.height, memory.data(), row_bytes));
  return {memory.data() + 3 * (box.left - static_cast<std::int64_t>(first)),
          static_cast<std::int64_t>(row_bytes), box.height, box.width};
}

Tensor decode_jpeg(std::string_view bytes, const TransformContext& context) {
  JpegFile file(bytes);
  const ImageSize size = file.size();
  Tensor pixels = context.output(DType::UInt8, {size.height, size.width, 3});
  file.read_all(pixels.data<std::uint8_t>());
  return pixels;
}

}  // namespace mycel::data
