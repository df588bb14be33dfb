// SPDX-License-Identifier: Apache-2.0
// The records of TFRecord files: a tf.Example is a map from names to lists of bytes, floats or
// integers, in protocol-buffer encoding. Only views into the record are made.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace mycel::data {

struct TfFeature {
  enum class Kind : std::uint8_t { None, Bytes, Float, Int64 };
  Kind kind = Kind::None;
  std::string_view list;  // the encoded values
};

class TfExample {
 public:
  // RuntimeError, naming the offset, when the record is not an example.
  explicit TfExample(std::string_view record);
  const TfFeature* find(std::string_view name) const;  // null: there is none
  const std::vector<std::pair<std::string_view, TfFeature>>& features() const { return features_; }

 private:
  std::vector<std::pair<std::string_view, TfFeature>> features_;
};

std::vector<std::string_view> bytes_values(const TfFeature& feature);
std::vector<float> float_values(const TfFeature& feature);
std::vector<std::int64_t> int64_values(const TfFeature& feature);

}  // namespace mycel::data
