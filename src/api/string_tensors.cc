// SPDX-License-Identifier: Apache-2.0
// Strings as one array of bytes: how many there are, where each begins (int32, from the start of
// the array), then their bytes one after the other.
#include <cstring>
#include <limits>

#include "api/boundary.h"
#include "api/tensor_impl.h"
#include "include/api/types.h"

namespace mindspore {

MSTensor* MSTensor::CharStringsToTensor(const std::vector<char>& name,
                                        const std::vector<std::vector<char>>& str) {
  return mycel::api::guarded_value<MSTensor*>("MSTensor::StringsToTensor", nullptr, [&] {
    const size_t head = sizeof(int32_t) * (1 + str.size());
    size_t bytes = head;
    for (const std::vector<char>& text : str) bytes += text.size();
    mycel::api::require(bytes <= static_cast<size_t>(std::numeric_limits<int32_t>::max()),
                        kMCInvalidInput, "the strings need ", bytes,
                        " bytes, more than int32 can count");
    auto impl = std::make_shared<Impl>(CharToString(name), mindspore::DataType::kObjectTypeString,
                                       std::vector<int64_t>{static_cast<int64_t>(bytes)}, bytes);
    char* const data = static_cast<char*>(impl->data());
    const auto write_number = [&](size_t place, size_t number) {
      const auto value = static_cast<int32_t>(number);
      std::memcpy(data + place * sizeof(int32_t), &value, sizeof value);
    };
    write_number(0, str.size());
    size_t offset = head;
    for (size_t i = 0; i < str.size(); ++i) {
      write_number(i + 1, offset);
      if (!str[i].empty()) std::memcpy(data + offset, str[i].data(), str[i].size());
      offset += str[i].size();
    }
    return new MSTensor(impl);
  });
}

std::vector<std::vector<char>> MSTensor::TensorToStringChars(const MSTensor& tensor) {
  using Texts = std::vector<std::vector<char>>;
  return mycel::api::guarded_value("MSTensor::TensorToStrings", Texts(), [&] {
    const auto require_form = [](bool is_so, std::string_view what) {
      mycel::api::require(is_so, kMCInvalidInput, "the tensor holds no strings: ", what);
    };
    require_form(tensor != nullptr, "it is null");
    require_form(tensor.DataType() == mindspore::DataType::kObjectTypeString,
                 "its type is another one");
    const size_t bytes = tensor.DataSize();
    const std::shared_ptr<const void> held = tensor.Data();
    const char* const data = static_cast<const char*>(held.get());
    require_form(bytes >= sizeof(int32_t), "it is too short");
    const auto number = [&](size_t place) {
      int32_t value = 0;
      std::memcpy(&value, data + place * sizeof(int32_t), sizeof value);
      return static_cast<int64_t>(value);
    };
    const int64_t count = number(0);
    require_form(count >= 0 && static_cast<size_t>(count) < bytes / sizeof(int32_t),
                 "it announces more strings than there is room for");
    const auto head = static_cast<int64_t>(sizeof(int32_t)) * (1 + count);
    const auto begin_of = [&](int64_t i) {
      return i < count ? number(static_cast<size_t>(i) + 1) : static_cast<int64_t>(bytes);
    };
    Texts texts;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = begin_of(i);
      const int64_t end = begin_of(i + 1);
      require_form(begin >= head && begin <= end && end <= static_cast<int64_t>(bytes),
                   "a string lies outside of it");
      texts.emplace_back(data + begin, data + end);
    }
    return texts;
  });
}

}  // namespace mindspore
