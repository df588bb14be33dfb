// SPDX-License-Identifier: Apache-2.0
// Strings on their way into the library and back. std::string has two layouts (the macro
// _GLIBCXX_USE_CXX11_ABI chooses), std::vector<char> has one: methods with strings are inline, and
// what they call in the library takes characters. So one library serves programs of both kinds.
// An empty string is an empty vector; there is no zero at the end.
#ifndef MINDSPORE_INCLUDE_API_DUAL_ABI_HELPER_H_
#define MINDSPORE_INCLUDE_API_DUAL_ABI_HELPER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mindspore {

using VecChar = std::vector<char>;

inline VecChar StringToChar(const std::string& text) { return VecChar(text.begin(), text.end()); }
inline std::string CharToString(const VecChar& text) {
  return std::string(text.begin(), text.end());
}

inline std::pair<VecChar, int32_t> PairStringToChar(const std::pair<std::string, int32_t>& pair) {
  return {StringToChar(pair.first), pair.second};
}
inline std::pair<std::string, int32_t> PairCharToString(const std::pair<VecChar, int32_t>& pair) {
  return {CharToString(pair.first), pair.second};
}

inline std::vector<VecChar> VectorStringToChar(const std::vector<std::string>& texts) {
  std::vector<VecChar> result;
  result.reserve(texts.size());
  for (const auto& text : texts) result.push_back(StringToChar(text));
  return result;
}
inline std::vector<std::string> VectorCharToString(const std::vector<VecChar>& texts) {
  std::vector<std::string> result;
  result.reserve(texts.size());
  for (const auto& text : texts) result.push_back(CharToString(text));
  return result;
}

inline std::set<VecChar> SetStringToChar(const std::set<std::string>& texts) {
  std::set<VecChar> result;
  for (const auto& text : texts) result.insert(StringToChar(text));
  return result;
}
inline std::set<std::string> SetCharToString(const std::set<VecChar>& texts) {
  std::set<std::string> result;
  for (const auto& text : texts) result.insert(CharToString(text));
  return result;
}

template <class T>
inline std::map<VecChar, T> MapStringToChar(const std::map<std::string, T>& map) {
  std::map<VecChar, T> result;
  for (const auto& item : map) result.emplace(StringToChar(item.first), item.second);
  return result;
}
template <class T>
inline std::map<std::string, T> MapCharToString(const std::map<VecChar, T>& map) {
  std::map<std::string, T> result;
  for (const auto& item : map) result.emplace(CharToString(item.first), item.second);
  return result;
}

inline std::map<VecChar, VecChar> UnorderedMapStringToChar(
    const std::unordered_map<std::string, std::string>& map) {
  std::map<VecChar, VecChar> result;
  for (const auto& item : map) result.emplace(StringToChar(item.first), StringToChar(item.second));
  return result;
}
inline std::unordered_map<std::string, std::string> UnorderedMapCharToString(
    const std::map<VecChar, VecChar>& map) {
  std::unordered_map<std::string, std::string> result;
  for (const auto& item : map) result.emplace(CharToString(item.first), CharToString(item.second));
  return result;
}

inline std::map<VecChar, VecChar> MapStringToVectorChar(
    const std::map<std::string, std::string>& map) {
  std::map<VecChar, VecChar> result;
  for (const auto& item : map) result.emplace(StringToChar(item.first), StringToChar(item.second));
  return result;
}
inline std::map<std::string, std::string> MapVectorCharToString(
    const std::map<VecChar, VecChar>& map) {
  std::map<std::string, std::string> result;
  for (const auto& item : map) result.emplace(CharToString(item.first), CharToString(item.second));
  return result;
}

inline std::vector<std::pair<VecChar, std::vector<int32_t>>> ClassIndexStringToChar(
    const std::vector<std::pair<std::string, std::vector<int32_t>>>& classes) {
  std::vector<std::pair<VecChar, std::vector<int32_t>>> result;
  for (const auto& item : classes) result.emplace_back(StringToChar(item.first), item.second);
  return result;
}
inline std::vector<std::pair<std::string, std::vector<int32_t>>> ClassIndexCharToString(
    const std::vector<std::pair<VecChar, std::vector<int32_t>>>& classes) {
  std::vector<std::pair<std::string, std::vector<int32_t>>> result;
  for (const auto& item : classes) result.emplace_back(CharToString(item.first), item.second);
  return result;
}

inline std::vector<std::pair<VecChar, int64_t>> PairStringInt64ToPairCharInt64(
    const std::vector<std::pair<std::string, int64_t>>& pairs) {
  std::vector<std::pair<VecChar, int64_t>> result;
  for (const auto& item : pairs) result.emplace_back(StringToChar(item.first), item.second);
  return result;
}

// Adds the entries of `from` to `to`; null for either is allowed and does nothing.
template <class T>
inline void TensorMapCharToString(const std::map<VecChar, T>* from,
                                  std::unordered_map<std::string, T>* to) {
  if (from == nullptr || to == nullptr) return;
  for (const auto& item : *from) to->emplace(CharToString(item.first), item.second);
}

inline std::map<std::string, std::map<std::string, std::string>> MapMapCharToString(
    const std::map<VecChar, std::map<VecChar, VecChar>>& sections) {
  std::map<std::string, std::map<std::string, std::string>> result;
  for (const auto& item : sections)
    result.emplace(CharToString(item.first), MapVectorCharToString(item.second));
  return result;
}
inline std::map<VecChar, std::map<VecChar, VecChar>> MapMapStringToChar(
    const std::map<std::string, std::map<std::string, std::string>>& sections) {
  std::map<VecChar, std::map<VecChar, VecChar>> result;
  for (const auto& item : sections)
    result.emplace(StringToChar(item.first), MapStringToVectorChar(item.second));
  return result;
}

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_DUAL_ABI_HELPER_H_
