// SPDX-License-Identifier: Apache-2.0
// What a captured function was called with, as far as a later call must agree with it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/call.h"
#include "capture/interpreter.h"
#include "operator/value.h"

namespace mycel::capture {

// Tensors agree by dtype, shape and strides, numbers and texts by value, containers by their parts,
// everything else by identity. A tensor that is given twice must be given twice again.
class Signature {
 public:
  Signature(const Call& call, Interpreter& interpreter);

  enum class Sizes { Same, Any };  // Any: lengths of axes are not compared, only their number
  bool matches(const Call& call, Interpreter& interpreter, Sizes sizes = Sizes::Same) const;
  // Whether a call with these tensors, one per argument, is of the same kind.
  bool matches_row(std::span<const Tensor> row) const;

  // Whether calls like this and the other differ in sizes alone.
  bool is_like(const Signature& other, Interpreter& interpreter) const;
  // Opens, for people, the sizes in which the other one, which is like this, differs.
  void open_sizes(const Signature& other);
  std::vector<op::TensorSpec> tensor_specs() const;  // of the inputs

  struct Text {
    std::string arguments, keywords;  // "(Tensor[Float32](2, 3), 3)", "{'net': <Net object>}"
  };
  Text describe(Interpreter& interpreter) const;  // for people

 private:
  struct Entry {
    Argument::Kind kind = Argument::Kind::Same;
    bool is_repeated = false;
    std::uint32_t number = 0;
    std::shared_ptr<const void> known;  // the object, or the class of a tensor or container
    tensor::DType dtype = tensor::DType::Float32;
    tensor::Shape shape;
    tensor::Strides strides;  // of tensors that are not dense; otherwise empty
  };
  static bool is_same_tensor(const Entry& entry, const Argument& argument, Sizes sizes);
  std::string text_at(std::size_t& at, Interpreter& interpreter) const;

  std::vector<Entry> entries_;  // in the order of `Call::arguments`
};

}  // namespace mycel::capture
