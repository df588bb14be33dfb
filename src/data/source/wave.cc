// SPDX-License-Identifier: Apache-2.0
#include "data/source/wave.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "data/source/files.h"

namespace mycel::data {

namespace {

static_assert(std::endian::native == std::endian::little, "samples are read as they lie");

enum class SampleForm : std::uint8_t { Unsigned8, Signed, Float };

struct WaveFormat {
  SampleForm form = SampleForm::Signed;
  std::uint32_t channels = 0;
  std::uint32_t rate = 0;
  std::uint32_t sample_bytes = 0;
  bool big_endian = false;
  std::uint64_t data_offset = 0;
  std::uint64_t data_bytes = 0;
};

constexpr std::uint16_t kPcm = 1;
constexpr std::uint16_t kFloat = 3;
constexpr std::uint16_t kExtensible = 0xFFFE;
constexpr std::uint32_t kMostChannels = 1024;

class WaveFile {
 public:
  explicit WaveFile(const std::string& path) : path_(path), file_(open_file(path)) {}
  WaveFormat format() const;
  void read(std::uint64_t offset, void* target, std::size_t bytes) const {
    const auto done = file_.read_at(offset, {static_cast<std::byte*>(target), bytes});
    if (!done) refuse(done.error().message());
  }
  [[noreturn]] void refuse(std::string_view reason) const {
    platform::fail(ErrorKind::Runtime, "Invalid file, failed to read wave file: ", path_, ": ",
                   reason);
  }

 private:
  template <class T>
  T number(std::uint64_t offset) const {
    T value;
    read(offset, &value, sizeof(T));
    return value;
  }
  void read_format_chunk(std::uint64_t offset, std::uint32_t bytes, WaveFormat& format) const;
  WaveFormat riff_format() const;
  WaveFormat sphere_format() const;
  void check(const WaveFormat& format) const;

  std::string path_;
  platform::FileReader file_;
};

void WaveFile::read_format_chunk(std::uint64_t offset, std::uint32_t bytes,
                                 WaveFormat& format) const {
  if (bytes < 16) refuse(platform::join("its 'fmt ' chunk has ", bytes, " bytes, expected 16"));
  std::uint16_t tag = number<std::uint16_t>(offset);
  if (tag == kExtensible && bytes >= 26) tag = number<std::uint16_t>(offset + 24);
  format.channels = number<std::uint16_t>(offset + 2);
  format.rate = number<std::uint32_t>(offset + 4);
  const std::uint32_t bits = number<std::uint16_t>(offset + 14);
  format.sample_bytes = bits / 8;
  const bool pcm = tag == kPcm && (bits == 8 || bits == 16 || bits == 24 || bits == 32);
  const bool real = tag == kFloat && (bits == 32 || bits == 64);
  if (!pcm && !real)
    refuse(platform::join("format ", tag, " with ", bits,
                          " bits is not supported, only PCM of 8, 16, 24, 32 bits and floats"));
  format.form = real ? SampleForm::Float : bits == 8 ? SampleForm::Unsigned8 : SampleForm::Signed;
}

WaveFormat WaveFile::riff_format() const {
  WaveFormat format;
  bool has_data = false;
  std::uint64_t offset = 12;
  while (!has_data && offset + 8 <= file_.size()) {
    char name[4];
    read(offset, name, 4);
    const auto bytes = number<std::uint32_t>(offset + 4);
    const std::uint64_t content = offset + 8;
    if (std::memcmp(name, "fmt ", 4) == 0) read_format_chunk(content, bytes, format);
    if (std::memcmp(name, "data", 4) == 0) {
      has_data = true;
      format.data_offset = content;
      // Recorders that were cut off leave a length of 0 or of all ones: what is there counts.
      format.data_bytes = std::min<std::uint64_t>(bytes, file_.size() - content);
    }
    offset = content + bytes + (bytes & 1);
  }
  if (format.sample_bytes == 0) refuse("there is no 'fmt ' chunk before the data");
  if (!has_data) refuse("there is no 'data' chunk");
  return format;
}

WaveFormat WaveFile::sphere_format() const {
  constexpr std::size_t kHeader = 1024;
  if (file_.size() < kHeader) refuse("the SPHERE header is cut off");
  std::string header(kHeader, '\0');
  read(0, header.data(), kHeader);
  WaveFormat format{.channels = 1,
                    .sample_bytes = 2,
                    .data_offset = kHeader,
                    .data_bytes = file_.size() - kHeader};
  for (const std::string& line : split_lines(header)) {
    const std::vector<std::string> words = split_blanks(line);
    if (words.size() < 3) continue;
    std::int64_t value = 0;
    const bool is_number = parse_number(words[2], value) && value >= 0 && value < (1LL << 31);
    if (words[0] == "sample_rate" && is_number) format.rate = static_cast<std::uint32_t>(value);
    if (words[0] == "channel_count" && is_number)
      format.channels = static_cast<std::uint32_t>(value);
    if (words[0] == "sample_n_bytes" && value != 2)
      refuse("only 16-bit SPHERE files are supported");
    if (words[0] == "sample_coding" && !words[2].starts_with("pcm"))
      refuse("SPHERE coding '" + words[2] + "' is not supported, only pcm");
    if (words[0] == "sample_byte_format") format.big_endian = words[2] == "10";
  }
  return format;
}

void WaveFile::check(const WaveFormat& format) const {
  if (format.channels == 0 || format.channels > kMostChannels)
    refuse(platform::join("it says to have ", format.channels, " channels"));
  if (format.rate == 0 || format.rate > 0x7FFFFFFF)
    refuse(platform::join("it says to have a sample rate of ", format.rate));
}

WaveFormat WaveFile::format() const {
  char head[12] = {};
  read(0, head, std::min<std::uint64_t>(sizeof head, file_.size()));
  const std::string_view start(head, sizeof head);
  WaveFormat format;
  if (start.starts_with("RIFF") && start.substr(8) == "WAVE") {
    format = riff_format();
  } else if (start.starts_with("NIST_1A")) {
    format = sphere_format();
  } else {
    refuse("it starts neither with RIFF/WAVE nor with NIST_1A");
  }
  check(format);
  return format;
}

float sample_value(const unsigned char* p, const WaveFormat& format) {
  if (format.form == SampleForm::Unsigned8) return (static_cast<float>(p[0]) - 128.0F) / 128.0F;
  if (format.form == SampleForm::Float) {
    if (format.sample_bytes == 4) {
      float value;
      std::memcpy(&value, p, 4);
      return value;
    }
    double value;
    std::memcpy(&value, p, 8);
    return static_cast<float>(value);
  }
  // The bytes go to the high end of 32 bits, so that the sign comes by itself. The largest sample
  // is 1, so the smallest is a little below -1.
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < format.sample_bytes; ++i) {
    const std::uint32_t byte = p[format.big_endian ? format.sample_bytes - 1 - i : i];
    bits |= byte << (8 * (4 - format.sample_bytes + i));
  }
  const unsigned unused = 8 * (4 - format.sample_bytes);
  const auto largest = static_cast<double>(0x7FFFFFFF >> unused);
  return static_cast<float>((static_cast<std::int32_t>(bits) >> unused) / largest);
}

}  // namespace

Tensor read_wave(const std::string& path) {
  return read_wave(path, 0, std::numeric_limits<double>::infinity());
}

Tensor read_wave(const std::string& path, double from, double to) {
  const WaveFile file(path);
  const WaveFormat format = file.format();
  const std::uint64_t frame_bytes = std::uint64_t{format.channels} * format.sample_bytes;
  const auto whole = static_cast<double>(format.data_bytes / frame_bytes);
  const auto begin = static_cast<std::int64_t>(std::clamp(from * format.rate, 0.0, whole));
  const auto end =
      static_cast<std::int64_t>(std::clamp(to * format.rate, static_cast<double>(begin), whole));
  const std::int64_t frames = end - begin;
  std::string data(static_cast<std::size_t>(frames) * frame_bytes, '\0');
  file.read(format.data_offset + static_cast<std::uint64_t>(begin) * frame_bytes, data.data(),
            data.size());
  const auto channels = static_cast<std::int64_t>(format.channels);
  Tensor wave = Tensor::empty({channels, frames}, DType::Float32);
  auto* out = wave.data<float>();
  const auto* in = reinterpret_cast<const unsigned char*>(data.data());
  for (std::int64_t t = 0; t < frames; ++t)
    for (std::int64_t c = 0; c < channels; ++c, in += format.sample_bytes)
      out[c * frames + t] = sample_value(in, format);
  return wave;
}

std::uint32_t wave_rate(const std::string& path) { return WaveFile(path).format().rate; }

}  // namespace mycel::data
