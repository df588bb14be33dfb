// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/message/message_tree.h"

namespace mycel::formats {

// Fields of a decoded message by name; of a field that is there several times, the last.
class MessageView {
 public:
  MessageView() = default;  // an empty message
  MessageView(const MessageTree& tree) : tree_(&tree) {}

  const void* identity() const { return tree_; }  // of the message it shows
  bool has(std::string_view name) const { return last(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise = 0) const {
    const auto* field = last(name);
    return field == nullptr ? otherwise : std::get<std::int64_t>(field->value);
  }
  double real(std::string_view name, double otherwise = 0) const {
    const auto* field = last(name);
    return field == nullptr ? otherwise : std::get<double>(field->value);
  }
  std::string_view text(std::string_view name) const {
    const auto* field = last(name);
    return field == nullptr ? std::string_view() : std::get<std::string_view>(field->value);
  }
  MessageView message(std::string_view name) const {
    const auto* field = last(name);
    return field == nullptr ? MessageView() : of(*field);
  }

  std::vector<std::int64_t> integers(std::string_view name) const {
    return collect<std::int64_t>(
        name, [](const auto& field) { return std::get<std::int64_t>(field.value); });
  }
  std::vector<double> reals(std::string_view name) const {
    return collect<double>(name, [](const auto& field) { return std::get<double>(field.value); });
  }
  std::vector<std::string_view> texts(std::string_view name) const {
    return collect<std::string_view>(
        name, [](const auto& field) { return std::get<std::string_view>(field.value); });
  }
  std::vector<MessageView> messages(std::string_view name) const {
    return collect<MessageView>(name, [](const auto& field) { return of(field); });
  }

 private:
  static MessageView of(const MessageTree::Field& field) {
    return *std::get<std::unique_ptr<MessageTree>>(field.value);
  }
  const MessageTree::Field* last(std::string_view name) const {
    if (tree_ == nullptr) return nullptr;
    for (auto field = tree_->fields.rbegin(); field != tree_->fields.rend(); ++field)
      if (field->spec->name == name) return &*field;
    return nullptr;
  }
  template <class Item, class Take>
  std::vector<Item> collect(std::string_view name, const Take& take) const {
    std::vector<Item> items;
    if (tree_ == nullptr) return items;
    for (const MessageTree::Field& field : tree_->fields)
      if (field.spec->name == name) items.push_back(take(field));
    return items;
  }
  const MessageTree* tree_ = nullptr;
};

}  // namespace mycel::formats
