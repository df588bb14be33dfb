// SPDX-License-Identifier: Apache-2.0
// What a captured function is called with, taken apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platform/inline_vector.h"
#include "tensor/tensor.h"

namespace mycel::capture {

using tensor::Tensor;

constexpr int kDeepestNesting = 200;  // of containers that a compiled function takes or gives

// An object among the arguments, or a part of one. A container stands before its parts, and each
// key of a dict before its value.
struct Argument {
  enum class Kind : std::uint8_t {
    Tensor,
    Same,    // known by identity
    Equal,   // a number, a text or a key: known by value
    Memory,  // shows memory whose content nobody watches: an array
    Tuple,
    List,
    Dict
  };
  Kind kind = Kind::Same;
  bool is_repeated = false;  // a tensor: the same object stood in an earlier place already
  // Of tensors: which of the inputs it is; of containers: how many parts follow.
  std::uint32_t number = 0;
  const void* object = nullptr;
  const void* type = nullptr;      // of tensors and containers: their class
  const Tensor* tensor = nullptr;  // of tensors
};

// The positional arguments as one tuple, then the others as one dict. Everything is borrowed for
// the time of the call.
class Call {
 public:
  void add_tensor(const void* object, const void* type, const Tensor& tensor);
  void add_value(Argument::Kind kind, const void* object) {
    arguments_.push_back({.kind = kind, .object = object});
    shows_memory_ = shows_memory_ || kind == Argument::Kind::Memory;
  }
  void add_container(Argument::Kind kind, const void* object, const void* type, std::size_t count);

  std::span<const Argument> arguments() const { return {arguments_.data(), arguments_.size()}; }
  // The tensors, each object once.
  std::size_t input_count() const { return inputs_.size(); }
  const Argument& input(std::size_t i) const { return arguments_[inputs_[i]]; }
  // What a captured function works on for these.
  std::vector<Tensor> input_memory() const;
  std::vector<Tensor> input_tensors() const;

  // Whether a list or dict stands in several places: a call is recognized by the content of
  // containers, not by which of them are one.
  bool repeats_container() const { return repeats_container_; }
  bool shows_memory() const { return shows_memory_; }

 private:
  platform::InlineVector<Argument, 12> arguments_;
  platform::InlineVector<std::uint32_t, 6> inputs_;    // where they stand among the arguments
  platform::InlineVector<const void*, 4> containers_;  // those that can be changed
  bool repeats_container_ = false;
  bool shows_memory_ = false;
};

}  // namespace mycel::capture
